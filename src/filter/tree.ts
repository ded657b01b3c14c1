import type { FieldSource, Kind } from "./fields.ts";

/** Branches and conditions that one filter may have together; more is answered 400. */
export const FILTER_NODES_MAX = 50_000;

/**
 * Characters that a `like`, `ilike`, `contains` or `not-contains` may look for in a column, and that a name compared
 * without case may have. SQLite takes patterns of 50,000 bytes, and a letter with all its spellings is up to 12.
 */
export const PATTERN_CHARS_MAX = 4_000;

/** Characters that a `contains` may look for in a body; with ten times as many, preparing it alone takes a second. */
export const BODY_PATTERN_CHARS_MAX = 100_000;

/** A checked filter: runs of one operator are gathered into one junction, so it is never nested deeper than needed. */
export type FilterTree = Term | Junction;
export type Term = All | Nothing | Condition;

export interface All {
  readonly kind: "all";
}

export interface Nothing {
  readonly kind: "nothing";
}

export interface Junction {
  readonly kind: "and" | "or";
  /** At least one; none of them is a junction of the same kind. */
  readonly terms: readonly FilterTree[];
}

export interface Condition {
  readonly kind: "condition";
  /** The field with its group, such as `request_response_rmt.model`. */
  readonly label: string;
  readonly source: FieldSource;
  readonly valueKind: Kind;
  /** The name inside an object-valued field such as `properties`. */
  readonly name: string | undefined;
  readonly operator: string;
  /** Checked against the kind; timestamps are milliseconds since 1970, possibly with a fraction. */
  readonly value: string | number | boolean | null;
}

export const ALL: All = { kind: "all" };
export const NOTHING: Nothing = { kind: "nothing" };

/** Both trees; either may be "all". */
export function both(left: FilterTree, right: FilterTree): FilterTree {
  const terms = [left, right].flatMap((tree) => (tree.kind === "and" ? tree.terms : tree.kind === "all" ? [] : [tree]));
  return terms.length === 0 ? ALL : terms.length === 1 ? terms[0]! : { kind: "and", terms };
}

/** A condition of Weir's own on a column of the row, which need not be a field. */
export function onColumn(
  column: string,
  valueKind: Kind,
  operator: "equals" | "gte" | "lte",
  value: string | number,
): Condition {
  const source = { from: "row", sql: `r.${column}` } as const;
  return { kind: "condition", label: column, source, valueKind, name: undefined, operator, value };
}

/** A column that is text and has one of some values. */
export function isAmong(column: string, values: readonly string[]): FilterTree {
  const terms = [...new Set(values)].map((value) => onColumn(column, "text", "equals", value));
  return terms.length === 0 ? NOTHING : terms.length === 1 ? terms[0]! : { kind: "or", terms };
}

/** The terms that all must hold. */
export function conjuncts(tree: FilterTree): readonly FilterTree[] {
  return tree.kind === "and" ? tree.terms : [tree];
}

export function isJunction(tree: FilterTree): tree is Junction {
  return tree.kind === "and" || tree.kind === "or";
}

/** Every condition of a tree, without recursion: trees come 25,000 levels deep. */
export function* conditionsOf(tree: FilterTree): Generator<Condition> {
  const pending: FilterTree[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === "condition") yield node;
    else if (isJunction(node)) for (const term of node.terms) pending.push(term);
  }
}
