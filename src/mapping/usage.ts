import type { Json, Usage } from "../plugin-host/contract.ts";
import { countOf, firstCount, isObject, listOf, pickDefined, sumOfList, sumOfPresent, textOf } from "./json.ts";

/**
 * Converts providers' token counts into inclusive ones: `prompt_tokens` is all input and `completion_tokens` all output.
 * Each reader accepts any JSON.
 */

const COUNTS: Readonly<Record<keyof Usage, true>> = {
  prompt_tokens: true,
  completion_tokens: true,
  total_tokens: true,
  prompt_cache_read_tokens: true,
  prompt_cache_write_tokens: true,
  prompt_cache_write_1h_tokens: true,
  prompt_audio_tokens: true,
  completion_audio_tokens: true,
  reasoning_tokens: true,
};

/** All counts that a usage may have; columns of a record have the same names. */
export const USAGE_COUNTS = Object.keys(COUNTS) as readonly (keyof Usage)[];

/**
 * A usage without the counts that cannot be true, as if the provider had not reported them; undefined if it is no usage.
 * A provider's own reader, which may be foreign code, or an older record may have any values.
 */
export function soundUsage(usage: Usage | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  let sound: Usage = usage;
  for (const name of USAGE_COUNTS) {
    if (!Object.hasOwn(usage, name) || countOf(usage[name]) === usage[name]) continue;
    const { [name]: _, ...others } = sound;
    sound = others;
  }
  return sound;
}

/**
 * Chat completions, responses, embeddings and compatible APIs. Both sets of names are read, because proxies mix them.
 *
 * Some APIs exclude a part from its count. The total shows it: xAI's `completion_tokens` lack reasoning, Mistral's
 * `prompt_tokens` lack audio. If reasoning exceeds all output (Vercel in front of Gemini), it cannot be included.
 */
export function openAiUsage(usage: Json): Usage | undefined {
  if (!isObject(usage) || usage.type === "duration") return undefined;
  const { input, output } = detailsOf(usage);
  const prompt = firstCount(usage.prompt_tokens, usage.input_tokens);
  const completion = firstCount(usage.completion_tokens, usage.output_tokens);
  const total = countOf(usage.total_tokens);
  const reasoning = firstCount(output?.reasoning_tokens, usage.reasoning_tokens);
  const promptAudio = firstCount(input?.audio_tokens, usage.prompt_audio_tokens);

  const missing = total === undefined ? 0 : total - (prompt ?? 0) - (completion ?? 0);
  const reasoningOutside = isPart(reasoning) && (missing === reasoning || reasoning > (completion ?? Infinity));
  const audioOutside = isPart(promptAudio) && !reasoningOutside && missing === promptAudio;
  return some({
    prompt_tokens: audioOutside ? sumOfPresent(prompt, promptAudio) : prompt,
    completion_tokens: reasoningOutside ? sumOfPresent(completion, reasoning) : completion,
    total_tokens: total,
    prompt_cache_read_tokens: firstCount(
      input?.cached_tokens,
      usage.cached_tokens,
      usage.num_cached_tokens,
      usage.prompt_cache_hit_tokens,
      usage.cache_read_input_tokens,
    ),
    prompt_cache_write_tokens: firstCount(
      input?.cache_write_tokens,
      input?.cache_creation_tokens,
      usage.cache_creation_input_tokens,
    ),
    prompt_audio_tokens: promptAudio,
    completion_audio_tokens: firstCount(output?.audio_tokens, usage.completion_audio_tokens),
    reasoning_tokens: reasoning,
  });
}

const detailsOf = (usage: Json) => ({
  input: usage?.prompt_tokens_details ?? usage?.input_tokens_details ?? usage?.input_token_details,
  output: usage?.completion_tokens_details ?? usage?.output_tokens_details ?? usage?.output_token_details,
});

/** All input. Embeddings often have only a total: without output, the total is the input. */
export const inputTokens = (usage: Usage | undefined): number | undefined =>
  usage?.prompt_tokens ?? (usage?.completion_tokens === undefined ? usage?.total_tokens : undefined);

const isPart = (count: number | undefined): count is number => count !== undefined && count > 0;

/**
 * Anthropic messages: `input_tokens` excludes cached input, so the three counts are added. The top-level counts exclude the
 * passes of a compaction and of an adviser model, which are billed too: `iterations` has all passes.
 */
