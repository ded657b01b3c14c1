import type { CallMemories } from "../../../mapping/translate/call-memory.ts";
import type { ModelFacts } from "../../../plugin-host/contract.ts";
import { callIdsIn } from "../../../unified/call-states.ts";
import type { GatewayParts, RoutingParts } from "../../gateway-parts.ts";
import type { UnifiedWork } from "../unified-work.ts";
import { inTime } from "./recorded.ts";

/** How long a request waits for state that only records hold: it can continue without. */
const WAIT_MS = 1_000;
/** Maximum ids per query of the records; the latest calls count most. */
const IDS_MAX = 500;

type States = CallMemories;

/** State of the calls in a body, from memory. */
export function statesInMemory({ unified }: RoutingParts, organizationId: string, body: Uint8Array): States {
  const { callStates } = unified;
  return callStates.isEmpty ? {} : callStates.of(organizationId, callIdsIn(textOf(body)));
}

/** Whether the model refuses calls whose state is missing. In chat completions a client keeps reasoning that has none. */
export function needsStates(facts: ModelFacts, { admission: { endpoint }, description }: UnifiedWork): boolean {
  if (facts.needsSignatures === true) return true;
  const isChat = "shape" in endpoint && endpoint.shape === "chat-completions";
  if (facts.reasoningMember !== undefined && !isChat) return true;
  return facts.reasoning === "budget" && description.needs.includes("reasoning");
}

/**
 * Like `statesInMemory`, for a model that requires state: what memory lacks, for example after a restart or from another node,
 * is read from the records.
 *
 * @param turns - JSON of the previous turns.
 */
export async function statesOf(
  { unified, log }: GatewayParts,
  organizationId: string,
  { body, turns = "" }: { readonly body: Uint8Array; readonly turns: string | undefined },
): Promise<States> {
  const { callStates, recorded } = unified;
  const ids = callIdsIn(turns + textOf(body));
  const unknown = callStates.unknown(organizationId, ids).slice(-IDS_MAX);
  if (unknown.length > 0) {
    try {
      const found = await inTime(recorded.callStates({ organizationId, callIds: unknown }), WAIT_MS);
      callStates.note(organizationId, new Map(Object.entries(found)));
      callStates.noteMissed(
        organizationId,
        unknown.filter((id) => !Object.hasOwn(found, id)),
      );
    } catch {
      log.warn("the state of a conversation's calls could not be read; it continues without");
    }
  }
  return callStates.of(organizationId, ids);
}

/** Ids are ASCII: one character per byte is enough to find them. */
const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
