/**
 * Where things sit in bodies of a format that Weir does not know: JSON Pointers (RFC 6901), in which `*` stands for every
 * element of a list. It is what the mapper finds for a model, and what `GET /v1/models/<model>/mapping` shows.
 */
export interface BodyMapping {
  readonly format: 1;
  /** At least `messages` or `prompt`. */
  readonly request: MappedRequest;
  /** Of a whole response. At least here or in `stream` the `text`, or `tool_calls`. */
  readonly response?: MappedResponse;
  /** Of a stream: deltas from each event, all else from the members of all events together. */
  readonly stream?: MappedStream;
}

export interface MappedRequest {
  readonly model?: string;
  readonly messages?: MappedMessages;
  /** The prompt, or the newest message where `messages` holds what came before. */
  readonly prompt?: string;
  /** Instructions that stand apart. */
  readonly system?: string;
  readonly settings?: {
    readonly max_tokens?: string;
    readonly temperature?: string;
    readonly top_p?: string;
    readonly seed?: string;
    readonly stream?: string;
  };
  readonly tools?: {
    /** The tools, with `*` for each of them. */
    readonly list: string;
    /** These are from the tool. */
    readonly name: string;
    readonly description?: string;
    readonly parameters?: string;
  };
}

export interface MappedMessages {
  /** The messages, with `*` for each of them. */
  readonly list: string;
  /** From the message, as are the others; missing where users and the assistant take turns. */
  readonly role?: string;
  /** A message is `{ "<role>": "<text>" }`. */
  readonly role_is_name?: boolean;
  readonly text?: string;
  /** Role names of the wire to user, assistant, system, developer or tool. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly tool_calls?: MappedToolCalls;
}

export interface MappedToolCalls {
  readonly list: string;
  /** These are from the call. */
  readonly name: string;
  readonly arguments?: string;
  readonly id?: string;
}

interface MappedReading {
  readonly model?: string;
  /** The provider's id of the response. */
  readonly id?: string;
  readonly usage?: {
    /** All input, or what of it is in no other part. */
    readonly prompt_tokens?: string;
    readonly completion_tokens?: string;
    readonly total_tokens?: string;
    readonly prompt_cache_read_tokens?: string;
    readonly reasoning_tokens?: string;
  };
  /** US dollars, as the provider states them. */
  readonly cost?: string;
  readonly tool_calls?: MappedToolCalls;
  readonly error?: { readonly message: string; readonly type?: string };
}

export interface MappedResponse extends MappedReading {
  /** Several values are joined. */
  readonly text?: string;
  readonly reasoning?: string;
}

export interface MappedStream extends MappedReading {
  readonly text?: MappedDelta;
  readonly reasoning?: MappedDelta;
}

export interface MappedDelta {
  /** From the event's data. */
  readonly path: string;
  /** Pieces to be joined, or each time the whole so far. */
  readonly mode: "append" | "replace";
  /** Only in events of this SSE name. */
  readonly event?: string;
  /** Only where the event's data has this. */
  readonly when?: { readonly path: string; readonly equals: string };
}
