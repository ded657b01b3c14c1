import { meanSql } from "../../../filter/mean.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { EMPTY, sql } from "../../../filter/sql.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { ListedScore, ListOptions } from "../../aggregates.ts";
import { withoutBodies } from "../find/find.ts";

/** Scores of the records of a scope, those on the most records first. */
export async function listScores(
  database: Database,
  requested: Scope,
  { limit, offset }: ListOptions,
  deadline: Deadline,
): Promise<ListedScore[]> {
  const { scope, source } = await withoutBodies(database, requested, deadline);
  const scored = selectRecords(scope, sql`r.scores as scores`, EMPTY, { source, where: sql`r.scores <> '{}'` });
  const args = scored.args ?? [];
  const text = `select v.key as score, count(*) as requests, ${meanSql("v.value")} as mean, min(v.value + 0.0) as min,
      max(v.value + 0.0) as max
    from (${scored.sql}) s, json_each(s.scores) v
    group by v.key order by requests desc, score limit ?${args.length + 1} offset ?${args.length + 2}`;
  return database.query<ListedScore>({ sql: text, args: [...args, limit, offset] }, deadline.rest());
}
