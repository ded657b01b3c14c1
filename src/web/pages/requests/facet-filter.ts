import type { FilterCondition, FilterGroup, FilterNode } from "../../filter/model.ts";

/** What requests are counted by, and which condition a value of it is. */
export interface Facet {
  readonly label: string;
  /** The API's name of it. */
  readonly group: string;
  /** Id of a `FilterField`. */
  readonly field: string;
  /** Of a property; else empty. */
  readonly name: string;
  /** Whether values can be searched for a part of them. */
  readonly isText: boolean;
}

/** Null stands for requests without a value. */
export type FacetValue = string | number | null;

const facet = (label: string, group: string, isText = true): Facet => ({
  ...{ label, group, field: group, name: "", isText },
});

export const FACETS: readonly Facet[] = [
  facet("Status", "status", false),
  facet("Outcome", "outcome"),
  facet("Model", "model"),
  facet("Provider", "provider"),
  facet("User", "user"),
  facet("Service key", "key"),
  facet("Finish reason", "finish_reason"),
  facet("Error code", "error_code"),
  facet("Route", "route"),
  facet("Credential", "credential"),
];

export const propertyFacet = (name: string): Facet => ({
  label: name,
  group: `property:${name}`,
  field: "property",
  name,
  isText: true,
});

/** The conditions that all hold; an "any" is one of them. */
const termsOf = (filter: FilterGroup): readonly FilterNode[] =>
  filter.operator === "or" && filter.nodes.length > 1 ? [filter] : filter.nodes;

const all = (nodes: readonly FilterNode[]): FilterGroup => ({ kind: "group", operator: "and", nodes });

function isValueOf(node: FilterNode, { field, name }: Facet): node is FilterCondition {
  if (node.kind !== "condition" || node.field !== field || node.name !== name) return false;
  return node.operator === "equals" || node.operator === "missing";
}

/** Whether a term chooses values of a facet, and does nothing else. */
const isChoiceOf = (node: FilterNode, of: Facet): boolean =>
  isValueOf(node, of) ||
  (node.kind === "group" &&
    node.operator === "or" &&
    node.nodes.length > 0 &&
    node.nodes.every((each) => isValueOf(each, of)));

/** Values of a facet that the filter lets through; none where it lets all through. */
export function chosenValues(filter: FilterGroup, of: Facet): readonly FacetValue[] {
  const choice = termsOf(filter).find((node) => isChoiceOf(node, of));
  if (choice === undefined) return [];
  const conditions = (choice.kind === "group" ? choice.nodes : [choice]) as readonly FilterCondition[];
  return conditions.map(({ operator, value }) => (operator === "missing" ? null : (value as FacetValue)));
}

/** The filter without what it chooses of a facet: over these requests its values are counted. */
export const withoutChoice = (filter: FilterGroup, of: Facet): FilterGroup => {
  const terms = termsOf(filter);
  const choice = terms.find((node) => isChoiceOf(node, of));
  return choice === undefined ? filter : all(terms.filter((node) => node !== choice));
};

/** The same, for those values alone that contain a text. */
export const withSearch = (filter: FilterGroup, of: Facet, text: string): FilterGroup => {
  const { field, name } = of;
  const contains: FilterCondition = { kind: "condition", field, name, operator: "contains", value: text };
  return all([...termsOf(withoutChoice(filter, of)), contains]);
};

/** The filter with one value more, or less, of a facet. */
export function withToggled(filter: FilterGroup, of: Facet, value: FacetValue): FilterGroup {
  const chosen = chosenValues(filter, of);
  const values = chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
  const conditions = values.map((each): FilterCondition => {
    const { field, name } = of;
    return each === null
      ? { kind: "condition", field, name, operator: "missing", value: "" }
      : { kind: "condition", field, name, operator: "equals", value: each };
  });
  const terms = termsOf(filter);
  const at = terms.findIndex((node) => isChoiceOf(node, of));
  const choice: readonly FilterNode[] =
    conditions.length > 1 ? [{ kind: "group", operator: "or", nodes: conditions }] : conditions;
  return all(at === -1 ? [...terms, ...choice] : [...terms.slice(0, at), ...choice, ...terms.slice(at + 1)]);
}
