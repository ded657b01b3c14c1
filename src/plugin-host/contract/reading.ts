import type { Json } from "./json.ts";

/**
 * Token counts of one exchange. A missing member means "not reported", which differs from 0.
 *
 * `prompt_tokens` is all input and `completion_tokens` all output: cached, audio and reasoning tokens are included.
 */
export interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_cache_read_tokens?: number;
  /** All tokens written to a cache, for any lifetime. */
  readonly prompt_cache_write_tokens?: number;
  /** The part of `prompt_cache_write_tokens` that is kept for an hour, which costs more. */
  readonly prompt_cache_write_1h_tokens?: number;
  readonly prompt_audio_tokens?: number;
  readonly completion_audio_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** The facts of an exchange besides its bodies. `headers` never hold credentials. */
export interface ExchangeView {
  readonly method: string;
  /** Path and query as sent, credentials masked. */
  readonly path: string;
  /** Host of the target, lower case, without port. */
  readonly host: string;
  readonly requestHeaders: Headers;
  /** The request body, if it is JSON. */
  readonly requestBody: Json;
  /** Status that the provider sent. */
  readonly status: number;
  readonly responseHeaders: Headers;
}

export interface RequestReading {
  readonly model?: string;
  readonly stream?: boolean;
  /** The end user that the body names. */
  readonly userId?: string;
}

/** The content of a provider's response. */
export interface Reading {
  /** The provider's own id of the response. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The usage block as sent. */
  readonly usageRaw?: Json;
  /** US dollars, if the provider states the cost itself. */
  readonly cost?: number;
  /** Why the response ended, in the provider's own term; `finish_reason` of the record. */
  readonly finishReason?: string;
  /** A failure that the response reports, also inside a stream whose status was 200. */
  readonly error?: { readonly message: string; readonly type?: string };
}

/** The state of a stream while it is folded: `body` is the object that the provider would have sent without streaming. */
export interface StreamReading extends Reading {
  readonly body?: Json;
}

/** One event of a stream: SSE, a line of NDJSON, an element of a JSON array or a message of an AWS event stream. */
export interface StreamEvent {
  /** SSE `event:` or the event stream's `:event-type`. */
  readonly name?: string;
  /** The event's data if it is JSON, otherwise its text. */
  readonly data: Json;
}
