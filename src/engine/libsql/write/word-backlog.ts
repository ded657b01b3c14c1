import type { Database, Statement } from "../../../store/store.ts";
import { forgetAfter, noteDue } from "../../../store/words/due.ts";
import { insertWords, type Words } from "../../../store/words/shards.ts";

/** Records whose words are indexed together: each transaction that adds to a full-text table merges it. */
const RECORDS_MAX = 4_000;
/** Characters of their texts, which stay in memory until then. */
const CHARACTERS_MAX = 4_000_000;
/** Words are indexed at most this long after their record. */
const WAIT_MS = 5_000;

/** What to do with the words of some records in the transaction of their bodies. */
interface Plan {
  readonly statements: readonly Statement[];
  /** Call it once the records are committed. */
  readonly done: () => void;
}

/**
 * Words waiting to be indexed, when a single process writes and reads the index. A search, or a change of older records,
 * indexes them first. The database notes which records they belong to.
 */
export class WordBacklog {
  readonly #waiting = new Map<number, Words>();
  #characters = 0;
  #sinceMs = 0;
  /** Notes up to this one are not of records that wait here. */
  othersUpTo = 0;

  /** @param atOnce - index them immediately. */
  plan(words: readonly Words[], atOnce: boolean): Plan {
    const spoken = words.filter(({ text }) => text !== null);
    const characters = spoken.reduce((sum, { text }) => sum + text!.length, 0);
    const isFull = this.#waiting.size + spoken.length >= RECORDS_MAX || this.#characters + characters > CHARACTERS_MAX;
    if (spoken.length === 0) return { statements: [], done: () => {} };
    if (atOnce) return { statements: insertWords(spoken), done: () => {} };
    if (isFull) return { statements: this.#insert(spoken), done: () => this.clear() };
    const done = () => {
      if (this.#waiting.size === 0) this.#sinceMs = performance.now();
      for (const each of spoken) this.#waiting.set(each.seq, each);
      this.#characters += characters;
    };
    return { statements: [noteDue(spoken.map(({ seq }) => seq))], done };
  }

  /** Whether some have waited long enough. */
  get isDue(): boolean {
    return this.#waiting.size > 0 && performance.now() - this.#sinceMs > WAIT_MS;
  }

  async index(bodies: Database): Promise<void> {
    if (this.#waiting.size === 0) return;
    await bodies.batch(this.#insert([]));
    this.clear();
  }

  clear(): void {
    this.#waiting.clear();
    this.#characters = 0;
  }

  #insert(more: readonly Words[]): Statement[] {
    return [...insertWords([...this.#waiting.values(), ...more]), forgetAfter(this.othersUpTo)];
  }
}
