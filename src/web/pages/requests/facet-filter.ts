import type { FilterCondition, FilterGroup, FilterNode } from "../../filter/model.ts";

/** A dimension by which requests are counted, and the condition for one of its values. */
export interface Facet {
  readonly label: string;
  /** The API's name of it. */
  readonly group: string;
  /** Id of a `FilterField`. */
  readonly field: string;
  /** The property's name; otherwise empty. */
  readonly name: string;
  /** Whether values can be searched by substring. */
  readonly isText: boolean;
}

/** Null means requests without a value. */
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
  { ...facet("Prompt", "prompt"), field: "prompt_id" },
  facet("Prompt version", "prompt_version"),
];

export const propertyFacet = (name: string): Facet => ({
  label: name,
  group: `property:${name}`,
  field: "property",
  name,
  isText: true,
});

/** The conditions that must all hold; an "any" is one of them. */
const termsOf = (filter: FilterGroup): readonly FilterNode[] =>
  filter.operator === "or" && filter.nodes.length > 1 ? [filter] : filter.nodes;

const all = (nodes: readonly FilterNode[]): FilterGroup => ({ kind: "group", operator: "and", nodes });

function isValueOf(node: FilterNode, { field, name }: Facet): node is FilterCondition {
  if (node.kind !== "condition" || node.field !== field || node.name !== name) return false;
  return node.operator === "equals" || node.operator === "missing";
}

/** Whether a term only selects values of a facet. */
const isChoiceOf = (node: FilterNode, of: Facet): boolean =>
  isValueOf(node, of) ||
  (node.kind === "group" &&
    node.operator === "or" &&
    node.nodes.length > 0 &&
    node.nodes.every((each) => isValueOf(each, of)));

/** The values of a facet that the filter selects; empty if it does not restrict the facet. */
export function chosenValues(filter: FilterGroup, of: Facet): readonly FacetValue[] {
  const choice = termsOf(filter).find((node) => isChoiceOf(node, of));
  if (choice === undefined) return [];
  const conditions = (choice.kind === "group" ? choice.nodes : [choice]) as readonly FilterCondition[];
  return conditions.map(({ operator, value }) => (operator === "missing" ? null : (value as FacetValue)));
}

/** The filter without its selection for a facet: the facet's values are counted over these requests. */
export const withoutChoice = (filter: FilterGroup, of: Facet): FilterGroup => {
  const terms = termsOf(filter);
  const choice = terms.find((node) => isChoiceOf(node, of));
  return choice === undefined ? filter : all(terms.filter((node) => node !== choice));
};

/** The filter, restricted to the facet's values that contain a text. */
export const withSearch = (filter: FilterGroup, of: Facet, text: string): FilterGroup => {
  const { field, name } = of;
  const contains: FilterCondition = { kind: "condition", field, name, operator: "contains", value: text };
  return all([...termsOf(withoutChoice(filter, of)), contains]);
};

/** The filter with one value of a facet added or removed. */
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
