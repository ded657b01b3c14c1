import type { Scope } from "../../../filter/scope.ts";
import { dollars } from "../../../record/dollars.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { ListOptions, PropertyCost } from "../../aggregates.ts";
import type { ReaderOptions } from "../records.ts";
import { propertySql } from "./groups.ts";
import { rowsOf } from "./record-rows.ts";
import { costSum } from "./sums.ts";

/** Values of a property with the cost of their requests, most expensive first, ties by value. */
export async function propertyCosts(
  options: ReaderOptions,
  scope: Scope,
  { name, limit, offset }: ListOptions & { readonly name: string },
  deadline: Deadline,
): Promise<PropertyCost[]> {
  const records = await rowsOf(options, scope, deadline);
  const rows = await records.ask<{ value: string; requests: number; sum_cost: number | null }>(
    `${records.select(
      `${propertySql(name)} as value, ${costSum("r.cost")} as sum_cost, count() as requests`,
    )} group by value having value is not null
      order by sum_cost desc nulls last, value limit ${limit} offset ${offset}`,
    deadline,
  );
  return rows.map(({ value, requests, sum_cost: cost = null }) => ({ value, cost: dollars(cost), requests }));
}
