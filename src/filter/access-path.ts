import { boundsOf, boundsSql, creationBounds, isCreation, SIGNS } from "./bounds.ts";
import type { Position } from "./cursor.ts";
import { type OutsideBy, outsideSql } from "./outside-blocks.ts";
import { type SqlStatement, statementOf } from "./parameters.ts";
import { propertyName } from "./property-names.ts";
import type { Scope } from "./scope.ts";
import { CREATED_AT, isByCreation, orderSql, type Sort } from "./sort.ts";
import { join, raw, type Sql, sql } from "./sql.ts";
import { ALL, type Condition, conjuncts, type FilterTree } from "./tree.ts";

/**
 * Where a query finds its rows. The database keeps no statistics that distinguish rare properties from common ones, so the
 * choice is made here, by counting at most `RARE_ROWS` index entries of each indexed condition.
 */
export type Source =
  /** The planner's choice. */
  | { readonly kind: "planned" }
  /** In the order of an index, testing each row: best if many rows match, or if the index finds few. */
  | {
      readonly kind: "index";
      readonly name: IndexName;
      /** The condition whose rows the index finds; missing if only its order is used. */
      readonly key?: FilterTree;
    }
  /** All rows in file order: best if most are needed anyway. */
  | { readonly kind: "scan" }
  /** The few rows that match an indexed condition. */
  | { readonly kind: "rare"; readonly condition: Condition }
  /** Rows with known keys. */
  | { readonly kind: "rows"; readonly seqs: readonly number[] }
  /** The rows that no block of the column store covers. */
  | { readonly kind: "outside blocks"; readonly by: OutsideBy }
  /** The rows with one property, in order of creation. */
  | { readonly kind: "property"; readonly condition: Condition; readonly storedName: string };

type IndexName = "requests_created" | "requests_cost" | "requests_users" | "requests_sessions";

export const PLANNED: Source = { kind: "planned" };

/** Up to this many rows are fetched and sorted rather than found in order. */
const RARE_ROWS = 2_000;
/** Up to this many records of a period are sorted, which is faster than an index that is not ordered by time. */
const SHORT_ROWS = 20_000;
/** From this share of all rows on, reading all rows in order is faster than looking them up one by one. */
const BROAD_SHARE = 0.2;
/** Maximum conditions that are counted. */
const PROBES_MAX = 6;

/** Runs a counting statement; bounded work. */
type Probe = (statement: SqlStatement) => Promise<number>;

/** @param sort - undefined if order does not matter. */
export async function chooseAccessPath(scope: Scope, sort: Sort | undefined, probe: Probe): Promise<Source> {
  const conditions = conjuncts(scope.tree).filter((term) => term.kind === "condition");
  const rare = await rarest(conditions.filter(isIndexed).slice(0, PROBES_MAX), scope, probe);
  if (rare !== undefined) return { kind: "rare", condition: rare };
  const key = conjuncts(scope.tree).find((term) => keyOf(term) !== undefined);
  const keyed = key && keyOf(key);
  if (key !== undefined && keyed !== undefined) {
    return keyed === "requests_id" ? PLANNED : { kind: "index", name: keyed, key };
  }
  const property = await singleSpelling(conditions.filter(isProperty).slice(0, PROBES_MAX), scope, probe);
  if (property !== undefined) return property;
  if (sort !== undefined && isByCreation(sort)) return { kind: "index", name: "requests_created" };
  const bounds = conditions.filter(isCreation);
  if (sort !== undefined && sort !== "random" && sort.length === 1 && sort[0]!.label === "cost") {
    const short = bounds.length > 0 && (await probe(countCreated(scope, bounds, SHORT_ROWS))) <= SHORT_ROWS;
    return { kind: "index", name: short ? "requests_created" : "requests_cost" };
  }
  const broad = Math.ceil((await probe(ALL_ROWS)) * BROAD_SHARE);
  const many = broad > SHORT_ROWS && (await probe(countCreated(scope, bounds, broad))) > broad;
  return many ? { kind: "scan" } : { kind: "index", name: "requests_created" };
}

