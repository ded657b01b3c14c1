import type { Json, Usage } from "../plugin/contract.ts";
import { jsonText } from "./json.ts";
import type { Mapping } from "./mapping.ts";
import { barePath, isBilledElsewhere } from "./path.ts";
import type { ExchangeInput, ExchangeReading } from "./read-exchange.ts";
import { toLlmSchema } from "./to-llm-schema.ts";
import { type Encoding, tokenizer } from "./tokenizer.ts";
import { withTotal } from "./usage.ts";

interface EstimateInput {
  readonly model: string | null;
  readonly wireSchema: ExchangeReading["wireSchema"];
  readonly mapping: Mapping | undefined;
  readonly requestBody: Json;
  readonly responseBody: Json;
}

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
  const mapping = input.provider?.mapping ?? input.mappingOf?.(input.modelOverride ?? requestModel ?? "");
  try {
    const usage = await estimateUsage({ model, wireSchema, mapping, requestBody: input.requestBody, responseBody });
    return usage === undefined ? reading : { ...reading, usage, usageEstimated: true };
  } catch {
    return reading; // a tokenizer that does not load is no reason to lose what was read
  }
}

/**
 * Counts the tokens of a stream that came without usage, where a tokenizer exists for its model: OpenAI's.
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

/** Which of OpenAI's encodings a model uses; `undefined` for models of others. */
function encodingOf(model: string): Encoding | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(/^ft:/, "");
  if (/^(?:gpt-(?:4o|4\.|[5-9]|oss)|chatgpt-|o[1-9](?:-|$))/.test(name)) return "o200k_base";
  if (/^(?:gpt-(?:3\.5|35|4)(?:-|$)|text-embedding-|babbage|davinci)/.test(name)) return "cl100k_base";
  return undefined;
}
