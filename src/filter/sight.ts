import { GatewayError } from "../errors.ts";
import type { FieldSource, Join } from "./fields.ts";
import type { Sort } from "./sort.ts";
import { conditionsOf, type FilterTree } from "./tree.ts";

/**
 * How much of a record a caller sees: everything, or only its metrics, which is everything except conversation content. This
 * file defines the difference; `selectRecords` and `listedRecords`, through which all reads of records go, apply it.
 */
export type Sight = "bodies" | "figures";

/** Whose records a caller reads, and how much of them. */
export interface Reach {
  readonly organizationId: string;
  readonly sight: Sight;
}

/** Members of a record with conversation content; a provider's error message may quote it. */
export const SAID_MEMBERS = [
  ...["input", "output", "error_message", "prompt_inputs", "assets", "asset_ids", "asset_urls", "signed_body_url"],
  ...["request_body", "response_body", "provider_request", "provider_response", "llmSchema"],
] as const;

const SAID_JOINS: readonly (Join | undefined)[] = ["texts", "excerpts"];

/** Whether a filter field or a sort key is about conversation content. */
export function isSaid(source: FieldSource): boolean {
  if (source.from === "body" || source.from === "assets") return true;
  if (source.from === "properties") return source.kind === PROMPT_INPUTS;
  return source.from === "row" && SAID_JOINS.includes(source.needs);
}

const PROMPT_INPUTS = 1;

/** @throws GatewayError `insufficient_permission` if a query uses something that its caller may not see. */
export function refuseSaid(sight: Sight | undefined, tree: FilterTree, sort: Sort = []): void {
  if (sight !== "figures") return;
  for (const { label, source } of conditionsOf(tree)) {
    if (isSaid(source)) throw lacksBodies(`the filter "${label}"`, "filter");
  }
  if (sort === "random") return;
  const said = sort.find(({ label, needs }) => SAID_JOINS.includes(needs) || label.startsWith("values."));
  if (said !== undefined) throw lacksBodies(`sorting by "${said.label}"`, `sort.${said.label}`);
}

export function lacksBodies(what: string, path: string): GatewayError {
  return new GatewayError("insufficient_permission", `${what} needs the permission bodies`, { path });
}

/** The members of a record that are visible with this sight. */
export function shownMembers<T extends object>(members: T, sight: Sight): Partial<T> {
  if (sight === "bodies") return members;
  const said: readonly string[] = SAID_MEMBERS;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !said.includes(name))) as Partial<T>;
}
