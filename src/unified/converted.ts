import { parseJson } from "../mapping/json.ts";
import { readCount, writeCount } from "../mapping/wire/count.ts";
import { embeddingForm } from "../mapping/wire/embeddings/forms.ts";
import {
  type EmbeddingResponse,
  joinEmbeddings,
  readEmbeddings,
  writeEmbeddingCalls,
} from "../mapping/wire/embeddings/translate.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { EndpointCall, Json, Loss, Shape, ShapeAt } from "../plugin/contract.ts";
import { type Outbound, shapeNameOf, shapeOf, withChanges } from "./outbound.ts";

/**
 * A small request in a form of the provider's own, whose response comes whole: a count, or embeddings. Where the provider
 * takes fewer texts than were sent it is several calls, whose responses come as a list.
 */
export interface Converted {
  readonly kind: "converted";
  readonly at: ShapeAt;
  /** How the provider says errors. */
  readonly shape: Shape;
  /** For the record: what is sent; of several calls, a JSON list of it. */
  readonly body: Uint8Array;
  /** Of each call. */
  readonly bodies: readonly Uint8Array[];
  readonly losses: readonly Loss[];
  /** The response in the client's form; undefined where it cannot be read. @param headers - raw pairs. */
  readonly convert: (
    bytes: Uint8Array,
    headers: readonly string[],
  ) => { readonly text: string; readonly estimated: boolean } | undefined;
}

type Written = Extract<Outbound, { readonly kind: "same" | "translated" }>;

/**
 * A request that was written as if for an answer, as one for its count.
 *
 * @param from - the client's shape.
 */
export function asCount(written: Written, from: string, call: EndpointCall): Written | Converted | undefined {
  const at = written.at as ShapeAt;
  const shape = shapeOf(at);
  // What a platform asks for in a body is none of a count's.
  if (written.kind === "same" && at.place === undefined) return written;
  const path = at.countPath?.(call);
  const body = path && writeCount(shapeNameOf(at), parsed(written.body), { path, model: call.model });
  if (shape === undefined || body === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    kind: "converted",
    at,
    shape,
    body: bytes,
    bodies: [bytes],
    losses: [],
    convert(answer) {
      const tokens = readCount(parsed(answer));
      return tokens === undefined ? undefined : { text: countIn(from, tokens), estimated: false };
    },
  };
}

/** A count in the client's form. */
export function countIn(from: string, tokens: number): string {
  const client = Object.hasOwn(SHAPES, from) ? SHAPES[from] : undefined;
  return JSON.stringify(client?.writeCount?.(tokens) ?? { input_tokens: tokens });
}

export interface EmbeddingsRequest {
  /** As the client sent it, unpacked. */
  readonly body: Uint8Array;
  readonly changes: Readonly<Record<string, Json>>;
  readonly at: ShapeAt;
  readonly call: EndpointCall;
  /** What the target speaks: the first that is translated says how it says errors. */
  readonly shapes: readonly ShapeAt[];
  readonly refuseLosses: boolean;
  /** A guess at the tokens of all texts. */
  readonly inputTokens: number;
}

/** Writes a request for embeddings in the provider's form; undefined where that is OpenAI's. */
export function writeEmbeddings(request: EmbeddingsRequest): Converted | Extract<Outbound, { loss: Loss }> | undefined {
  const { body, changes, at, call, shapes, refuseLosses, inputTokens } = request;
  const form = embeddingForm(at.path?.(call) ?? "");
  if (form === undefined) return undefined;
  const shape = shapes.map(shapeOf).find((each) => each !== undefined) ?? SHAPES["chat-completions"]!;
  const prompt = readEmbeddings(withChanges(parsed(body), changes));
  const { bodies, losses } = writeEmbeddingCalls(prompt, form, call.model);
  const invalid = losses.find(({ kind }) => kind === "invalid");
  if (invalid !== undefined) return { kind: "invalid", loss: invalid };
  const refused = losses.find(({ kind }) => kind === "refused") ?? (refuseLosses ? losses[0] : undefined);
  if (refused !== undefined) return { kind: "refused", loss: refused };
  if (bodies.length > CALLS_MAX) {
    const why = `the model takes ${form.textsMax(call.model)} texts a call, so that this would be over ${CALLS_MAX} calls`;
    return { kind: "refused", loss: { kind: "refused", path: "input", why } };
  }
  return {
    kind: "converted",
    at,
    shape,
    body: Buffer.from(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)),
    bodies: bodies.map((each) => Buffer.from(JSON.stringify(each))),
    losses,
    convert(answer, headers) {
      const responses = responsesOf(parsed(answer), headers, bodies.length);
      const reply = { model: call.model, estimate: () => inputTokens };
      const joined = responses && joinEmbeddings(responses, prompt, form, reply);
      return joined && { text: JSON.stringify(joined.body), estimated: joined.estimated };
    },
  };
}

/** What OpenAI takes in one request is taken everywhere, whatever a provider takes in a call. */
const CALLS_MAX = 2_048;

/** Each call's response. What headers say of usage is that of all, and counts once. */
function responsesOf(answer: Json, headers: readonly string[], calls: number): EmbeddingResponse[] | undefined {
  const usage = usageIn(headers);
  const none = { prompt_tokens: 0, total_tokens: 0 };
  if (calls === 1) return [{ body: answer, ...(usage && { usage }) }];
  if (!Array.isArray(answer) || answer.length !== calls) return undefined;
  return answer.map((body: Json, at) => ({ body, ...(usage && { usage: at === 0 ? usage : none }) }));
}

/** Bedrock says usage in a header. */
function usageIn(headers: readonly string[]) {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === "x-amzn-bedrock-input-token-count");
  const tokens = at < 0 ? Number.NaN : Number(headers[at + 1]);
  return Number.isSafeInteger(tokens) ? { prompt_tokens: tokens, total_tokens: tokens } : undefined;
}

const parsed = (bytes: Uint8Array): Json =>
  parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
