import { GatewayError } from "../../../errors.ts";
import type { Json } from "../../../plugin-host/contract.ts";
import type { Candidate } from "../../../routing/walk.ts";
import type { UnifiedWork } from "../unified-work.ts";
import { shapeAt } from "./issuers-of.ts";

type ThreadWork = Pick<UnifiedWork, "description" | "admission">;

/** Whether a request has Anthropic's `thread`, and the candidate stores no conversations for it. */
function lacksThreads({ target }: Candidate, { description, admission: { endpoint } }: ThreadWork): boolean {
  if (description.thread === undefined || !("shape" in endpoint) || endpoint.shape !== "messages") return false;
  return shapeAt(target, "messages", false)?.threads !== true;
}

/**
 * Refuses the continuation of a thread for a candidate that does not store it: without the earlier turns it would respond to
 * something else. Clients then send the whole conversation, because a thread may end at any time.
 *
 * @throws GatewayError `thread_not_found`.
 */
export function requireThread(candidate: Candidate, work: ThreadWork): void {
  if (work.description.thread !== "create" && lacksThreads(candidate, work))
    throw new GatewayError("thread_not_found", undefined, { path: "thread" });
}

/** Removes the member where nothing stores the conversation, which it holds in full. */
export const threadChanges = (candidate: Candidate, work: ThreadWork): Readonly<Record<string, Json>> =>
  lacksThreads(candidate, work) ? { thread: null } : {};
