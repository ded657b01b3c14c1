import type { Json } from "./json.ts";
import type { Loss } from "./prompt.ts";
import type { Usage } from "./reading.ts";

/** A request for embeddings, read out of OpenAI's form. */
export interface EmbeddingPrompt {
  readonly texts: readonly string[];
  readonly dimensions?: number;
  /** What the texts are for: `search_document`, `search_query`, `classification` or `clustering`. */
  readonly inputType?: string;
  /** Vectors come back as base64 of little-endian 32-bit floats. */
  readonly base64: boolean;
  readonly losses: readonly Loss[];
}

/**
 * How one API says requests for embeddings. Pure and synchronous, as a `Shape` is; clients speak OpenAI's form alone.
 *
 * A caller reads the client's body with `readEmbeddings`, finds the target's form with `embeddingForm`, writes all calls
 * with `writeEmbeddingCalls`, makes them in any order, and joins the responses in the order of the calls with
 * `joinEmbeddings`.
 */
export interface EmbeddingForm {
  readonly name: string;
  /** Most texts of one call. */
  readonly textsMax: (model: string) => number;
  /** The body for `prompt.texts`, of which there are at most `textsMax`. */
  readonly writeRequest: (prompt: EmbeddingPrompt, model: string) => Json;
  /** What it cannot say of a prompt, each with its path. */
  readonly losses?: (prompt: EmbeddingPrompt, model: string) => readonly Loss[];
  /** One vector per text, in the order of the texts; `undefined` where the body has none. */
  readonly readAnswer: (body: Json) => EmbeddingAnswer | undefined;
}

export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: Usage;
}