/** Number of rows of all organizations; too high if rows were deleted. */
const ALL_ROWS: SqlStatement = {
  // Two subqueries: each is one index step; combined they would be a scan.
  sql: "select coalesce((select max(seq) from requests) - (select min(seq) from requests), 0) + 1 as n",
  args: [],
};

/**
 * The scope for rows after a position in creation order, without the bounds that follow from the position. If one side had
 * two bounds, the database might use either to enter the index, and each page could then skip over all rows of the pages
 * before it.
 */
export function scopeAfter(scope: Scope, sort: Sort, { values }: Position): Scope {
  const from = values[0];
  if (!isByCreation(sort) || typeof from !== "number") return scope;
  const ascending = sort !== "random" && sort[0]!.direction === "asc";
  const isKept = (term: FilterTree) =>
    term.kind === "condition" &&
    isCreation(term) &&
    (ascending
      ? ["gte", "gt"].includes(term.operator) && Number(term.value) <= from
      : ["lte", "lt"].includes(term.operator) && Number(term.value) >= from);
  const terms = conjuncts(scope.tree).filter((term) => !isKept(term));
  return { ...scope, tree: terms.length === 0 ? ALL : { kind: "and", terms } };
}

/** SQL after "from", and a condition that belongs to it. A cross join keeps the planner from reordering the tables. */
export function sourceSql(source: Source, scope: Scope): { from: Sql; condition?: Sql } {
  switch (source.kind) {
    case "planned":
      return { from: sql`requests r` };
    case "scan":
      return { from: sql`requests r not indexed` };
    case "index": {
      const from = sql`requests r indexed by ${raw(source.name)}`;
      if (source.name !== PARTITIONED) return { from };
      return { from: sql`time_partitions t cross join ${from}`, condition: inPartitions(scope) };
    }
    case "rare":
      return {
        from: sql`(${join(rowsOf(source.condition, scope), " union ")}) w cross join requests r on r.seq = w.seq`,
      };
    case "rows":
      return { from: sql`json_each(${JSON.stringify(source.seqs)}) w cross join requests r on r.seq = w.value` };
    case "outside blocks":
      return { from: sql`(${outsideSql(source.by, scope)}) w cross join requests r on r.seq = w.seq` };
    case "property": {
      const from = sql`properties p cross join requests r on r.seq = p.seq`;
      return { from, condition: entryOf(source.condition, source.storedName, scope) };
    }
  }
}

/** The column in which a source's rows are ordered by creation. */
export function creationColumn(source: Source): string {
  return source.kind === "property" ? "p.request_created_at" : CREATED_AT;
}

/** SQL after "order by" for the rows of a source. */
export function orderOf(source: Source, sort: Sort): Sql {
  const order = orderSql(sort, creationColumn(source));
  const isPartitioned = source.kind === "index" && source.name === PARTITIONED;
  // Partitions follow each other in time. Naming them lets the database find rows in this order instead of sorting all.
  return isPartitioned && sort !== "random" && isByCreation(sort)
    ? sql`t.id ${raw(sort[0]!.direction)}, ${order}`
    : order;
}

/** The index whose entries are ordered by partition of time first. */
const PARTITIONED: IndexName = "requests_users";

/** The condition that joins requests `r` with their partitions `t`, of which only those in the filter's period are needed. */
function inPartitions(scope: Scope): Sql {
  const { least, most } = boundsOf(scope.tree);
  const first = sql`(select b.id from time_partitions b where b.start <= ${least} order by b.id desc limit 1)`;
  return sql`r.time_partition = t.id and t.start <= ${most} and t.id >= coalesce(${first}, 0)`;
}

async function rarest(candidates: readonly Condition[], scope: Scope, probe: Probe): Promise<Condition | undefined> {
  let best: Condition | undefined;
  let fewest = RARE_ROWS + 1;
  for (const candidate of candidates) {
    // A record with both spellings counts twice: harmless for a count that stops early; "union" could not stop early.
    const rows = join(rowsOf(candidate, scope), " union all ");
    const found = await probe(counting(rows, RARE_ROWS));
    if (found < fewest) [best, fewest] = [candidate, found];
    if (found === 0) break;
  }
  return best;
}

