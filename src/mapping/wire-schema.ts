import type { ExchangeView, Json, Reading, StreamEvent, WireSchemaName } from "../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../record/llm-schema.ts";

/**
 * A wire format that Weir can read: its paths, how to recognize its bodies, and how to read them.
 *
 * Everything here is pure and never throws, for any JSON. Requests and responses are read separately, because either may be
 * missing, truncated, or not JSON.
 */
export interface WireSchema {
  readonly name: WireSchemaName;
  /** Value of `llm_type` in its records. */
  readonly llmType: string;
  /** Paths that use it, without query, for every provider. */
  readonly path: RegExp;
  /** Whether a request, or a response, or the first events of a stream, have this form. */
  readonly fits: (request: Json, response: Json) => boolean;
  /** The object that the provider would have sent without streaming; `undefined` if no event has content. */
  readonly fold: (events: readonly StreamEvent[]) => Json;
  /** The reading of a complete or folded response; `errorOf` reads the failures of all formats. */
  readonly readResponse: (body: Json, exchange: ExchangeView) => Reading;
  /** Last user message or prompt. */
  readonly promptText: (request: Json) => string | undefined;
  /** The response's text; with several choices, that of the first. */
  readonly completionText: (response: Json) => string | undefined;
  /** Without `llm_type`, `provider` and `model`, which come from the record. */
  readonly llmRequest: (request: Json) => LlmRequest;
  readonly llmResponse: (response: Json, request: Json) => LlmResponse;
  /** Its conversation is in `messages`, and a message with only `{ role, content }` consists of its content. */
  readonly plainMessages?: true;
  /** The response's text if there is nothing else, found without a full read; `undefined` does not mean that it is empty. */
  readonly plainResponse?: (response: Json) => string | undefined;
}
