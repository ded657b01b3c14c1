import type { Endpoints } from "./endpoint.ts";
import type { Json } from "./json.ts";
import type { BodyMapping } from "./mapping.ts";
import type { ExchangeView, Reading, RequestReading, StreamEvent, StreamReading, Usage } from "./reading.ts";

/** Wire formats that Weir reads by itself; a provider maps its paths to them. */
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
  /** Regular expression on the path without its query string. */
  readonly path: RegExp;
  readonly schema: WireSchemaName;
}

/**
 * A provider: plain data and pure functions. It holds no state, because it is loaded in more than one thread.
 */
export interface ProviderPlugin extends Endpoints {
  readonly apiVersion: 1;
  /** Upper case; the `provider` of its records. */
  readonly name: string;
  /** Other names that `Gateway-Target-Provider` may use, lower case; `-`, `_`, `.` and spaces are ignored. */
  readonly aliases?: readonly string[];
  /** Host names of its targets, `*.` standing for one or more leading labels. They are approved from the start. */
  readonly hosts?: readonly string[];
  /** Origin that its own gateway address forwards to. */
  readonly target?: string;
  /** First label of its own gateway address. */
  readonly dedicatedDomain?: string;
  /** Another provider, by name, whose reading this one inherits. */
  readonly extends?: string;
  /**
   * Tried in order, before those of the extended provider; the first whose path matches is used, and if several
   * match, the first whose bodies match, else the last.
   */
  readonly wireSchemas?: readonly PathSchema[];
  /**
   * The mapping of its own body format, at every path that `wireSchemas` does not name, if the bodies match. It
   * has precedence over guesses and learnt mappings.
   */
  readonly mapping?: BodyMapping;
  /** Additional credentials, lower case. Their values are never stored. */
  readonly mask?: { readonly headers?: readonly string[]; readonly query?: readonly string[] };
  /** Overrides the wire schema's reading of the request. */
  readonly readRequest?: (body: Json, exchange: ExchangeView) => RequestReading;
  /** Overrides the wire schema's reading of a complete response; missing members stay as read. `usage` is one member: it is replaced whole. */
  readonly readResponse?: (body: Json, exchange: ExchangeView) => Reading;
  /** Overrides the wire schema's reading of a stream: called once per event, in order. */
  readonly readEvent?: (reading: StreamReading, event: StreamEvent, exchange: ExchangeView) => StreamReading;
  /** US dollars for one exchange, or null if the price is unknown. */
  readonly cost?: (usage: Usage, model: string, exchange: ExchangeView) => number | null;
}
