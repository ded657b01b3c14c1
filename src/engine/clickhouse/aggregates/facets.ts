import type { Scope } from "../../../filter/scope.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Facet, Key, ListedScore, ListOptions } from "../../aggregates.ts";
import type { ReaderOptions } from "../records.ts";
import { groupSql } from "./groups.ts";
import { rowsOf } from "./record-rows.ts";
import { meanOf } from "./sums.ts";

/** Counts the requests of a scope by each name. */
export async function facets(
  options: ReaderOptions,
  scope: Scope,
  { names, limit }: { readonly names: readonly string[]; readonly limit: number },
  deadline: Deadline,
): Promise<Facet[]> {
  const records = await rowsOf(options, scope, deadline);
  const counted: Facet[] = [];
  for (const name of names) {
    const values = await records.ask<{ readonly value: Key; readonly requests: number }>(
      `${records.select(`${groupSql(name)} as value, count() as requests`)}
        group by value order by requests desc, value nulls last limit ${limit + 1}`,
      deadline,
    );
    counted.push({
      name,
      values: values.slice(0, limit).map(({ value = null, requests }) => ({ value, requests })),
      more: values.length > limit,
    });
  }
  return counted;
}

/** Scores of the records of a scope, those on the most records first. */
export async function scores(
  options: ReaderOptions,
  scope: Scope,
  { limit, offset }: ListOptions,
  deadline: Deadline,
): Promise<ListedScore[]> {
  const records = await rowsOf(options, scope, deadline);
  return records.ask<ListedScore>(
    `select member.1 as score, count() as requests, ${meanOf("member.2")} as mean, min(member.2) as min,
        max(member.2) as max
      from (${records.select("arrayJoin(CAST(r.scores, 'Array(Tuple(String, Float64))')) as member")})
      group by score order by requests desc, score limit ${limit} offset ${offset}`,
    deadline,
  );
}
