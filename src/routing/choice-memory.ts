import type { Choice } from "./resolve.ts";

const MODELS_MAX = 1_000;

interface Lookup {
  /** The caller: a new value when its permissions change. */
  readonly key: object;
  /** A model string. */
  readonly model: string;
  /** The inputs of the result: each is a new value when it changes. */
  readonly under: readonly object[];
}

/** Resolved model strings per key: most requests repeat one, and share the remembered value. */
export class ChoiceMemory {
  #under: readonly object[] = [];
  #known = new WeakMap<object, Map<string, readonly Choice[]>>();

  /** @param resolve - may throw: errors are not remembered. */
  of({ key, model, under }: Lookup, resolve: () => readonly Choice[]): readonly Choice[] {
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
