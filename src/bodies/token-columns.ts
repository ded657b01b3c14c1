import type { Usage } from "../plugin-host/contract.ts";

/** The token columns of a record. A count that is missing or invalid is null. */
export function tokenColumns(usage: Usage | undefined): Record<keyof Usage, number | null> {
  const prompt = toCount(usage?.prompt_tokens);
  const completion = toCount(usage?.completion_tokens);
  const sum = prompt !== null && completion !== null ? prompt + completion : undefined;
  return {
    total_tokens: sum ?? toCount(usage?.total_tokens) ?? prompt ?? completion,
    prompt_tokens: prompt,
    completion_tokens: completion,
    prompt_cache_read_tokens: toCount(usage?.prompt_cache_read_tokens),
    prompt_cache_write_tokens: toCount(usage?.prompt_cache_write_tokens),
    prompt_cache_write_1h_tokens: toCount(usage?.prompt_cache_write_1h_tokens),
    prompt_audio_tokens: toCount(usage?.prompt_audio_tokens),
    completion_audio_tokens: toCount(usage?.completion_audio_tokens),
    reasoning_tokens: toCount(usage?.reasoning_tokens),
  };
}

function toCount(value: unknown): number | null {
  if (typeof value !== "number" || !(value >= 0)) return null;
  const count = Math.round(value);
  return Number.isSafeInteger(count) ? count : null;
}
