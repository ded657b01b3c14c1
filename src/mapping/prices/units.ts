import type { Json, Usage } from "../../plugin-host/contract.ts";
import { COUNT_MAX, countOf, filledText, isObject, numberOf, pickDefined } from "../json.ts";
import { anthropicUsage, cachedParts, imageTokens, inputTokens, passesOf } from "../usage.ts";

/** Charged units, under the names of the price table: all input and all output, and the parts with other prices. */
export interface Units {
  readonly input_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly cache_write_1h_tokens?: number;
  readonly input_audio_tokens?: number;
  readonly cache_audio_read_tokens?: number;
  readonly input_image_tokens?: number;
  readonly cache_image_read_tokens?: number;
  readonly output_tokens?: number;
  readonly output_audio_tokens?: number;
  readonly output_image_tokens?: number;
  readonly web_searches?: number;
  readonly storage_searches?: number;
  readonly rerank_searches?: number;
  readonly audio_seconds?: number;
}

/** One model's part of an exchange, which is nearly always the complete exchange. */
export interface Bill {
  /** Present if it differs from the exchange's model. */
  readonly model?: string;
  readonly units: Units;
}

/** Maximum models of one exchange; more is not legitimate usage. */
const MODELS_MAX = 10;

/**
 * The charged units of an exchange, model by model; empty if unknown. At Anthropic, another model may have advised the final
 * one, or declined before it: `iterations` names it.
 *
 * @param provider - upper case.
 */
export function billsOf(provider: string, usage: Usage | undefined, raw: Json): readonly Bill[] {
  if (!Array.isArray(raw?.iterations)) return billOf(undefined, unitsOf(provider, usage, raw));
  const passes = passesOf(raw);
  // Without a list, all usage is one pass of the exchange's model.
  const models = passes.map((pass) => (pass === raw ? undefined : filledText(pass?.model)));
  if (models.every((model) => model === undefined)) return billOf(undefined, unitsOf(provider, usage, raw));
  const names = [...new Set(models)];
  if (names.length > MODELS_MAX) return [];
  return names.flatMap((model) => {
    const own = { iterations: passes.filter((_pass, at) => models[at] === model) };
    const block = model === models.at(-1) ? { ...raw, ...own } : own;
    return billOf(model, unitsOf(provider, anthropicUsage(block), block));
  });
}

const billOf = (model: string | undefined, units: Units | undefined): Bill[] =>
  units === undefined ? [] : [model === undefined ? { units } : { model, units }];

/** @param raw - the usage block as sent, which also counts charged units that are not tokens. */
function unitsOf(provider: string, usage: Usage | undefined, raw: Json): Units | undefined {
  const seconds = raw?.type === "duration" ? secondsOf(raw.seconds) : undefined;
  if (seconds !== undefined) return { audio_seconds: seconds };
  const billed = provider === "COHERE" && isObject(raw?.billed_units) ? raw.billed_units : undefined;
  const reranked = billed?.input_tokens === undefined ? countOf(billed?.search_units) : undefined;
  if (reranked !== undefined) return { rerank_searches: reranked };
  const input = countOf(billed?.input_tokens) ?? inputTokens(usage);
  if (input === undefined || usage === undefined) return undefined;
  const output = countOf(billed?.output_tokens) ?? usage.completion_tokens ?? 0;
  const read = billed === undefined ? within(usage.prompt_cache_read_tokens, input) : undefined;
  const write = within(usage.prompt_cache_write_tokens, input - (read ?? 0));
  const audio = within(usage.prompt_audio_tokens, input);
  const images = imageTokens(raw);
  const image = within(images.input, input);
  const cached = cachedParts(raw);
  // If the audio or image share of the cached input is not reported, it is at least the part that exceeds the rest.
  const cachedOf = (part: number | undefined, reported: number | undefined) =>
    part && read ? Math.max(part + read - input, Math.min(reported ?? 0, part, read)) : undefined;
  return pickDefined({
    input_tokens: input,
    cache_read_tokens: read,
    cache_write_tokens: write,
    cache_write_1h_tokens: within(usage.prompt_cache_write_1h_tokens, write ?? 0),
    input_audio_tokens: audio,
    cache_audio_read_tokens: cachedOf(audio, cached.audio),
    input_image_tokens: image,
    cache_image_read_tokens: cachedOf(image, cached.image),
    output_tokens: output,
    output_audio_tokens: within(usage.completion_audio_tokens, output),
    output_image_tokens: within(images.output, output),
    web_searches:
      countOf(raw?.server_tool_use?.web_search_requests) ?? countOf(raw?.tool_usage?.web_search?.num_requests),
    storage_searches: countOf(raw?.tool_usage?.file_search?.num_requests),
  });
}

/** Seconds of audio, which need not be whole. */
function secondsOf(value: Json): number | undefined {
  const seconds = numberOf(value);
  return seconds !== undefined && seconds >= 0 && seconds <= COUNT_MAX ? seconds : undefined;
}

/** A present part that is not larger than its total. */
function within(part: number | undefined, whole: number): number | undefined {
  return part === undefined || part <= 0 ? undefined : Math.min(part, whole);
}
