import { boundsSql, creationBounds } from "./bounds.ts";
import type { Scope } from "./scope.ts";
import { join, raw, type Sql, sql } from "./sql.ts";

/**
 * How to find the records that no block covers: from the gaps between blocks, or from all records of the filter's period,
 * which are fewer if old records have no blocks yet.
 */
export type OutsideBy = "number" | "creation";

/** Ranges of record numbers that no block covers, from `first` to `last`; the highest gap has no end. */
export const GAPS = `select lag(last_seq, 1, 0) over (order by last_seq) + 1 as first, first_seq - 1 as last from blocks
  union all select coalesce(max(last_seq), 0) + 1, ${Number.MAX_SAFE_INTEGER} from blocks`;

/** Whether a block covers the record with this number. @param seq - SQL. */
export const isHeld = (seq: string): string =>
  `coalesce((select b.first_seq from blocks b where b.last_seq >= ${seq} order by b.last_seq limit 1) <= ${seq}, 0)`;

/** Selects the numbers of all records that no block covers, and of those that changed since their block was made. */
export function outsideSql(by: OutsideBy, scope: Scope): Sql {
  return sql`${UNHELD[by](scope)} union all select n.seq from block_changes n where ${raw(isHeld("n.seq"))}`;
}

const UNHELD: Readonly<Record<OutsideBy, (scope: Scope) => Sql>> = {
  number: () => sql`select s.seq from (${raw(GAPS)}) g cross join requests s on s.seq between g.first and g.last`,
  creation: (scope) => {
    const conditions = [
      sql`s.organization_id = ${scope.organizationId}`,
      ...boundsSql(creationBounds(scope.tree), "s"),
      raw(`not ${isHeld("s.seq")}`),
    ];
    return sql`select s.seq from requests s indexed by requests_created where ${join(conditions, " and ")}`;
  },
};
