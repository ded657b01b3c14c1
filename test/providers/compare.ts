import { isDeepStrictEqual } from "node:util";
import { isObject, listOf, parseJson } from "../../src/mapping/json.ts";
import type { ExchangeReading } from "../../src/mapping/read-exchange.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import type { LlmSchema } from "../../src/record/llm-schema.ts";

/** One thing that was compared. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly wanted: string;
  readonly found: string;
}

const shown = (value: Json) => JSON.stringify(value)?.slice(0, 160) ?? "nothing";

/** What a recording expects against what was read. A number of the wire may also be read in its defensible forms. */
export function compare(recording: Json, reading: ExchangeReading, schema: LlmSchema | null, method: string): Check[] {
  const { expect, expect_more: more = {} } = recording;
  const usage = reading.usage ?? {};
  const isUsage = method === "POST";
  const inclusive = inclusiveCounts(recording);
  const check = (name: string, found: Json, ...wanted: Json[]): Check => ({
    name,
    ok: wanted.some((each) => isDeepStrictEqual(each ?? null, found ?? null)),
    wanted: wanted.map(shown).join(" or "),
    found: shown(found),
  });
  const count = (name: "prompt_tokens" | "completion_tokens" | "total_tokens", label: string) =>
    check(label, usage[name], ...(isUsage ? [inclusive[name]] : [null]));
  return [
    check("model", reading.responseModel, expect.model, ...modelSent(recording)),
    ...(more.request_model === undefined || more.request_model === null
      ? []
      : [check("request model", reading.requestModel, more.request_model)]),
    count("prompt_tokens", "prompt"),
    count("completion_tokens", "completion"),
    count("total_tokens", "total"),
    check(
      "cache",
      [usage.prompt_cache_read_tokens ?? null, usage.prompt_cache_write_tokens ?? null],
      [isUsage ? expect.cache_read_tokens : null, isUsage ? expect.cache_write_tokens : null],
    ),
    check("reasoning", usage.reasoning_tokens, isUsage ? expect.reasoning_tokens : null),
    check("text", reading.completionText, expect.text, expect.text === "" ? null : expect.text),
    check(
      "tools",
      callsIn(schema),
      listOf(expect.tool_calls).map(({ name, arguments: args }) => ({ name, arguments: asObject(args) })),
    ),
    check("error", reading.error !== undefined, more.error !== undefined || more.stream_error !== undefined),
    ...(more.wire_cost_usd === undefined ? [] : [check("cost", reading.cost, more.wire_cost_usd)]),
  ];
}

/** Some recordings of moderations leave out the model although the response names it. */
const modelSent = ({ expect, response }: Json): Json[] =>
  expect.model === null && typeof response.body === "string" ? [parseJson(response.body)?.model] : [];

const asObject = (args: Json): Json => {
  const parsed = typeof args === "string" ? parseJson(args) : args;
  return isObject(parsed) ? parsed : { _raw: args };
};

/** Calls of the first choice, as the neutral schema has them. */
function callsIn(schema: LlmSchema | null): Json[] {
  const { messages = [], responses = [] } = schema?.response ?? {};
  const first = [...messages.filter((message) => (message.idx ?? 0) === 0), ...responses];
  return first
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => ({ name: call.name, arguments: call.arguments }));
}

/** A record's counts from the numbers on the wire, by the rule of each provider. */
function inclusiveCounts({ provider, expect, expect_more: more = {} }: Json) {
  const sum = (...parts: Json[]) => {
    const present = parts.filter((part) => typeof part === "number");
    return present.length === 0 ? null : present.reduce((total, part) => total + part, 0);
  };
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    cache_read_tokens: read,
    cache_write_tokens: write,
  } = expect;
  const raw = more.usage_raw ?? {};
  let counts = { prompt_tokens: prompt, completion_tokens: completion };
  if (raw.iterations !== undefined) {
    counts = {
      prompt_tokens: sum(...raw.iterations.map((pass: Json) => pass.input_tokens)),
      completion_tokens: sum(...raw.iterations.map((pass: Json) => pass.output_tokens)),
    };
  } else if (provider === "anthropic" || raw.inputTokens !== undefined) {
    counts.prompt_tokens = sum(prompt, read, write);
  } else if (raw.promptTokenCount !== undefined || raw.total_input_tokens !== undefined) {
    counts = {
      prompt_tokens: sum(prompt, raw.toolUsePromptTokenCount),
      completion_tokens: sum(completion, expect.reasoning_tokens),
    };
  } else if (expect.reasoning_tokens > completion) counts.completion_tokens = completion + expect.reasoning_tokens;
  else if (expect.total_tokens > prompt + completion && more.prompt_audio_tokens > 0)
    counts.prompt_tokens = prompt + more.prompt_audio_tokens;
  const both = counts.prompt_tokens !== null && counts.completion_tokens !== null;
  const total = both
    ? sum(counts.prompt_tokens, counts.completion_tokens)
    : (expect.total_tokens ?? counts.prompt_tokens ?? counts.completion_tokens);
  return { ...counts, total_tokens: total };
}
