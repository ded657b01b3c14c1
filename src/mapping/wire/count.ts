import type { Json } from "../../plugin-host/contract.ts";
import { firstCount, isObject, type JsonObject, pickDefined } from "../json.ts";

/** Where a request is counted. */
interface CountPlace {
  /** Path of the count, from the provider's `countPath`. */
  readonly path: string;
  /** Name of the model at the provider. */
  readonly model: string;
}

/**
 * The body that requests a token count from a provider, by the shape of the request.
 *
 * A caller first writes the request as usual, then this; `readCount` reads the response. `undefined`: the provider does not
 * count this shape.
 *
 * @param body - from `writeRequest`, or a client's own.
 */
export function writeCount(shape: string, body: Json, place: CountPlace): Json {
  if (!isObject(body) || !Object.hasOwn(WRITERS, shape)) return undefined;
  return WRITERS[shape]!(body, place);
}

/** Input tokens, in any shape; `undefined` if there are none. */
export const readCount = (body: Json): number | undefined =>
  firstCount(body?.input_tokens, body?.totalTokens, body?.inputTokens);

type Writer = (body: JsonObject, place: CountPlace) => Json;

const WRITERS: Readonly<Record<string, Writer>> = {
  messages: (body, { path, model }) => {
    if (isBedrock(path)) return invocation(body);
    const counted = without(body, NOT_COUNTED);
    // Vertex counts for all models at one path.
    return /count-tokens:rawPredict$/.test(path) ? { ...counted, model } : counted;
  },
  responses: (body) => only(body, RESPONSES),
  "generate-content": (body, { path, model }) =>
    path.includes("/projects/")
      ? only(body, VERTEX)
      : { generateContentRequest: { model: `models/${model.replace(/^models\//, "")}`, ...body } },
  converse: (body) => ({ input: { converse: only(body, CONVERSE) } }),
};

const isBedrock = (path: string) => /\/model\/[^/]+\/count-tokens$/.test(path);

/** Bedrock counts an invocation with its complete body in base64. */
function invocation(body: JsonObject): Json {
  const { model: _, stream: __, ...rest } = body;
  const whole = { anthropic_version: "bedrock-2023-05-31", max_tokens: 1, ...rest };
  return { input: { invokeModel: { body: Buffer.from(JSON.stringify(whole), "utf8").toString("base64") } } };
}

/** Response settings that Anthropic's count does not accept. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
  "container",
  "inference_geo",
]);
const RESPONSES = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "truncation",
  "previous_response_id",
  "conversation",
];
const VERTEX = ["contents", "systemInstruction", "tools", "generationConfig"];
const CONVERSE = ["messages", "system", "toolConfig", "additionalModelRequestFields"];

function without(body: JsonObject, names: ReadonlySet<string>): JsonObject {
  const kept: JsonObject = {};
  for (const name of Object.keys(body)) if (!names.has(name)) kept[name] = body[name];
  return kept;
}

const only = (body: JsonObject, names: readonly string[]): JsonObject =>
  pickDefined(Object.fromEntries(names.map((name) => [name, body[name]])));
