/**
 * The places of values in bodies of an unknown format: JSON Pointers (RFC 6901), in which `*` matches every element of a
 * list. The mapper creates it for a model, and `GET /v1/models/<model>/mapping` shows it.
 */
export interface BodyMapping {
  readonly format: 1;
  /** At least one of `messages` and `prompt` is present. */
  readonly request: MappedRequest;
  /** For a complete response. `response` or `stream` must have `text` or `tool_calls`. */
  readonly response?: MappedResponse;
  /** For a stream: deltas from each event, everything else from the merged members of all events. */
  readonly stream?: MappedStream;
}

export interface MappedRequest {
  readonly model?: string;
  readonly messages?: MappedMessages;
  /** The prompt, or the newest message if `messages` holds the earlier ones. */
  readonly prompt?: string;
  /** Separate instructions. */
  readonly system?: string;
  readonly settings?: {
    readonly max_tokens?: string;
    readonly temperature?: string;
    readonly top_p?: string;
    readonly seed?: string;
    readonly stream?: string;
  };
  readonly tools?: {
    /** The list of tools; `*` matches each tool. */
    readonly list: string;
    /** Relative to the tool, like the paths below. */
    readonly name: string;
    readonly description?: string;
    readonly parameters?: string;
  };
}

export interface MappedMessages {
  /** The list of messages; `*` matches each message. */
  readonly list: string;
  /** Relative to the message, like the paths below; missing if user and assistant alternate. */
  readonly role?: string;
  /** A message is `{ "<role>": "<text>" }`. */
  readonly role_is_name?: boolean;
  readonly text?: string;
  /** Maps role names of the wire to user, assistant, system, developer or tool. */
  readonly roles?: Readonly<Record<string, string>>;
  readonly tool_calls?: MappedToolCalls;
}

export interface MappedToolCalls {
  readonly list: string;
  /** Relative to the call, like the paths below. */
  readonly name: string;
  readonly arguments?: string;
  readonly id?: string;
}

interface MappedReading {
  readonly model?: string;
  /** The provider's id of the response. */
  readonly id?: string;
  readonly usage?: {
    /** All input, or the part that no other count includes. */
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
  /** Several matches are joined. */
  readonly text?: string;
  readonly reasoning?: string;
}

export interface MappedStream extends MappedReading {
  readonly text?: MappedDelta;
  readonly reasoning?: MappedDelta;
}

export interface MappedDelta {
  /** Relative to the event's data. */
  readonly path: string;
  /** `append`: pieces to join; `replace`: each event has the complete text so far. */
  readonly mode: "append" | "replace";
  /** Only in events with this SSE name. */
  readonly event?: string;
  /** Only if the event's data has this value. */
  readonly when?: { readonly path: string; readonly equals: string };
}
