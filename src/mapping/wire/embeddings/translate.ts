import type { EmbeddingForm, EmbeddingPrompt, Json, Loss, Usage } from "../../../plugin-host/contract.ts";
import { filledText, isObject, numberOf, pickDefined } from "../../json.ts";
import { inputTokens } from "../../usage.ts";

const INPUT_TYPES: ReadonlySet<string> = new Set(["search_document", "search_query", "classification", "clustering"]);

/** Members that are read here or by the gateway. */
const KNOWN: ReadonlySet<string> = new Set(["model", "input", "dimensions", "encoding_format", "input_type"]);

/** A body of OpenAI's embeddings. An unreadable part is a loss; nothing throws. */
export function readEmbeddings(body: Json): EmbeddingPrompt {
  const losses: Loss[] = [];
  const lose = (kind: Loss["kind"], path: string, why: string) => losses.push({ kind, path, why });
  if (!isObject(body)) lose("invalid", "", "the body must be a JSON object");
  const { input, dimensions, encoding_format, input_type } = isObject(body) ? body : {};
  const texts = typeof input === "string" ? [input] : Array.isArray(input) ? input : [];
  const isTokens = texts.some((each) => typeof each === "number" || Array.isArray(each));
  if (isTokens) lose("refused", "input", "token ids only work with OpenAI's models; send texts");
  else if (texts.length === 0 || !texts.every((each) => typeof each === "string"))
    lose("invalid", "input", "must be a text or a list of texts");
  if (isGiven(dimensions) && !(Number.isInteger(dimensions) && dimensions > 0))
    lose("invalid", "dimensions", "must be a whole number above 0");
  if (isGiven(encoding_format) && encoding_format !== "float" && encoding_format !== "base64")
    lose("invalid", "encoding_format", "must be float or base64");
  if (isGiven(input_type) && !INPUT_TYPES.has(input_type))
    lose("invalid", "input_type", `must be one of ${[...INPUT_TYPES].join(", ")}`);
  for (const name of isObject(body) ? Object.keys(body) : [])
    if (!KNOWN.has(name) && isGiven(body[name])) losses.push({ kind: "dropped", path: name });
  return pickDefined({
    texts: texts.filter((each) => typeof each === "string"),
    dimensions: numberOf(dimensions),
    inputType: filledText(input_type),
    base64: encoding_format === "base64",
    losses,
  }) as EmbeddingPrompt;
}

const isGiven = (value: Json) => value !== undefined && value !== null;

interface EmbeddingCalls {
  /** One body per call; each has the next texts. */
  readonly bodies: readonly Json[];
  readonly losses: readonly Loss[];
}

/** All calls for a request. The same prompt gives the same bytes. */
export function writeEmbeddingCalls(prompt: EmbeddingPrompt, form: EmbeddingForm, model: string): EmbeddingCalls {
  const most = Math.max(1, form.textsMax(model));
  const bodies: Json[] = [];
  for (let at = 0; at < prompt.texts.length; at += most)
    bodies.push(form.writeRequest({ ...prompt, texts: prompt.texts.slice(at, at + most) }, model));
  return { bodies, losses: [...prompt.losses, ...(form.losses?.(prompt, model) ?? [])] };
}

/** One call's response. */
export interface EmbeddingResponse {
  readonly body: Json;
  /** Usage from outside the body: Bedrock sends it in headers. */
  readonly usage?: Usage;
}

/** Metadata of the client's response. */
interface EmbeddingReply {
  readonly model: string;
  /** The estimated tokens of all texts, if the provider reports none. */
  readonly estimate: () => number;
}

interface JoinedEmbeddings {
  readonly body: Json;
  readonly usage: Usage;
  readonly estimated: boolean;
}

/**
 * The response in OpenAI's format, in the order of the texts.
 *
 * @param responses - in the order of the calls.
 * @returns undefined if a response does not have one vector per text.
 */
export function joinEmbeddings(
  responses: readonly EmbeddingResponse[],
  prompt: { readonly texts: { readonly length: number }; readonly base64: boolean },
  form: EmbeddingForm,
  reply: EmbeddingReply,
): JoinedEmbeddings | undefined {
  const vectors: (readonly number[])[] = [];
  let counted: number | undefined = 0;
  for (const response of responses) {
    const embeddings = form.readAnswer(response.body);
    if (embeddings === undefined) return undefined;
    for (const vector of embeddings.vectors) vectors.push(vector);
    const tokens = inputTokens(embeddings.usage) ?? inputTokens(response.usage);
    counted = counted === undefined || tokens === undefined ? undefined : counted + tokens;
  }
  if (vectors.length !== prompt.texts.length) return undefined;
  const tokens = counted ?? reply.estimate();
  return {
    body: {
      object: "list",
      data: vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: prompt.base64 ? base64Of(vector) : vector,
      })),
      model: reply.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    estimated: counted === undefined,
  };
}

/** Packed as OpenAI's SDKs unpack it: little-endian 32-bit floats, on any machine. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