/** A property that is stored under a single spelling can be walked in order. */
async function singleSpelling(
  conditions: readonly Condition[],
  scope: Scope,
  probe: Probe,
): Promise<Source | undefined> {
  for (const condition of conditions) {
    const { exact, erased } = propertyName(condition.name ?? "");
    const stored = await Promise.all(
      [exact, erased].map(async (storedName) => {
        if (storedName === undefined) return undefined;
        const entries = sql`select 1 from properties p where ${entryOf(condition, storedName, scope)}`;
        return (await probe(counting(entries, 0))) > 0 ? storedName : undefined;
      }),
    );
    const found = stored.filter((name) => name !== undefined);
    if (found.length === 1) return { kind: "property", condition, storedName: found[0]! };
  }
  return undefined;
}

/** Selects that together return the `seq` of the rows that match an indexed condition. */
function rowsOf(condition: Condition, scope: Scope): Sql[] {
  if (condition.source.from !== "properties") {
    const sign = raw(SIGNS[condition.operator]!);
    return [
      sql`select c.seq from requests c indexed by requests_cost
        where c.organization_id = ${scope.organizationId} and c.cost ${sign} ${condition.value as number}`,
    ];
  }
  const { exact, erased } = propertyName(condition.name ?? "");
  return [exact, erased]
    .filter((name) => name !== undefined)
    .map((name) => sql`select p.seq from properties p where ${entryOf(condition, name, scope)}`);
}

/** Condition on entries `p` of one property, under one stored name, within the filter's creation bounds. */
function entryOf(condition: Condition, storedName: string, scope: Scope): Sql {
  const kind = condition.source.from === "properties" ? condition.source.kind : 0;
  const conditions = [
    sql`p.organization_id = ${scope.organizationId}`,
    raw(`p.kind = ${kind}`),
    sql`p.name = ${storedName}`,
    sql`p.value = ${condition.value as string}`,
    ...boundsSql(creationBounds(scope.tree), "p"),
    ...(storedName === condition.name ? [] : [raw("p.case_erased")]),
  ];
  return join(conditions, " and ");
}

/** Counts the records of the filter's period, stopping one after `most`. */
export function countCreated(scope: Scope, bounds: readonly Condition[], most: number): SqlStatement {
  const conditions = [sql`c.organization_id = ${scope.organizationId}`, ...boundsSql(bounds, "c")];
  return counting(sql`select 1 from requests c indexed by requests_created where ${join(conditions, " and ")}`, most);
}

/** Counts the rows of a select, stopping one after `most`. */
function counting(rows: Sql, most: number): SqlStatement {
  return statementOf(sql`select count(*) as n from (select 1 from (${rows}) limit ${raw(String(most + 1))})`);
}

function isProperty({ source, operator, value }: Condition): boolean {
  return source.from === "properties" && source.names === "exact" && operator === "equals" && value !== null;
}

function isIndexed(condition: Condition): boolean {
  if (isProperty(condition)) return true;
  const { source, operator, value } = condition;
  return source.from === "row" && source.sql === "+r.cost" && Object.hasOwn(SIGNS, operator) && value !== null;
}

const KEYS: Readonly<Record<string, IndexName | "requests_id">> = {
  "r.request_id": "requests_id",
  "r.user_id": "requests_users",
  "r.session_id": "requests_sessions",
};

/** The index that finds rows by one or several values of a column. */
function keyOf(term: FilterTree): IndexName | "requests_id" | undefined {
  if (term.kind === "or") {
    const [first, ...others] = term.terms.map((one) => (one.kind === "condition" ? keyOf(one) : undefined));
    return others.every((other) => other === first) ? first : undefined;
  }
  if (term.kind !== "condition" || term.operator !== "equals" || term.value === null) return undefined;
  return term.source.from === "row" && Object.hasOwn(KEYS, term.source.sql) ? KEYS[term.source.sql] : undefined;
}
