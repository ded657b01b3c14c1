import { type FilterLeaf, type FilterTree, join } from "../filter/tree.ts";
import type { Span } from "./range.ts";
import type { Group } from "./series.ts";

export type FilterNode = FilterTree;
export type Leaf = FilterLeaf;

/** A condition as the API takes it, on a field of the usual group. */
export const leaf = (field: string, condition: unknown): Leaf => ({ request_response_rmt: { [field]: condition } });

export const ofSession = (field: string, condition: unknown): Leaf => ({
  sessions_request_response_rmt: { [field]: condition },
});

/** All of them; what is undefined or "all" asks nothing. */
export function and(...nodes: readonly (FilterNode | undefined)[]): FilterNode {
  return join(
    "and",
    nodes.filter((node) => node !== undefined),
  );
}

export function or(...nodes: readonly FilterNode[]): FilterNode {
  return join("or", nodes);
}

/** Requests that began within the span. */
export function within({ from, to }: Span): FilterNode {
  return and(
    leaf("request_created_at", { gte: new Date(from).toISOString() }),
    leaf("request_created_at", { lt: new Date(to).toISOString() }),
  );
}

const FIELDS: Readonly<Record<string, string>> = {
  model: "model",
  provider: "provider",
  user: "user_id",
  status: "status",
};
const PROPERTY = "property:";

/** Requests of one group of the API's metrics. */
export function ofGroup(key: string, { value }: Group): FilterNode {
  if (key === "session") return ofSession("session_session_id", { equals: value });
  if (key.startsWith(PROPERTY)) return leaf("properties", { [key.slice(PROPERTY.length)]: { equals: value } });
  return leaf(FIELDS[key] ?? key, { equals: value });
}

export const propertyOf = (key: string): string | undefined =>
  key.startsWith(PROPERTY) ? key.slice(PROPERTY.length) : undefined;

export const propertyKey = (name: string): string => `${PROPERTY}${name}`;
