/** What a finished attempt took. */
export interface Sample {
  /** Milliseconds to the first token of a stream; undefined where the answer did not stream. */
  readonly firstTokenMs?: number;
  /** Milliseconds from the call to the end of the answer. */
  readonly totalMs: number;
  /** Output tokens; undefined while they are not known. */
  readonly outputTokens?: number;
}

interface Kept {
  readonly at: number;
  readonly value: number;
}

const WINDOW_MS = 10 * 60_000;
const SAMPLES_MAX = 100;
const SAMPLES_MIN = 5;
const DAY_MS = 86_400_000;
const OUTPUTS_MAX = 500;
const TARGETS_MAX = 2_000;

/** How fast targets answered lately, and how much they wrote. In memory, per process. */
export class Speeds {
  readonly #firstToken = new Map<string, Kept[]>();
  readonly #perToken = new Map<string, Kept[]>();
  readonly #outputs = new Map<string, Kept[]>();

  /** @param target - `PROVIDER/model`. */
  note(target: string, { firstTokenMs, totalMs, outputTokens }: Sample, now: number): void {
    if (firstTokenMs !== undefined) keep(this.#firstToken, target, { at: now, value: firstTokenMs }, SAMPLES_MAX);
    else if (outputTokens !== undefined && outputTokens > 0)
      keep(this.#perToken, target, { at: now, value: totalMs / outputTokens }, SAMPLES_MAX);
    if (outputTokens !== undefined) keep(this.#outputs, target, { at: now, value: outputTokens }, OUTPUTS_MAX);
  }

  /** The median of the last ten minutes; 0, the fastest there is, with fewer than five samples. */
  of(target: string, streamed: boolean, now: number): number {
    const samples = since((streamed ? this.#firstToken : this.#perToken).get(target), now - WINDOW_MS);
    return samples.length < SAMPLES_MIN ? 0 : median(samples);
  }

  /** The median output of the last day, in tokens; undefined where none is known. */
  medianOutput(target: string, now: number): number | undefined {
    const samples = since(this.#outputs.get(target), now - DAY_MS);
    return samples.length === 0 ? undefined : median(samples);
  }
}

function keep(map: Map<string, Kept[]>, key: string, sample: Kept, max: number): void {
  const samples = map.get(key) ?? [];
  if (samples.length === 0) {
    if (map.size >= TARGETS_MAX) map.delete(map.keys().next().value!);
    map.set(key, samples);
  }
  samples.push(sample);
  if (samples.length > max) samples.shift();
}

function since(samples: readonly Kept[] | undefined, time: number): number[] {
  return (samples ?? []).filter(({ at }) => at >= time).map(({ value }) => value);
}

function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