export function anthropicUsage(usage: Json): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const passes = passesOf(usage);
  const only = passes.length === 1 ? passes[0] : undefined;
  const sum = (count: (pass: Json) => number | undefined) =>
    only === undefined ? sumOfList(passes.map(count)) : count(only);
  const read = sum((pass) => countOf(pass.cache_read_input_tokens));
  const write = sum((pass) => countOf(pass.cache_creation_input_tokens) ?? cacheWriteParts(pass.cache_creation));
  return some({
    prompt_tokens: sumOfPresent(
      sum((pass) => countOf(pass.input_tokens)),
      read,
      write,
    ),
    completion_tokens: sum((pass) => countOf(pass.output_tokens)),
    prompt_cache_read_tokens: read,
    prompt_cache_write_tokens: write,
    prompt_cache_write_1h_tokens: sum(hourWrites) ?? hourWrites(usage),
    reasoning_tokens: countOf(usage.output_tokens_details?.thinking_tokens),
  });
}
const cacheWriteParts = (parts: Json) =>
  sumOfPresent(countOf(parts?.ephemeral_5m_input_tokens), countOf(parts?.ephemeral_1h_input_tokens));
const hourWrites = (pass: Json) => countOf(pass.cache_creation?.ephemeral_1h_input_tokens);

/** Anthropic's passes for one request, including those of a compaction or an adviser; without such a list, one pass. */
export function passesOf(usage: Json): readonly Json[] {
  const all = listOf(usage?.iterations);
  const passes = all.length === 0 ? all : all.filter((pass) => countOf(pass?.input_tokens) !== undefined);
  return passes.length > 0 ? passes : [usage];
}

/**
 * Gemini: thoughts are excluded from the candidates' count and tool results from the prompt's; cached content is included in
 * it.
 */
export function geminiUsage(usage: Json): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const thoughts = countOf(usage.thoughtsTokenCount);
  return some({
    prompt_tokens: sumOfPresent(countOf(usage.promptTokenCount), countOf(usage.toolUsePromptTokenCount)),
    completion_tokens: sumOfPresent(firstCount(usage.candidatesTokenCount, usage.responseTokenCount), thoughts),
    total_tokens: countOf(usage.totalTokenCount),
    prompt_cache_read_tokens: countOf(usage.cachedContentTokenCount),
    prompt_audio_tokens: ofModality("audio", usage.promptTokensDetails),
    completion_audio_tokens: ofModality("audio", usage.candidatesTokensDetails),
    reasoning_tokens: thoughts,
  });
}

/** Gemini interactions: the same arithmetic under other names. */
export function interactionsUsage(usage: Json): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const thoughts = firstCount(usage.total_thought_tokens, usage.total_reasoning_tokens);
  return some({
    prompt_tokens: sumOfPresent(countOf(usage.total_input_tokens), countOf(usage.total_tool_use_tokens)),
    completion_tokens: sumOfPresent(countOf(usage.total_output_tokens), thoughts),
    total_tokens: countOf(usage.total_tokens),
    prompt_cache_read_tokens: countOf(usage.total_cached_tokens),
    prompt_audio_tokens: ofModality("audio", usage.input_tokens_by_modality),
    completion_audio_tokens: ofModality("audio", usage.output_tokens_by_modality),
    reasoning_tokens: thoughts,
  });
}

/** Google's list of tokens by modality. */
function ofModality(modality: "audio" | "image", details: Json): number | undefined {
  if (details === undefined) return undefined;
  const those = listOf(details).filter((detail) => textOf(detail?.modality)?.toLowerCase() === modality);
  return sumOfList(those.map((detail) => firstCount(detail.tokenCount, detail.tokens)));
}

/** Image tokens in input and output, which some models price separately; records have no member for them. */
export function imageTokens(usage: Json): { readonly input: number | undefined; readonly output: number | undefined } {
  const { input, output } = detailsOf(usage);
  return {
    input:
      countOf(input?.image_tokens) ??
      ofModality("image", usage?.promptTokensDetails ?? usage?.input_tokens_by_modality),
    output:
      countOf(output?.image_tokens) ??
      ofModality("image", usage?.candidatesTokensDetails ?? usage?.output_tokens_by_modality),
  };
}

/** Audio and image tokens of the cached input, for providers that report them; records have no member for them. */
export function cachedParts(usage: Json): { readonly audio: number | undefined; readonly image: number | undefined } {
  const parts = detailsOf(usage).input?.cached_tokens_details;
  const details = usage?.cacheTokensDetails ?? usage?.cached_tokens_by_modality;
  return {
    audio: countOf(parts?.audio_tokens) ?? ofModality("audio", details),
    image: countOf(parts?.image_tokens) ?? ofModality("image", details),
  };
}

