import type { Json, Usage } from "../plugin-host/contract.ts";
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

/** Tokens that the format of a conversation adds per message, and for the response. */
const MESSAGE_TOKENS = 3;

/** Whether this is the reading of a stream without usage. */
export function lacksUsage({ events }: ExchangeInput, { usage, error }: ExchangeReading): boolean {
  return events !== undefined && usage === undefined && error === undefined;
}

/** The reading, with estimated usage if it is of a stream without usage: `usageEstimated` is then set. Never rejects. */
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
    return reading; // a failure to load the tokenizer must not lose the reading
  }
}

/**
 * Counts the tokens of a stream without usage, if its model has a known tokenizer, which only OpenAI's models have.
 *
 * The count is an estimate: it excludes additions to the prompt (tools, pictures, reasoning).
 */
async function estimateUsage(input: EstimateInput): Promise<Usage | undefined> {
  const encoding = input.model === null ? undefined : encodingOf(input.model);
  const schema = toLlmSchema({ ...input, provider: "", path: "", status: 200 });
  if (encoding === undefined || schema === null) return undefined;
  const count = await tokenizer(encoding);
  const { request, response } = schema;
  const messages = request.messages ?? [];
  const texts = messages.flatMap((message) => [message.content, message.name, jsonOr(message.tool_calls)]);
  const framing = messages.length > 0 ? (messages.length + 1) * MESSAGE_TOKENS : 0;
  const prompt = count([...texts, request.prompt, request.instructions, jsonOr(request.tools)]) + framing;
  const said = (response.messages ?? []).map((message) => [
    message.content,
    message.reasoning,
    jsonOr(message.tool_calls),
  ]);
  const items = (response.responses ?? []).map((item) => [item.text, jsonOr(item.tool_calls)]);
  return withTotal({ prompt_tokens: prompt, completion_tokens: count([...said, ...items].flat()) });
}

const jsonOr = (value: Json) => (value === undefined ? undefined : jsonText(value));

/** The OpenAI encoding of a model; `undefined` for other vendors' models. */
function encodingOf(model: string): Encoding | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(/^ft:/, "");
  if (/^(?:gpt-(?:4o|4\.|[5-9]|oss)|chatgpt-|o[1-9](?:-|$))/.test(name)) return "o200k_base";
  if (/^(?:gpt-(?:3\.5|35|4)(?:-|$)|text-embedding-|babbage|davinci)/.test(name)) return "cl100k_base";
  return undefined;
}
