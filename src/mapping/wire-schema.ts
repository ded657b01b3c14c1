import type { ExchangeView, Json, Reading, StreamEvent, WireSchemaName } from "../plugin/contract.ts";
import type { LlmRequest, LlmResponse } from "../record/llm-schema.ts";

/**
 * A wire format that Weir reads by itself: where it is spoken, what its bodies look like, and what they say.
 *
 * Everything here is pure and never throws, whatever the JSON holds. Requests and answers are looked at apart, because
 * either may be missing, cut off, or no JSON.
 */
export interface WireSchema {
  readonly name: WireSchemaName;
  /** `llm_type` of its records. */
  readonly llmType: string;
  /** Paths, without query, at which it is spoken whoever the provider is. */
  readonly path: RegExp;
  /** Whether a request, or an answer or the first events of a stream, has this form. */
  readonly fits: (request: Json, answer: Json) => boolean;
  /** The object that the provider would have sent without streaming; `undefined` where no event says anything. */
  readonly fold: (events: readonly StreamEvent[]) => Json;
  /** What a whole or folded answer tells; failures are read by `errorOf` for all formats alike. */
  readonly readResponse: (body: Json, exchange: ExchangeView) => Reading;
  /** Last user message or prompt. */
  readonly promptText: (request: Json) => string | undefined;
  /** The answer's text; of several choices the first. */
  readonly completionText: (answer: Json) => string | undefined;
  /** Without `llm_type`, `provider` and `model`, which are the record's. */
  readonly llmRequest: (request: Json) => LlmRequest;
  readonly llmResponse: (answer: Json, request: Json) => LlmResponse;
  /** Its conversation is `messages`, and one of only `{ role, content }` says its content. */
  readonly plainMessages?: true;
  /** The answer's text where that is all that it says, found without reading all of it; `undefined` does not mean that it says nothing. */
  readonly plainAnswer?: (answer: Json) => string | undefined;
}
