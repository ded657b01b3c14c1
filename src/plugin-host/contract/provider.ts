import type { Endpoints } from "./endpoint.ts";
import type { Json } from "./json.ts";
import type { BodyMapping } from "./mapping.ts";
import type { ExchangeView, Reading, RequestReading, StreamEvent, StreamReading, Usage } from "./reading.ts";

/** Wire formats that Weir can read; a provider maps its paths to them. */
export type WireSchemaName =
  | "chat-completions"
  | "responses"
  | "completions"
  | "embeddings"
  | "images"
  | "speech"
  | "transcriptions"
  | "moderations"
  | "messages"
  | "generate-content"
  | "interactions"
  | "converse"
  | "cohere-chat"
  | "cohere-generate"
  | "ollama-chat"
  | "ollama-generate"
  | "text-generation"
  | "rerank"
  | "logged";

export interface PathSchema {
  /** Regular expression for the path without its query string. */
  readonly path: RegExp;
  readonly schema: WireSchemaName;
}

/**
 * A provider: plain data and pure functions. It holds no state, because it is loaded in more than one thread.
 */
export interface ProviderPlugin extends Endpoints {
  readonly apiVersion: 1;
  /** Upper case; the value of `provider` in its records. */
  readonly name: string;
  /** Other names that `Gateway-Target-Provider` may use, lower case; `-`, `_`, `.` and spaces are ignored. */
  readonly aliases?: readonly string[];
  /** Host names of its targets; `*.` matches one or more leading labels. They are approved from the start. */
  readonly hosts?: readonly string[];
  /** Origin to which its own gateway address forwards. */
  readonly target?: string;
  /** First label of its own gateway address. */
  readonly dedicatedDomain?: string;
  /** Name of another provider, whose reading this one inherits. */
  readonly extends?: string;
  /**
   * Tried in order, before those of the extended provider. The first whose path matches is used; if several paths match, the
   * first whose bodies match, otherwise the last.
   */
  readonly wireSchemas?: readonly PathSchema[];
  /**
   * The mapping of the provider's own body format: used at every path that `wireSchemas` does not list, if the bodies match.
   * It takes precedence over guessed and learnt mappings.
   */
  readonly mapping?: BodyMapping;
  /** Additional credential headers and query parameters, lower case. Their values are never stored. */
  readonly mask?: { readonly headers?: readonly string[]; readonly query?: readonly string[] };
  /** Overrides the wire schema's reading of the request. */
  readonly readRequest?: (body: Json, exchange: ExchangeView) => RequestReading;
  /**
   * Overrides the wire schema's reading of a complete response; missing members stay as read. `usage` is one member: it is
   * replaced as a unit.
   */
  readonly readResponse?: (body: Json, exchange: ExchangeView) => Reading;
  /** Overrides the wire schema's reading of a stream: called once per event, in order. */
  readonly readEvent?: (reading: StreamReading, event: StreamEvent, exchange: ExchangeView) => StreamReading;
  /** US dollars for one exchange; null if the price is unknown. */
  readonly cost?: (usage: Usage, model: string, exchange: ExchangeView) => number | null;
}
