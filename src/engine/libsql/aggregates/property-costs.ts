import { boundsSql, onlyBounds } from "../../../filter/bounds.ts";
import { PROPERTY_PREFIX } from "../../../filter/group-by.ts";
import { type SqlStatement, statementOf } from "../../../filter/parameters.ts";
import { propertyName, propertySql } from "../../../filter/property-names.ts";
import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { join, raw, type Sql, sql } from "../../../filter/sql.ts";
import type { Condition } from "../../../filter/tree.ts";
import { dollars } from "../../../record/dollars.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { ListOptions, PropertyCost } from "../../aggregates.ts";
import type { GroupAggregates } from "../column-store/group-aggregates.ts";
import { withoutBodies } from "../find/find.ts";
import { fromBlocks } from "./from-blocks.ts";
import { inOrder } from "./order-rows.ts";

/** Values of a property with the cost of their requests, most expensive first, ties by value. */
export async function propertyCosts(
  database: Database,
  requested: Scope,
  query: ListOptions & { readonly name: string },
  deadline: Deadline,
): Promise<PropertyCost[]> {
  const groupBy = [`${PROPERTY_PREFIX}${query.name}`];
  const aggregates = await fromBlocks(database, requested, { groupBy, timeBucket: undefined, measures: {} }, deadline);
  if (aggregates !== undefined) return fromAggregates(aggregates, query);
  const bounds = onlyBounds(requested.tree);
  const statement =
    bounds === undefined
      ? await fromRecords(database, requested, query, deadline)
      : fromEntries(requested.organizationId, bounds, query);
  const rows = await database.query<PropertyCost>(statement, deadline.rest());
  return rows.map((row) => ({ ...row, cost: dollars(row.cost) }));
}

function fromAggregates(aggregates: GroupAggregates, page: ListOptions): PropertyCost[] {
  const rows = [];
  for (const group of aggregates.groups()) {
    const [value] = aggregates.keysOf(group);
    if (value == null) continue;
    rows.push({
      value: String(value),
      cost: dollars(aggregates.sums.cost.of(group)),
      requests: aggregates.requestsOf(group),
    });
  }
  const order = [["cost", "desc"] as const, ["value", "asc"] as const];
  return inOrder(rows, order, page);
}

const ORDER = raw("order by cost desc nulls last, value");

/** For any filter: reads the records. */
async function fromRecords(
  database: Database,
  requested: Scope,
  { name, limit, offset }: ListOptions & { readonly name: string },
  deadline: Deadline,
): Promise<SqlStatement> {
  const { scope, source } = await withoutBodies(database, requested, deadline);
  return selectRecords(
    scope,
    sql`${propertySql(name)} as value, sum(r.cost) as cost, count(*) as requests`,
    // Not `group by value`: that could refer to a column of that name in the source.
    sql`group by 1 having ${propertySql(name)} is not null ${ORDER} limit ${limit} offset ${offset}`,
    { source },
  );
}

/** For a time range: the property's entries contain everything needed, ordered by value. */
function fromEntries(
  organizationId: string,
  bounds: readonly Condition[],
  { name, limit, offset }: ListOptions & { readonly name: string },
): SqlStatement {
  const { exact, erased } = propertyName(name);
  const entries = (storedName: string): Sql =>
    join(
      [sql`p.organization_id = ${organizationId} and p.kind = 0 and p.name = ${storedName}`, ...boundsSql(bounds, "p")],
      " and ",
    );
  const page = sql`${ORDER} limit ${limit} offset ${offset}`;
  const own = sql`select p.value, p.cost from properties p where ${entries(exact)}`;
  if (erased === undefined)
    return statementOf(sql`select value, sum(cost) as cost, count(*) as requests from (${own}) group by value ${page}`);
  // A record that has both spellings counts under the requested one.
  const other = sql`select p.value, p.cost from properties p where ${entries(erased)} and p.case_erased and not exists
    (select 1 from properties q where q.seq = p.seq and q.organization_id = p.organization_id and q.kind = 0 and q.name = ${exact})`;
  const perSpelling = [own, other].map(
    (rows) => sql`select value, sum(cost) as cost, count(*) as requests from (${rows}) group by value`,
  );
  return statementOf(sql`select value, sum(cost) as cost, sum(requests) as requests
    from (${join(perSpelling, " union all ")}) group by value ${page}`);
}
