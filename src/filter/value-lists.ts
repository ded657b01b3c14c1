import { anyValue } from "./conditions.ts";
import type { Dialect, ListOperator } from "./dialect.ts";
import type { Printed } from "./junctions.ts";
import type { PrintOptions } from "./print-options.ts";
import { sql } from "./sql.ts";
import type { Condition, FilterTree, Junction } from "./tree.ts";

/** Even two conditions form a list: the planner can use an index for a list, as for a single condition. */
const LIST_MIN = 2;

/**
 * Removes conditions of the form "one of these texts" (equals joined by "or") and "none of these texts" (not-equals joined
 * by "and") from a junction, and prints each group as one look-up in a list: an index can be used, and 20,000 request ids
 * cost one parameter.
 */
export function gatherLists(junction: Junction, dialect: Dialect): { lists: Printed[]; terms: FilterTree[] } {
  const operator = junction.kind === "or" ? "equals" : "not-equals";
  const bySubject = new Map<string, [Condition, ...Condition[]]>();
  for (const term of junction.terms) {
    const subject = listSubject(term, operator, dialect);
    if (subject === undefined) continue;
    const same = bySubject.get(subject);
    if (same === undefined) bySubject.set(subject, [term as Condition]);
    else same.push(term as Condition);
  }
  const lists: Printed[] = [];
  for (const [subject, conditions] of bySubject) {
    if (conditions.length < LIST_MIN) bySubject.delete(subject);
    else lists.push(dialect.list(conditions, operator));
  }
  if (lists.length === 0) return { lists, terms: [...junction.terms] };
  return { lists, terms: junction.terms.filter((term) => !bySubject.has(listSubject(term, operator, dialect) ?? "")) };
}

/** The same string for conditions on the same value. */
function listSubject(term: FilterTree, operator: string, { listsNumbers }: Dialect): string | undefined {
  if (term.kind !== "condition" || term.operator !== operator) return undefined;
  const isNumber = listsNumbers === true && term.valueKind === "number" && Number.isSafeInteger(term.value);
  if (term.source.from === "row") return isText(term) || isNumber ? term.source.sql : undefined;
  if (typeof term.value !== "string") return undefined;
  if (term.source.from !== "properties") return undefined;
  return JSON.stringify([term.source.kind, term.source.names, term.name]);
}

const isText = ({ valueKind, value }: Condition) => valueKind === "text" && typeof value === "string";

/** For SQLite. */
export function listSql(
  conditions: readonly [Condition, ...Condition[]],
  operator: ListOperator,
  options: PrintOptions,
): Printed {
  const values = JSON.stringify(conditions.map(({ value }) => value));
  const found = anyValue(
    conditions[0],
    (column) => sql`${column} in (select value from json_each(${values}))`,
    options,
  );
  return { sql: operator === "equals" ? found : sql`(${found}) is not true`, cost: 22 };
}
