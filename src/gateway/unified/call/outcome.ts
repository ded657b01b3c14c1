import type { Failure } from "../../../routing/failure.ts";
import type { Candidate, Walk } from "../../../routing/walk.ts";
import type { UpstreamEvents } from "../../../runtime/http/upstream.ts";
import type { Admitted } from "../../admitted.ts";
import type { GatewayParts } from "../../gateway-parts.ts";
import type { UnifiedWork } from "../unified-work.ts";
import type { Attempt } from "./attempt.ts";
import type { Responder } from "./responder.ts";

/** An attempt that failed before its response went to the client. */
export interface FailedOutcome {
  readonly failure: Failure;
  readonly attempt: Attempt;
  /** Raw pairs and bytes of the provider's response, if there was one. */
  readonly head: { readonly status: number; readonly headers: readonly string[] } | undefined;
  readonly bytes: Uint8Array;
  /** The body as text, for reading its message. */
  readonly body: string;
  /** Sends the failure to the client. */
  readonly deliver: () => void;
}

export interface ResponseOptions {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  readonly work: UnifiedWork;
  readonly walk: Walk;
  readonly events: UpstreamEvents;
  readonly attempt: Attempt;
  /** From 1. */
  readonly number: number;
  /** Earlier failures, such as `openai/gpt-5-mini: 429`. */
  readonly failures: readonly string[];
  readonly isPaused: () => boolean;
  /** Called once, asynchronously, if the response does not go to the client. */
  readonly onFailed: (outcome: FailedOutcome) => void;
  /** Called right before the head is sent, with who responds. */
  readonly onResponse?: ((responder: Responder, candidate: Candidate) => void) | undefined;
}
