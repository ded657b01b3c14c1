import { readCount, writeCount } from "../mapping/wire/count.ts";
import { embeddingForm } from "../mapping/wire/embeddings/forms.ts";
import {
  type EmbeddingResponse,
  joinEmbeddings,
  readEmbeddings,
  writeEmbeddingCalls,
} from "../mapping/wire/embeddings/translate.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { EndpointCall, Json, Loss, Shape, ShapeAt } from "../plugin-host/contract.ts";
import { type Outbound, type Spoken, shapeNameOf, shapeOf, withChanges } from "./outbound.ts";
import { takeParsed } from "./parsed-bodies.ts";
import { jsonOf } from "./response-failure.ts";

/**
 * A small request in the provider's own form that has a complete response: a count, or embeddings. If the provider accepts
 * fewer texts at a time, it becomes several calls, whose responses form a list.
 */
export interface Converted {
  readonly kind: "converted";
  readonly at: Spoken;
  /** The provider's error format. */
  readonly shape: Shape;
  /** For the record: the sent body; for several calls a JSON list. */
  readonly body: Uint8Array;
  /** The body of each call. */
  readonly bodies: readonly Uint8Array[];
  readonly losses: readonly Loss[];
  readonly reading: Reading;
}

/** How to convert its response to the client's form. Plain data: it crosses threads. */
export type Reading =
  | {
      readonly kind: "count";
      /** The client's shape. */
      readonly from: string;
    }
  | {
      readonly kind: "embeddings";
      /** The provider's path, which determines the form. */
      readonly path: string;
      readonly model: string;
      readonly calls: number;
      readonly texts: number;
      readonly base64: boolean;
      /** The estimated tokens of all texts. */
      readonly inputTokens: number;
    };

/** A response in the client's form. */
export interface ConvertedResponse {
  readonly body: Uint8Array;
  readonly estimated: boolean;
}

/** @param headers - raw pairs. @returns undefined if the response cannot be read. */
export function readConverted(
  bytes: Uint8Array,
  headers: readonly string[],
  reading: Reading,
): ConvertedResponse | undefined {
  if (reading.kind === "embeddings") return readEmbedded(bytes, headers, reading);
  const tokens = readCount(jsonOf(bytes));
  return tokens === undefined ? undefined : { body: Buffer.from(countIn(reading.from, tokens)), estimated: false };
}

function readEmbedded(
  bytes: Uint8Array,
  headers: readonly string[],
  { path, model, calls, texts, base64, inputTokens }: Extract<Reading, { readonly kind: "embeddings" }>,
): ConvertedResponse | undefined {
  const form = embeddingForm(path);
  const responses = responsesOf(jsonOf(bytes), headers, calls);
  const requested = { texts: { length: texts }, base64 };
  const joined =
    form && responses && joinEmbeddings(responses, requested, form, { model, estimate: () => inputTokens });
  return joined && { body: Buffer.from(JSON.stringify(joined.body)), estimated: joined.estimated };
}

type Written = Extract<Outbound, { readonly kind: "same" | "translated" }>;

/** Where a generation request is counted; undefined if it cannot be. */
export function countPlaceOf(at: Spoken, call: EndpointCall): CountRequest | undefined {
  const path = at.countPath?.(call);
  return path === undefined ? undefined : { shape: shapeNameOf(at), path, model: call.model };
}

/** Plain data: it crosses threads. */
export interface CountRequest {
  readonly shape: string;
  readonly path: string;
  readonly model: string;
}

