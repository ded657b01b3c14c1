/** Measurements of a finished attempt. */
export interface Sample {
  /** Milliseconds to the first token of a stream; undefined if the response was not a stream. */
  readonly firstTokenMs?: number;
  /** Milliseconds from the call to the end of the response. */
  readonly totalMs: number;
  readonly outputTokens?: number;
  /** The request whose record will contain the output tokens, if the gateway does not read the response itself. */
  readonly requestId?: string;
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
/** Samples whose tokens are not known yet. */
const WAITING_MAX = 2_000;

/** Recent speeds and output lengths of targets. In memory, per process. */
export class Speeds {
  readonly #firstToken = new Map<string, Kept[]>();
  readonly #perToken = new Map<string, Kept[]>();
  readonly #outputs = new Map<string, Kept[]>();
  /** By the request's id. */
  readonly #waiting = new Map<string, { readonly target: string; readonly sample: Sample }>();

  /** @param target - of `speedKey`. */
  note(target: string, sample: Sample, now: number): void {
    const { firstTokenMs, totalMs, outputTokens, requestId } = sample;
    if (requestId !== undefined) this.#wait(requestId, { target, sample });
    if (firstTokenMs !== undefined) keep(this.#firstToken, target, { at: now, value: firstTokenMs }, SAMPLES_MAX);
    else if (outputTokens !== undefined && outputTokens > 0)
      keep(this.#perToken, target, { at: now, value: totalMs / outputTokens }, SAMPLES_MAX);
    if (outputTokens !== undefined) keep(this.#outputs, target, { at: now, value: outputTokens }, OUTPUTS_MAX);
  }

  /** Called when the record of a request contains its output tokens. */
  noteTokens(requestId: string, outputTokens: number, now = Date.now()): void {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return;
    this.#waiting.delete(requestId);
    const { target, sample } = waiting;
    // The first token of a stream is known already.
    if (sample.firstTokenMs === undefined) this.note(target, { totalMs: sample.totalMs, outputTokens }, now);
    else keep(this.#outputs, target, { at: now, value: outputTokens }, OUTPUTS_MAX);
  }

  #wait(requestId: string, waiting: { readonly target: string; readonly sample: Sample }): void {
    if (this.#waiting.size >= WAITING_MAX) this.#waiting.delete(this.#waiting.keys().next().value!);
    this.#waiting.set(requestId, waiting);
  }

  /** The median of the last ten minutes; with fewer than five samples 0, which counts as the fastest. */
  of(target: string, streamed: boolean, now: number): number {
    const samples = since((streamed ? this.#firstToken : this.#perToken).get(target), now - WINDOW_MS);
    return samples.length < SAMPLES_MIN ? 0 : median(samples);
  }

  /** The median output of the last day, in tokens; undefined if unknown. */
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
