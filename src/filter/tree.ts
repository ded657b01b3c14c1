import type { FieldKind, FieldSource } from "./fields.ts";

/** Maximum branches and conditions of one filter together; more gives 400. */
export const FILTER_NODES_MAX = 50_000;

/**
 * Maximum characters of a `like`, `ilike`, `contains` or `not-contains` on a column, and of a name compared without case.
 * SQLite accepts patterns of 50,000 bytes, and a letter with all its spellings takes up to 12.
 */
export const PATTERN_CHARS_MAX = 4_000;

/** Maximum characters of a `contains` on a body; with ten times as many, preparing it alone takes a second. */
export const BODY_PATTERN_CHARS_MAX = 100_000;

/** A valid filter. Runs of one operator are merged into one junction, so it is not nested deeper than necessary. */
export type FilterTree = Term | Junction;
export type Term = All | Nothing | Condition;

interface All {
  readonly kind: "all";
}

interface Nothing {
  readonly kind: "nothing";
}

export interface Junction {
  readonly kind: "and" | "or";
  /** At least one; none is a junction of the same kind. */
  readonly terms: readonly FilterTree[];
}

export interface Condition {
  readonly kind: "condition";
  /** The field with its group, for example `request_response_rmt.model`. */
  readonly label: string;
  readonly source: FieldSource;
  readonly valueKind: FieldKind;
  /** The name inside an object-valued field such as `properties`. */
  readonly name: string | undefined;
  readonly operator: string;
  /** Valid for the kind; timestamps are milliseconds since 1970, possibly with a fraction. */
  readonly value: string | number | boolean | null;
}

export const ALL: All = { kind: "all" };
export const NOTHING: Nothing = { kind: "nothing" };

/** Both trees must hold; either may be "all". */
export function both(left: FilterTree, right: FilterTree): FilterTree {
  const terms = [left, right].flatMap((tree) => (tree.kind === "and" ? tree.terms : tree.kind === "all" ? [] : [tree]));
  return terms.length === 0 ? ALL : terms.length === 1 ? terms[0]! : { kind: "and", terms };
}

/** An internal condition on a column of the row, which need not be a field. */
export function onColumn(
  column: string,
  valueKind: FieldKind,
  operator: "equals" | "gte" | "lte",
  value: string | number,
): Condition {
  const source = { from: "row", sql: `r.${column}` } as const;
  return { kind: "condition", label: column, source, valueKind, name: undefined, operator, value };
}

/** The text column has one of the values. */
export function isAmong(column: string, values: readonly string[]): FilterTree {
  const terms = [...new Set(values)].map((value) => onColumn(column, "text", "equals", value));
  return terms.length === 0 ? NOTHING : terms.length === 1 ? terms[0]! : { kind: "or", terms };
}

/** The terms that must all hold. */
export function conjuncts(tree: FilterTree): readonly FilterTree[] {
  return tree.kind === "and" ? tree.terms : [tree];
}

export function isJunction(tree: FilterTree): tree is Junction {
  return tree.kind === "and" || tree.kind === "or";
}

/** Every condition of a tree, without recursion: trees can be 25,000 levels deep. */
export function* conditionsOf(tree: FilterTree): Generator<Condition> {
  const pending: FilterTree[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "condition") yield node;
    else if (isJunction(node)) for (const term of node.terms) pending.push(term);
  }
}