/** Bedrock converse: `inputTokens` excludes cached input. Each cache count is sent under two names. */
export function converseUsage(usage: Json): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const read = firstCount(usage.cacheReadInputTokens, usage.cacheReadInputTokenCount);
  const write = firstCount(usage.cacheWriteInputTokens, usage.cacheWriteInputTokenCount);
  return some({
    prompt_tokens: sumOfPresent(countOf(usage.inputTokens), read, write),
    completion_tokens: countOf(usage.outputTokens),
    total_tokens: countOf(usage.totalTokens),
    prompt_cache_read_tokens: read,
    prompt_cache_write_tokens: write,
    prompt_cache_write_1h_tokens: oneHourWrites(usage.cacheDetails),
  });
}
function oneHourWrites(details: Json): number | undefined {
  const hour = listOf(details).filter((detail) => detail?.ttl === "1h");
  return sumOfList(hour.map((detail) => countOf(detail?.inputTokens)));
}

/** Cohere: `tokens` are the real counts, `billed_units` the charged ones. */
export function cohereUsage(usage: Json): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const counts = isObject(usage.tokens) ? usage.tokens : usage.billed_units;
  return some({
    prompt_tokens: countOf(counts?.input_tokens),
    completion_tokens: countOf(counts?.output_tokens),
    prompt_cache_read_tokens: countOf(usage.cached_tokens),
    reasoning_tokens: countOf(usage.tokens?.reasoning_tokens),
  });
}

/** Ollama: counts are on the response itself, in a stream on its last line. */
export function ollamaUsage(body: Json): Usage | undefined {
  return some({
    prompt_tokens: countOf(body?.prompt_eval_count),
    completion_tokens: countOf(body?.eval_count),
  });
}

/** Bedrock sends the counts of any invocation in headers, for some models only there. */
export function bedrockHeaderUsage(headers: Headers): Usage | undefined {
  const read = countOf(headers.get("x-amzn-bedrock-cache-read-input-token-count"));
  const write = countOf(headers.get("x-amzn-bedrock-cache-write-input-token-count"));
  return some({
    prompt_tokens: sumOfPresent(countOf(headers.get("x-amzn-bedrock-input-token-count")), read, write),
    completion_tokens: countOf(headers.get("x-amzn-bedrock-output-token-count")),
    prompt_cache_read_tokens: read,
    prompt_cache_write_tokens: write,
  });
}

/** Bedrock's own counts, on the last event of an invocation's stream. */
export function bedrockMetricsUsage(metrics: Json): Usage | undefined {
  if (!isObject(metrics)) return undefined;
  const read = countOf(metrics.cacheReadInputTokenCount);
  const write = countOf(metrics.cacheWriteInputTokenCount);
  return some({
    prompt_tokens: sumOfPresent(countOf(metrics.inputTokenCount), read, write),
    completion_tokens: countOf(metrics.outputTokenCount),
    prompt_cache_read_tokens: read,
    prompt_cache_write_tokens: write,
  });
}

/** Maximum characters of a stored usage block. A longer one holds something else, and would make its row long. */
const RAW_CHARS_MAX = 65_536;

/** A usage block as it is stored, from which costs are computed again; null if there is none. */
export function storedUsage(raw: Json): string | null {
  const text = raw === undefined ? undefined : JSON.stringify(raw);
  return text === undefined || text.length > RAW_CHARS_MAX ? null : text;
}

/** The usage with its total. */
export function withTotal(usage: Usage): Usage {
  const total = totalOf(usage);
  return total === undefined ? usage : { ...usage, total_tokens: total };
}

/** The sum; if one part is unknown, the provider's total, but at least the known part. */
export function totalOf({ prompt_tokens: prompt, completion_tokens: completion, total_tokens: total }: Usage) {
  if (prompt !== undefined && completion !== undefined) return prompt + completion;
  const known = prompt ?? completion;
  return total === undefined || known === undefined ? (total ?? known) : Math.max(total, known);
}

/** The present counts; `undefined` if there are none. */
function some(counts: { [K in keyof Usage]: Usage[K] | undefined }): Usage | undefined {
  const usage = pickDefined(counts);
  return Object.keys(usage).length === 0 ? undefined : (usage as Usage);
}
