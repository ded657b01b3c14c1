import { and, during, type FilterTree, leaf, ofSession } from "../filter/tree.ts";
import { isoSpan, type Span } from "./range.ts";
import type { Group } from "./series.ts";

/** Requests that began within the span. */
export const within = (span: Span): FilterTree => during(isoSpan(span));

/** A request that Weir itself refused does not count as an error. */
export const REFUSED = leaf("outcome", { equals: "refused" });
export const ERRORS = and(leaf("status", { gte: 400 }), leaf("outcome", { "not-equals": "refused" }));

const FIELDS: Readonly<Record<string, string>> = {
  model: "model",
  provider: "provider",
  user: "user_id",
  status: "status",
  key: "gateway_user",
  prompt: "prompt_id",
};
const PROPERTY = "property:";

/** Requests that have a score with this name. */
export const scored = (name: string): FilterTree => leaf("scores", { [name]: { "not-equals": null } });

/** Requests of one group of the API's metrics. */
export function ofGroup(key: string, { value }: Group): FilterTree {
  if (key === "session") return ofSession("session_session_id", { equals: value });
  if (key.startsWith(PROPERTY)) return leaf("properties", { [key.slice(PROPERTY.length)]: { equals: value } });
  return leaf(FIELDS[key] ?? key, { equals: value });
}

export const propertyOf = (key: string): string | undefined =>
  key.startsWith(PROPERTY) ? key.slice(PROPERTY.length) : undefined;

export const propertyKey = (name: string): string => `${PROPERTY}${name}`;
