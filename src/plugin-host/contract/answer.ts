import type { Json } from "./json.ts";
import type { CallPart, Citation, HostedPart, ImagePart, Part, State } from "./prompt.ts";
import type { Usage } from "./reading.ts";

/** A model's response, independent of any API. */
export interface Answer {
  /** The provider's own id. */
  readonly id?: string;
  readonly model?: string;
  /** One, unless the client asked for several. */
  readonly choices: readonly Choice[];
  /** Totals, as everywhere in Weir: cached and reasoning tokens are parts of the input and output counts. */
  readonly usage?: Usage;
}

export interface Choice {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  /** The stop text that ended the response. */
  readonly stopText?: string;
  /** `{ content: [{ token, logprob, bytes, top_logprobs }] }`. */
  readonly logprobs?: Json;
}

/** Why a response ended. `malformed`: the provider could not read its own model's call. */
export type Finish = "end" | "stop" | "calls" | "length" | "context" | "filter" | "pause" | "malformed";

/**
 * One step of a streamed response. `part` identifies the parts of a response; parts may overlap as a provider sends them,
 * but are sequential when a shape writes them: all pieces of a part, then its `close`. Only a `citation` may follow the `close`
 * of its text. `choice` counts the choices of a response; missing means the first.
 */
export type Piece =
  | { readonly type: "start"; readonly id?: string; readonly model?: string; readonly usage?: Usage }
  | ({ readonly type: "text"; readonly text: string } & Of)
  | ({ readonly type: "refusal"; readonly text: string } & Of)
  | ({ readonly type: "citation"; readonly citation: Citation } & Of)
  | ({ readonly type: "reasoning"; readonly text: string } & Of)
  /** State of the reasoning or call that the part is; it follows the part's text. */
  | ({ readonly type: "state"; readonly state: State } & Of)
  /** Begins a call; its `arguments` are empty. */
  | ({ readonly type: "call"; readonly call: CallPart } & Of)
  | ({ readonly type: "arguments"; readonly text: string } & Of)
  | ({ readonly type: "image"; readonly image: ImagePart } & Of)
  | ({ readonly type: "hosted"; readonly hosted: HostedPart } & Of)
  | ({ readonly type: "close" } & Of)
  | { readonly type: "logprobs"; readonly logprobs: Json; readonly choice?: number }
  | { readonly type: "finish"; readonly finish: Finish; readonly stopText?: string; readonly choice?: number }
  /** A later `usage` piece replaces the members of an earlier one. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "error"; readonly error: ApiError }
  /** Nothing follows. */
  | { readonly type: "end" };

interface Of {
  readonly part: number;
  readonly choice?: number;
}

/** A failure, independent of any API. */
export interface ApiError {
  /** HTTP status, or the closest one for a failure inside a stream. */
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  /** Path of the invalid member. */
  readonly param?: string;
  readonly requestId?: string;
  /** The provider's own message. */
  readonly upstream?: { readonly provider: string; readonly status: number; readonly body: Json };
}
