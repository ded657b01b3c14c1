import type { Json, Usage } from "../plugin/contract.ts";
import { jsonText } from "./json.ts";
import type { Mapping } from "./mapping.ts";
import { barePath, isBilledElsewhere } from "./path.ts";
import type { ExchangeInput, ExchangeReading } from "./read-exchange.ts";
import { toLlmSchema } from "./to-llm-schema.ts";
import { withTotal } from "./usage.ts";

interface EstimateInput {
  readonly model: string | null;
  readonly wireSchema: ExchangeReading["wireSchema"];
  readonly mapping: Mapping | undefined;
  readonly requestBody: Json;
  readonly responseBody: Json;
}

/** Characters that are counted at most, 0.03 s of work for text and 0.3 s for noise; what is beyond is taken to be like it. */
const CHARACTERS_MAX = 100_000;

/** Pieces that text is counted in: a tokenizer's time grows with the square of a run without spaces. */
const PIECES = /[\s\S]{1,100}(?=\s|$)|[\s\S]{1,100}/g;

/** Text that looks like one of the tokenizer's own marks is counted as the text it is. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Tokens that the format of a conversation adds to each message, and to the answer that is asked for. */
const MESSAGE_TOKENS = 3;

/** Whether this is the reading of a stream that came without usage. */
export function lacksUsage({ events }: ExchangeInput, { usage, error }: ExchangeReading): boolean {
  return events !== undefined && usage === undefined && error === undefined;
}

/**
 * The reading, with a guess at its usage where it is of a stream that came without: then `usageEstimated` says so. Never
 * rejects.
 */
export async function withEstimate(input: ExchangeInput, reading: ExchangeReading): Promise<ExchangeReading> {
  if (!lacksUsage(input, reading) || input.status >= 400 || isBilledElsewhere(input.method, barePath(input.path)))
    return reading;
  const { wireSchema, responseBody, responseModel, requestModel } = reading;
  const model = responseModel ?? requestModel ?? null;
  const mapping = input.mappingOf?.(input.modelOverride ?? requestModel ?? "");
  try {
    const usage = await estimateUsage({ model, wireSchema, mapping, requestBody: input.requestBody, responseBody });
    return usage === undefined ? reading : { ...reading, usage, usageEstimated: true };
  } catch {
    return reading; // a tokenizer that does not load is no reason to lose what was read
  }
}

/**
 * Counts the tokens of a stream that came without usage, where a tokenizer exists for its model: OpenAI's. The tokenizer
 * is loaded when it is first needed (about 100 MB in memory) and kept.
 *
 * The figure is a guess: what a provider adds to a prompt (tools, pictures, reasoning) is not seen.
 */
async function estimateUsage(input: EstimateInput): Promise<Usage | undefined> {
  const encoding = input.model === null ? undefined : encodingOf(input.model);
  const schema = toLlmSchema({ ...input, provider: "", path: "", status: 200 });
  if (encoding === undefined || schema === null) return undefined;
  const count = await tokenizer(encoding);
  const { request, response } = schema;
  const messages = request.messages ?? [];
  const asked = messages.flatMap((message) => [message.content, message.name, jsonOr(message.tool_calls)]);
  const framing = messages.length > 0 ? (messages.length + 1) * MESSAGE_TOKENS : 0;
  const prompt = count([...asked, request.prompt, request.instructions, jsonOr(request.tools)]) + framing;
  const said = (response.messages ?? []).map((message) => [
    message.content,
    message.reasoning,
    jsonOr(message.tool_calls),
  ]);
  const items = (response.responses ?? []).map((item) => [item.text, jsonOr(item.tool_calls)]);
  return withTotal({ prompt_tokens: prompt, completion_tokens: count([...said, ...items].flat()) });
}

const jsonOr = (value: Json) => (value === undefined ? undefined : jsonText(value));

type Encoding = "o200k_base" | "cl100k_base";

/** Which of OpenAI's encodings a model uses; `undefined` for models of others. */
function encodingOf(model: string): Encoding | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(/^ft:/, "");
  if (/^(?:gpt-(?:4o|4\.|[5-9]|oss)|chatgpt-|o[1-9](?:-|$))/.test(name)) return "o200k_base";
  if (/^(?:gpt-(?:3\.5|35|4)(?:-|$)|text-embedding-|babbage|davinci)/.test(name)) return "cl100k_base";
  return undefined;
}

type Counter = (texts: readonly (string | undefined)[]) => number;

const counters = new Map<Encoding, Promise<Counter>>();

function tokenizer(encoding: Encoding): Promise<Counter> {
  let counter = counters.get(encoding);
  if (counter === undefined) {
    counter = load(encoding);
    counters.set(encoding, counter);
  }
  return counter;
}

async function load(encoding: Encoding): Promise<Counter> {
  const { countTokens } = await (encoding === "o200k_base"
    ? import("gpt-tokenizer/encoding/o200k_base")
    : import("gpt-tokenizer/encoding/cl100k_base"));
  return (texts) => {
    const text = texts.join("\n").trim();
    let tokens = 0;
    for (const [piece] of text.slice(0, CHARACTERS_MAX).matchAll(PIECES)) tokens += countTokens(piece, AS_TEXT);
    return Math.round(tokens * Math.max(1, text.length / CHARACTERS_MAX));
  };
}
