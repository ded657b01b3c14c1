import { GatewayError } from "../errors.ts";
import type { FieldSource, Join } from "./fields.ts";
import type { Sort } from "./sort.ts";
import { conditionsOf, type FilterTree } from "./tree.ts";

/**
 * How much of a record somebody sees: all of it, or only its metrics, which is all but what was said. This file decides what
 * that leaves out; `selectRecords` and `listedRecords`, under everything that reads records, go by it.
 */
export type Sight = "bodies" | "figures";

/** Whose records somebody reads, and how much of them. */
export interface Reach {
  readonly organizationId: string;
  readonly sight: Sight;
}

/** Members of a record that tell what was said; a provider's error message may quote it. */
export const SAID_MEMBERS = [
  ...["input", "output", "error_message", "prompt_inputs", "assets", "asset_ids", "asset_urls", "signed_body_url"],
  ...["request_body", "response_body", "provider_request", "provider_response", "llmSchema"],
] as const;

const SAID_JOINS: readonly (Join | undefined)[] = ["texts", "excerpts"];

/** Whether a filter field or a sort key is about what was said. */
export function isSaid(source: FieldSource): boolean {
  if (source.from === "body" || source.from === "assets") return true;
  if (source.from === "properties") return source.kind === PROMPT_INPUTS;
  return source.from === "row" && SAID_JOINS.includes(source.needs);
}

const PROMPT_INPUTS = 1;

/** @throws GatewayError `insufficient_permission` where a query asks for what its caller does not see. */
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

/** Members of a record without those that somebody of this sight does not see. */
export function shownMembers<T extends object>(members: T, sight: Sight): Partial<T> {
  if (sight === "bodies") return members;
  const said: readonly string[] = SAID_MEMBERS;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !said.includes(name))) as Partial<T>;
}
