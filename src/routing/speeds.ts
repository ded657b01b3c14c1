/** Measurements of a finished attempt. */
export interface Sample {
  /** Milliseconds to the first token of a stream; undefined if the response was not a stream. */
  readonly firstTokenMs?: number | undefined;
  /** Milliseconds from the call to the end of the response. */
  readonly totalMs: number;
  readonly outputTokens?: number | undefined;
  /** The request whose record will contain the output tokens, if the gateway does not read the response itself. */
  readonly requestId?: string | undefined;
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
/** Samples whose tokens are not known yet: so many are kept at least, and twice as many at most. */
const WAITING_MIN = 1_000;

interface Waiting {
  readonly target: string;
  readonly sample: Sample;
}

/** Recent speeds and output lengths of targets. In memory, per process. */
export class Speeds {
  readonly #firstToken = new Map<string, Kept[]>();
  readonly #perToken = new Map<string, Kept[]>();
  readonly #outputs = new Map<string, Kept[]>();
  /**
   * By the request's id: a map that fills up, and the one that was full before it. A single map that loses an entry per
   * request leaves its old tables behind, which a small garbage collection keeps.
   */
  #waiting = new Map<string, Waiting>();
  #waitedBefore = this.#waiting;

  /** @param target - of `speedKey`. */
  note(target: string, sample: Sample, now: number): void {
    const { firstTokenMs, totalMs, outputTokens, requestId } = sample;
    if (requestId !== undefined) {
      if (this.#waiting.size >= WAITING_MIN) {
        this.#waitedBefore = this.#waiting;
        this.#waiting = new Map();
      }
      this.#waiting.set(requestId, { target, sample });
    }
    if (firstTokenMs !== undefined) keep(this.#firstToken, target, { at: now, value: firstTokenMs }, SAMPLES_MAX);
    else if (outputTokens !== undefined && outputTokens > 0)
      keep(this.#perToken, target, { at: now, value: totalMs / outputTokens }, SAMPLES_MAX);
    if (outputTokens !== undefined) keep(this.#outputs, target, { at: now, value: outputTokens }, OUTPUTS_MAX);
  }

  /** Called once, when the record of a request contains its output tokens. */
  noteTokens(requestId: string, outputTokens: number, now = Date.now()): void {
    const waiting = this.#waiting.get(requestId) ?? this.#waitedBefore.get(requestId);
    if (waiting === undefined) return;
    const { target, sample } = waiting;
    // The first token of a stream is known already.
    if (sample.firstTokenMs === undefined) this.note(target, { totalMs: sample.totalMs, outputTokens }, now);
    else keep(this.#outputs, target, { at: now, value: outputTokens }, OUTPUTS_MAX);
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
