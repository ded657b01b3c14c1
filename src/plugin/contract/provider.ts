import type { Endpoints } from "./endpoint.ts";
import type { Json } from "./json.ts";
import type { BodyMapping } from "./mapping.ts";
import type { ExchangeView, Reading, RequestReading, StreamEvent, StreamReading, Usage } from "./reading.ts";

/** Families of wire formats that Weir reads by itself; a provider says at which of its paths it speaks which. */
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
  /** Other names that `Gateway-Target-Provider` may use, lower case; `-`, `_`, `.` and spaces in them do not count. */
  readonly aliases?: readonly string[];
  /** Host names of its targets, `*.` standing for one or more leading labels. They are approved from the start. */
  readonly hosts?: readonly string[];
  /** Origin that its own gateway address forwards to. */
  readonly target?: string;
  /** First label of its own gateway address. */
  readonly dedicatedDomain?: string;
  /** Another provider, by name: what this one leaves out is read as that one reads it. */
  readonly extends?: string;
  /**
   * Tried in order, before those of the provider that it extends; the first whose path fits is used, and where several
   * do, the first whose bodies fit, else the last.
   */
  readonly wireSchemas?: readonly PathSchema[];
  /**
   * How bodies of a format of its own are read, at every path that `wireSchemas` does not name and where the bodies fit. It
   * goes before what is guessed and before what the mapper has learnt.
   */
  readonly mapping?: BodyMapping;
  /** Credentials of its own beside the usual ones, lower case. Their values are never stored. */
  readonly mask?: { readonly headers?: readonly string[]; readonly query?: readonly string[] };
  /** Overrides what the wire schema reads from the request. */
  readonly readRequest?: (body: Json, exchange: ExchangeView) => RequestReading;
  /** Overrides what the wire schema reads from a whole answer; members that are missing stay as read. */
  readonly readResponse?: (body: Json, exchange: ExchangeView) => Reading;
  /** Overrides what the wire schema reads from a stream: called once per event, in order. */
  readonly readEvent?: (reading: StreamReading, event: StreamEvent, exchange: ExchangeView) => StreamReading;
  /** US dollars for one exchange, or null where the price is not known. */
  readonly cost?: (usage: Usage, model: string, exchange: ExchangeView) => number | null;
}
