import type { Database, Statement } from "../../../store/store.ts";
import { FORGET_DUE, noteDue } from "../../../store/words/due.ts";
import { insertWords, type Words } from "../../../store/words/shards.ts";

/** Records whose words go into the index together: a full-text table is merged with each transaction that adds to it. */
const RECORDS_MAX = 2_000;
/** Characters of their texts, which are in memory until then. */
const CHARACTERS_MAX = 4_000_000;
/** Words are in the index so long after their record, at the latest. */
const WAIT_MS = 5_000;

/** What is to happen with the words of some records in the transaction of their bodies. */
interface Plan {
  readonly statements: readonly Statement[];
  /** To be called once the records are committed. */
  readonly done: () => void;
}

/**
 * Words that wait for the index, where one process alone writes and reads it. A search, and a change of what was recorded
 * before, puts them there first. Which records they are of is noted in the database.
 */
export class WordBacklog {
  readonly #waiting = new Map<number, Words>();
  #characters = 0;
  #sinceMs = 0;

  /** @param atOnce - they do not wait. */
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
    return [...insertWords([...this.#waiting.values(), ...more]), FORGET_DUE];
  }
}
