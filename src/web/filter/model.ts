import { formatTime } from "../parts/format.ts";
import { FIELD_BY_ID, FILTER_FIELDS, FILTER_OPERATORS, type FilterField } from "./fields.ts";
import { type FilterTree, type FilterValue, isBranch, join } from "./tree.ts";

/** A filter as people edit it: groups of any length, whereas the API has binary branches. */
export type FilterNode = FilterGroup | FilterCondition | Foreign;

export interface FilterGroup {
  readonly kind: "group";
  readonly operator: "and" | "or";
  readonly nodes: readonly FilterNode[];
}

export interface FilterCondition {
  readonly kind: "condition";
  readonly field: string;
  /** Name of a property or the like; empty for other fields. */
  readonly name: string;
  /** Id of a `FilterOperator`. */
  readonly operator: string;
  readonly value: FilterValue;
}

/** A leaf from a link that the builder cannot edit: it stays as it is. */
interface Foreign {
  readonly kind: "foreign";
  readonly leaf: unknown;
}

export const EMPTY_FILTER: FilterGroup = { kind: "group", operator: "and", nodes: [] };

/** Converts any tree that the API accepts, for editing. */
export function fromTree(tree: unknown): FilterGroup {
  const node = nodeOf(tree);
  if (node === undefined) return EMPTY_FILTER;
  return node.kind === "group" ? node : { kind: "group", operator: "and", nodes: [node] };
}

export function toTree(node: FilterNode): FilterTree {
  if (node.kind === "group") return join(node.operator, node.nodes.map(toTree));
  if (node.kind === "foreign") return node.leaf as FilterTree;
  return leafOf(node);
}

/** Whether the condition is complete enough to be sent. */
export function isComplete({ field, name, operator, value }: FilterCondition): boolean {
  const known = FIELD_BY_ID.get(field);
  if (known === undefined || (known.named !== undefined && name === "")) return false;
  if (operatorOf(known, operator)?.fixed === null) return true;
  if (known.kind === "number") return typeof value === "number" && Number.isFinite(value);
  return typeof value === "boolean" || (typeof value === "string" && value !== "");
}

/** As text: `User is alice`. */
export function conditionText({ field, name, operator, value }: FilterCondition): string {
  const known = FIELD_BY_ID.get(field)!;
  const chosen = operatorOf(known, operator);
  const subject = known.named === undefined ? known.label : `${known.label} ${name}`;
  return chosen?.fixed === null
    ? `${subject} ${chosen.label}`
    : `${subject} ${chosen?.label} ${valueText(known, value)}`;
}

function valueText({ kind, unit }: FilterField, value: FilterValue): string {
  if (kind === "boolean") return value === true ? "yes" : "no";
  if (kind === "time" && typeof value === "string" && !Number.isNaN(Date.parse(value))) return formatTime(value);
  return unit === undefined ? String(value) : `${value} ${unit}`;
}

export function nodeText(node: FilterNode): string {
  if (node.kind === "condition") return conditionText(node);
  if (node.kind === "foreign") return JSON.stringify(node.leaf);
  return `(${node.nodes.map(nodeText).join(node.operator === "and" ? " and " : " or ")})`;
}

export function operatorOf(field: FilterField, id: string) {
  return FILTER_OPERATORS[field.kind].find((each) => each.id === id);
}

function leafOf({ field, name, operator, value }: FilterCondition): FilterTree {
  const known = FIELD_BY_ID.get(field)!;
  const { wire, fixed } = operatorOf(known, operator)!;
  const steps = [...known.path.filter((step) => step !== undefined), ...(known.named === undefined ? [] : [name])];
  const condition: unknown = { [wire]: fixed === null ? null : value };
  return steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), condition) as FilterTree;
}

function nodeOf(tree: unknown): FilterNode | undefined {
  if (tree === "all" || !isObject(tree)) return undefined;
  if (!isBranch(tree)) return conditionsOf(tree);
  const { operator } = tree;
  const nodes = [tree.left, tree.right]
    .map(nodeOf)
    .filter((node) => node !== undefined)
    .flatMap((node) => (node.kind === "group" && node.operator === operator ? node.nodes : [node]));
  return nodes.length === 1 ? nodes[0] : { kind: "group", operator, nodes };
}

/** The conditions of a leaf, which must all hold; a single node if there is only one. */
function conditionsOf(leaf: object): FilterNode {
  const found = Object.entries(leaf).flatMap(([group, fields]) =>
    FILTER_FIELDS.filter(({ path }) => path[0] === group).flatMap((field) => conditionsIn(field, fields)),
  );
  const counted = Object.values(leaf).reduce<number>((sum, fields) => sum + leaves(fields), 0);
  if (found.length === 0 || found.length !== counted) return { kind: "foreign", leaf };
  return found.length === 1 ? found[0]! : { kind: "group", operator: "and", nodes: found };
}

function conditionsIn(field: FilterField, fields: unknown): FilterCondition[] {
  const [, name] = field.path;
  const inside = name === undefined ? fields : member(fields, name);
  if (field.named === undefined) return operatorsIn(field, "", inside);
  return Object.entries(isObject(inside) ? inside : {}).flatMap(([key, each]) => operatorsIn(field, key, each));
}

function operatorsIn(field: FilterField, name: string, inside: unknown): FilterCondition[] {
  return Object.entries(isObject(inside) ? inside : {}).flatMap(([wire, value]) => {
    const operators = FILTER_OPERATORS[field.kind];
    const fit = operators.find((each) => each.wire === wire && (each.fixed === null) === (value === null));
    return fit === undefined
      ? []
      : [{ kind: "condition" as const, field: field.id, name, operator: fit.id, value: value as FilterValue }];
  });
}

function leaves(value: unknown): number {
  return isObject(value) ? Object.values(value).reduce<number>((sum, each) => sum + leaves(each), 0) : 1;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