/** Converts a generation request's body to one for the count. */
export function countedBody(bytes: Uint8Array, { shape, path, model }: CountRequest): Uint8Array | undefined {
  const body = writeCount(shape, jsonOf(bytes), { path, model });
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

/**
 * @param from - the client's shape.
 * @param bytes - the body for the count.
 */
export function asCount({ at }: Written, from: string, bytes: Uint8Array | undefined): Converted | undefined {
  const shape = shapeOf(at);
  if (shape === undefined || bytes === undefined) return undefined;
  return { kind: "converted", at, shape, body: bytes, bodies: [bytes], losses: [], reading: { kind: "count", from } };
}

/** A count in the client's form. */
export function countIn(from: string, tokens: number): string {
  const client = Object.hasOwn(SHAPES, from) ? SHAPES[from] : undefined;
  return JSON.stringify(client?.writeCount?.(tokens) ?? { input_tokens: tokens });
}

/** Plain data: it crosses threads. */
export interface EmbeddingsRequest {
  /** As the client sent it, decompressed. */
  readonly body: Uint8Array;
  readonly changes: Readonly<Record<string, Json>>;
  /** The provider's path, which determines the form. */
  readonly path: string;
  readonly model: string;
  readonly refuseLosses: boolean;
}

export type WrittenEmbeddings =
  | Pick<Converted, "kind" | "body" | "bodies" | "losses" | "reading">
  | Extract<Outbound, { readonly loss: Loss }>;

/** Whether embeddings at a provider's path are in OpenAI's form. */
export const isOpenAiForm = (path: string): boolean => embeddingForm(path) === undefined;

/** Estimated bytes of a text per token. */
const TOKEN_BYTES = 4;

/** Writes a request for embeddings in the provider's form, which is not OpenAI's. */
export function writeEmbeddings(request: EmbeddingsRequest): WrittenEmbeddings {
  const { body, changes, path, model, refuseLosses } = request;
  const form = embeddingForm(path)!;
  const prompt = readEmbeddings(withChanges(takeParsed(body), changes));
  const { bodies, losses } = writeEmbeddingCalls(prompt, form, model);
  const invalid = losses.find(({ kind }) => kind === "invalid");
  if (invalid !== undefined) return { kind: "invalid", loss: invalid };
  const refused = losses.find(({ kind }) => kind === "refused") ?? (refuseLosses ? losses[0] : undefined);
  if (refused !== undefined) return { kind: "refused", loss: refused };
  if (bodies.length > CALLS_MAX) {
    const why = `the model takes ${form.textsMax(model)} texts per call, so this would need more than ${CALLS_MAX} calls`;
    return { kind: "refused", loss: { kind: "refused", path: "input", why } };
  }
  const { base64, texts } = prompt;
  const inputTokens = texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES), 0);
  const written = bodies.map((each) => Buffer.from(JSON.stringify(each)));
  return {
    kind: "converted",
    body: written.length === 1 ? written[0]! : Buffer.from(JSON.stringify(bodies)),
    bodies: written,
    losses,
    reading: { kind: "embeddings", path, model, calls: bodies.length, texts: texts.length, base64, inputTokens },
  };
}

/** The error format for embeddings at a target: that of its first translated shape. */
export const errorShapeOf = (shapes: readonly ShapeAt[]): Shape =>
  shapes.map(shapeOf).find((each) => each !== undefined) ?? SHAPES["chat-completions"]!;

/** OpenAI's limit of texts per request; it applies everywhere, regardless of a provider's limit per call. */
const CALLS_MAX = 2_048;

/** The response of each call. Usage from headers covers all calls, and is counted once. */
function responsesOf(response: Json, headers: readonly string[], calls: number): EmbeddingResponse[] | undefined {
  const usage = usageIn(headers);
  const none = { prompt_tokens: 0, total_tokens: 0 };
  if (calls === 1) return [{ body: response, ...(usage && { usage }) }];
  if (!Array.isArray(response) || response.length !== calls) return undefined;
  return response.map((body: Json, at) => ({ body, ...(usage && { usage: at === 0 ? usage : none }) }));
}

/** Bedrock reports usage in a header. */
function usageIn(headers: readonly string[]) {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === "x-amzn-bedrock-input-token-count");
  const tokens = at < 0 ? Number.NaN : Number(headers[at + 1]);
  return Number.isSafeInteger(tokens) ? { prompt_tokens: tokens, total_tokens: tokens } : undefined;
}
