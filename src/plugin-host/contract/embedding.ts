import type { Json } from "./json.ts";
import type { Loss } from "./prompt.ts";
import type { Usage } from "./reading.ts";

/** A request for embeddings, read from OpenAI's format. */
export interface EmbeddingPrompt {
  readonly texts: readonly string[];
  readonly dimensions?: number;
  /** The purpose of the texts: `search_document`, `search_query`, `classification` or `clustering`. */
  readonly inputType?: string;
  /** Vectors are returned as base64 of little-endian 32-bit floats. */
  readonly base64: boolean;
  readonly losses: readonly Loss[];
}

/**
 * One API's format of embedding requests. Pure and synchronous, like a `Shape`; clients use only OpenAI's format.
 *
 * A caller reads the client's body with `readEmbeddings`, finds the target's format with `embeddingForm`, writes all calls
 * with `writeEmbeddingCalls`, makes them in any order, and joins the responses in the order of the calls with
 * `joinEmbeddings`.
 */
export interface EmbeddingForm {
  readonly name: string;
  /** The request body for `prompt.texts`; at most `textsMax` texts. */
  readonly textsMax: (model: string) => number;
  /** The body for `prompt.texts`, of which there are at most `textsMax`. */
  readonly writeRequest: (prompt: EmbeddingPrompt, model: string) => Json;
  /** The losses of a prompt, each with its path. */
  readonly losses?: (prompt: EmbeddingPrompt, model: string) => readonly Loss[];
  /** One vector per text, in the order of the texts; `undefined` if the body holds no vectors. */
  readonly readAnswer: (body: Json) => EmbeddingAnswer | undefined;
}

export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: Usage;
}
