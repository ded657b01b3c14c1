import { soundUsage, totalOf } from "../mapping/usage.ts";
import type { Usage } from "../plugin-host/contract.ts";

/** The token columns of a record. A count that is missing or invalid is null. */
export function tokenColumns(usage: Usage | undefined): Record<keyof Usage, number | null> {
  const sound = soundUsage(usage) ?? {};
  return {
    total_tokens: totalOf(sound) ?? null,
    prompt_tokens: sound.prompt_tokens ?? null,
    completion_tokens: sound.completion_tokens ?? null,
    prompt_cache_read_tokens: sound.prompt_cache_read_tokens ?? null,
    prompt_cache_write_tokens: sound.prompt_cache_write_tokens ?? null,
    prompt_cache_write_1h_tokens: sound.prompt_cache_write_1h_tokens ?? null,
    prompt_audio_tokens: sound.prompt_audio_tokens ?? null,
    completion_audio_tokens: sound.completion_audio_tokens ?? null,
    reasoning_tokens: sound.reasoning_tokens ?? null,
  };
}
