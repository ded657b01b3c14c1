import type { Choice } from "./resolve.ts";

const MODELS_MAX = 1_000;

interface Asked {
  /** Who asks: another value when what it may use changes. */
  readonly key: object;
  /** A model string. */
  readonly model: string;
  /** What the meaning depends on: each another value when it changes. */
  readonly under: readonly object[];
}

/** What the model strings of keys stand for: most requests repeat one. What is remembered of it, by value, serves them all. */
export class ChoiceMemory {
  #under: readonly object[] = [];
  #known = new WeakMap<object, Map<string, readonly Choice[]>>();

  /** @param resolve - may throw: that is not remembered. */
  of({ key, model, under }: Asked, resolve: () => readonly Choice[]): readonly Choice[] {
    if (under.length !== this.#under.length || under.some((each, at) => each !== this.#under[at])) {
      this.#under = under;
      this.#known = new WeakMap();
    }
    const known = this.#known.get(key) ?? new Map<string, readonly Choice[]>();
    const found = known.get(model);
    if (found !== undefined) return found;
    const choices = resolve();
    if (known.size >= MODELS_MAX) known.clear();
    this.#known.set(key, known.set(model, choices));
    return choices;
  }
}
