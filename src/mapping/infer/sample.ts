import type { Json, StreamEvent } from "../../plugin-host/contract.ts";

/** One recorded exchange to learn from. */
export interface Sample {
  readonly requestBody: Json;
  /** The complete response if it was not a stream. */
  readonly responseBody: Json;
  readonly events: readonly StreamEvent[] | undefined;
  readonly status: number;
}
