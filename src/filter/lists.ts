import type { Printed } from "./junctions.ts";
import type { Bind } from "./operators.ts";
import type { Condition, FilterTree, Junction } from "./tree.ts";

/** Fewer are not worth a list. */
const LIST_MIN = 4;

/**
 * Takes conditions of the form "one of these texts" (equals joined by "or") and "none of these texts" (not-equals
 * joined by "and") out of a junction and prints each as one look-up in a list: an index can be used, and 20,000
 * request ids cost one parameter.
 */
export function gatherLists(junction: Junction, bind: Bind): { lists: Printed[]; terms: FilterTree[] } {
  const operator = junction.kind === "or" ? "equals" : "not-equals";
  const byColumn = new Map<string, string[]>();
  for (const term of junction.terms) {
    const column = listColumn(term, operator);
    if (column === undefined) continue;
    const values = byColumn.get(column) ?? [];
    byColumn.set(column, values);
    values.push(String((term as Condition).value));
  }
  const lists: Printed[] = [];
  for (const [column, values] of byColumn) {
    if (values.length < LIST_MIN) byColumn.delete(column);
    else lists.push(print(column, values, operator, bind));
  }
  if (lists.length === 0) return { lists, terms: [...junction.terms] };
  return { lists, terms: junction.terms.filter((term) => !byColumn.has(listColumn(term, operator) ?? "")) };
}

function listColumn(term: FilterTree, operator: string): string | undefined {
  if (term.kind !== "condition" || term.operator !== operator || typeof term.value !== "string") return undefined;
  return term.source.from === "row" && term.valueKind === "text" ? term.source.sql : undefined;
}

function print(column: string, values: readonly string[], operator: string, bind: Bind): Printed {
  const found = `${column} in (select value from json_each(${bind(JSON.stringify(values))}))`;
  return { sql: operator === "equals" ? found : `(${found}) is not true`, cost: 14 };
}
