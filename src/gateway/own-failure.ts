import { UpstreamError } from "../runtime/http/upstream.ts";
import type { Ending } from "./recording.ts";
import type { OwnResponse } from "./refusal.ts";

/** A failure with the gateway's own response, delivered to every request that shares the call. */
export class OwnFailure extends UpstreamError {
  readonly own: OwnResponse;
  readonly outcome: Ending["outcome"];

  constructor(own: OwnResponse, outcome: Ending["outcome"] = "refused") {
    super("broken", own.message);
    this.own = own;
    this.outcome = outcome;
  }
}
