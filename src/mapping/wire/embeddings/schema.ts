import type { Json, Reading } from "../../../plugin-host/contract.ts";
import {
  countOf,
  filledText,
  firstCount,
  isObject,
  listOf,
  numberOf,
  pickDefined,
  sumOfList,
  textOf,
} from "../../json.ts";
import { plainText } from "../../llm/parts.ts";
import { cohereUsage, geminiUsage } from "../../usage.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { promptOf } from "../completions/schema.ts";
import { lastWhole } from "../last-whole.ts";
import { readOpenAi } from "../openai-reading.ts";

/** Embeddings of OpenAI, Gemini, Cohere, Ollama, Bedrock and Vertex. */
export const embeddings: WireSchema = {
  name: "embeddings",
  llmType: "embedding",
  path: /\/embed(?:dings?)?$|:(?:batchEmbedContents|embedContent)$/,
  fits: (request, response) => inputOf(request) !== undefined || hasVectors(response),
  fold: lastWhole,
  readResponse: (body) => (Array.isArray(body) ? readList(body) : readOne(body)),
  promptText: inputOf,
  completionText: () => undefined,
  llmRequest: (request) => pickDefined({ input: inputOf(request), size: numberOf(request?.dimensions)?.toString() }),
  llmResponse: () => ({}),
};

function readOne(body: Json): Reading {
  const read = readOpenAi(body);
  return pickDefined({
    ...read,
    usage: read.usage ?? usageOf(body),
    usageRaw: read.usageRaw ?? body?.usageMetadata ?? body?.meta,
  });
}

/** Responses of several calls for one request: their usage is the sum. */
function readList(bodies: readonly Json[]): Reading {
  const readings = bodies.map(readOne);
  const counts = readings.map(({ usage }) => usage?.prompt_tokens);
  const tokens = counts.includes(undefined) ? undefined : sumOfList(counts);
  const usage = tokens === undefined ? undefined : { prompt_tokens: tokens };
  return pickDefined({ ...readings[0], usage, usageRaw: undefined });
}

function usageOf(body: Json) {
  const statistics = listOf(body?.predictions).map((each) => countOf(each?.embeddings?.statistics?.token_count));
  const count = firstCount(body?.inputTextTokenCount, body?.prompt_eval_count, sumOfList(statistics));
  if (count !== undefined) return { prompt_tokens: count };
  return geminiUsage(body?.usageMetadata) ?? cohereUsage(body?.meta);
}

const hasVectors = (response: Json): boolean =>
  [response?.embedding, response?.embeddings, response?.predictions].some(
    (vectors) => typeof vectors === "object" && vectors !== null,
  ) || listOf(response?.data)[0]?.object === "embedding";

/** The texts to embed, one per line. */
function inputOf(request: Json): string | undefined {
  if (Array.isArray(request)) {
    const inputs = request.flatMap((each) => (isObject(each) ? (inputOf(each) ?? []) : []));
    return inputs.length === 0 ? undefined : inputs.join("\n");
  }
  if (!isObject(request)) return undefined;
  const direct = request.input ?? request.inputText ?? request.texts ?? request.prompt ?? request.inputs;
  if (direct !== undefined) return Array.isArray(direct) ? linesOf(direct) : textOf(direct);
  if (isObject(request.content)) return plainText(request.content.parts);
  const many = [
    ...listOf(request.requests).map((one) => one?.content?.parts),
    ...listOf(request.instances).map((one) => one?.content),
  ];
  return many.length === 0 ? undefined : many.map((content) => plainText(content) ?? "").join("\n");
}

function linesOf(input: Json[]): string | undefined {
  if (input.every((one) => typeof one === "string")) return input.join("\n");
  const texts = input.map((one) => filledText(one?.text) ?? plainText(one?.content));
  return texts.some((text) => text !== undefined) ? texts.map((text) => text ?? "").join("\n") : promptOf(input);
}
