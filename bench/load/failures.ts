import { messageOf } from "../../src/log.ts";

/** Left out of reasons, so that equal ones are counted as one. */
const IDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const REASON_LENGTH_MAX = 200;
/** Different reasons that are counted separately; further ones are counted as `OTHER`. */
const REASONS_MAX = 200;
const OTHER = "other";

type ByKind = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Why requests failed, counted by kind of traffic and reason. */
export class Failures {
  readonly #all = new Map<string, Map<string, number>>();
  #new = new Map<string, Map<string, number>>();
  #reasons = 0;
  count = 0;

  add(kind: string, error: unknown): void {
    const said = messageOf(error).replace(IDS, "<id>").slice(0, REASON_LENGTH_MAX);
    const isKnown = this.#all.get(kind)?.has(said) ?? false;
    if (!isKnown) this.#reasons += 1;
    const reason = isKnown || this.#reasons <= REASONS_MAX ? said : OTHER;
    this.count += 1;
    increase(this.#all, kind, reason);
    increase(this.#new, kind, reason);
  }

  /** Those since the last call. */
  takeNew(): ByKind {
    const taken = this.#new;
    this.#new = new Map();
    return plain(taken);
  }

  all(): ByKind {
    return plain(this.#all);
  }
}

function increase(counts: Map<string, Map<string, number>>, kind: string, reason: string): void {
  const ofKind = counts.get(kind) ?? new Map<string, number>();
  counts.set(kind, ofKind.set(reason, (ofKind.get(reason) ?? 0) + 1));
}

const plain = (counts: ReadonlyMap<string, ReadonlyMap<string, number>>): ByKind =>
  Object.fromEntries([...counts].map(([kind, reasons]) => [kind, Object.fromEntries(reasons)]));
