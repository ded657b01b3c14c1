import { UpstreamError } from "../runtime/http/upstream.ts";
import type { Ending } from "./recording.ts";
import type { OwnAnswer } from "./refusal.ts";

/** A failure that the gateway answers in its own words, as it reaches everyone who shares the call. */
export class OwnFailure extends UpstreamError {
  readonly own: OwnAnswer;
  readonly outcome: Ending["outcome"];

  constructor(own: OwnAnswer, outcome: Ending["outcome"] = "refused") {
    super("broken", own.message);
    this.own = own;
    this.outcome = outcome;
  }
}
