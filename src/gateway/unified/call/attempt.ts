import type { FetchedFiles } from "../../../mapping/translate/addresses.ts";
import type { CallMemories } from "../../../mapping/translate/call-memory.ts";
import type { RequestChange } from "../../../plugin-host/contract.ts";
import type { Candidate } from "../../../routing/walk.ts";
import type { UpstreamRequest } from "../../../runtime/http/upstream.ts";
import type { Converted } from "../../../unified/converted.ts";
import type { Outbound } from "../../../unified/outbound.ts";
import type { Admitted } from "../../admitted.ts";
import type { GatewayParts, RoutingParts } from "../../gateway-parts.ts";
import type { UnifiedWork } from "../unified-work.ts";
import type { Way } from "./call-plan.ts";
import type { CountedCall } from "./counted-call.ts";

/** A request that can be sent. */
export type Sendable = Extract<Outbound, { readonly kind: "same" | "translated" }> | Converted;

/** The result of writing a request for a candidate. */
export type Written =
  | Outbound
  | Converted
  /** Weir's own count, for a provider without one. */
  | { readonly kind: "estimate"; readonly tokens: number };

/** Whether the events of a stream are read here, rather than passed on as they are. */
export const readsStream = (sent: Sendable): boolean =>
  sent.kind === "translated" || (sent.kind === "same" && (sent.addsUsage || sent.at.place?.frames !== undefined));

/** A call that is ready to be made. */
export interface Attempt {
  readonly counted: CountedCall;
  /** Milliseconds spent translating the request. */
  readonly writtenMs: number;
  readonly candidate: Candidate;
  readonly issuer: string;
  /** The secrets in the request: a provider's error may repeat them. */
  readonly secrets: readonly string[];
  readonly outbound: Sendable;
  readonly request: UpstreamRequest;
  /** Further requests of a call that needs several. */
  readonly further: readonly UpstreamRequest[];
  readonly way: Way;
  /** For the record: path and query, without credentials. */
  readonly path: string;
}

/** The inputs for a candidate's body. */
export interface WriteParts {
  readonly parts: RoutingParts;
  readonly admitted: Pick<Admitted, "headers">;
  readonly work: UnifiedWork;
  readonly states: CallMemories;
  /** The turns before the body's own input, if the candidate cannot look them up. */
  readonly turns?: string | undefined;
  /** Files fetched so far; undefined if file fetching is off. */
  readonly files?: FetchedFiles | undefined;
  /** Members that the provider has reported as unsupported. */
  readonly without: readonly string[];
  /** The issuer whose state may be sent, if not the candidate's own. */
  readonly issuer: string | undefined;
  /** Plugins' changes to it. */
  readonly change: RequestChange | undefined;
}

export interface AttemptParts extends WriteParts {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  /** The client's own key, if it serves this candidate. */
  readonly ownKey: string | undefined;
}
