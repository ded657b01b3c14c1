import { GatewayError } from "../../../errors.ts";
import type { MappingsOfProviders } from "../../../store/bodies/body-text.ts";
import type { Statement, Store } from "../../../store/store.ts";
import { forgetUpTo, newestNote, readDue } from "../../../store/words/due.ts";
import { saidTexts } from "../../../store/words/said-texts.ts";
import { insertWords, type Words } from "../../../store/words/shards.ts";
import type { Storable } from "../../storable.ts";
import { WordBacklog } from "./word-backlog.ts";

/** Records whose bodies are read together, for their words. */
const TEXTS_AT_ONCE = 50;

interface WordIndexOptions {
  readonly isShared: boolean;
  /** Whether new words are indexed. */
  readonly isOn: boolean;
  /** Whether bodies may be away with an object store. */
  readonly hasObjects: boolean;
  readonly ofProviders: MappingsOfProviders;
}

/** The wait before bodies are read again that the object store did not return. */
const LATE_MS = 30_000;

/** Collects the text of records for the word index. */
export class WordIndex {
  readonly #options: WordIndexOptions;
  readonly #backlog = new WordBacklog();
  /** Notes up to this one are of an earlier process, or of a failed commit, and their bodies are still to be read; 0 for none. */
  #lateUpTo = 0;
  #lateAtMs = 0;

  constructor(options: WordIndexOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return this.#backlog.isDue || this.#lateIsDue;
  }

  get #lateIsDue(): boolean {
    return this.#lateUpTo > 0 && performance.now() >= this.#lateAtMs;
  }

  /** What to do with the words of these records in the transaction of their bodies. */
  plan(written: readonly { readonly record: Pick<Storable, "row" | "texts">; readonly seq: number }[]): {
    readonly statements: readonly Statement[];
    readonly done: () => void;
  } {
    const { statements, done } = this.#backlog.plan(this.#wordsOf(written), this.#options.isShared);
    return {
      statements,
      done: () => {
        done();
        this.#lateAtMs = 0; // the object store has just taken bodies
      },
    };
  }

  /** Indexes all pending words, except for those whose bodies are away with the object store. */
  async fill(store: Store): Promise<void> {
    if (this.#lateIsDue) await this.#fillLate(store);
    return this.#backlog.index(store.bodies);
  }

  /**
   * Indexes the words that an earlier process, or a failed commit, left out. With an object store the next `fill` does so:
   * everything but the words is there while the store is away.
   */
  async fillDue(store: Store): Promise<void> {
    this.#backlog.clear();
    if (this.#options.isShared) return;
    this.#setLate(await newestNote(store.bodies));
    if (!this.#options.hasObjects) await this.#fillLate(store);
  }

  #setLate(upTo: number): void {
    this.#lateUpTo = upTo;
    this.#lateAtMs = 0;
    this.#backlog.othersUpTo = upTo;
  }

  async #fillLate(store: Store): Promise<void> {
    try {
      await this.#indexNoted(store);
      await store.bodies.batch([forgetUpTo(this.#lateUpTo)]);
      this.#setLate(0);
    } catch (error) {
      if (!(error instanceof GatewayError && error.code === "bodies_unavailable")) throw error;
      this.#lateAtMs = performance.now() + LATE_MS;
    }
  }

  async #indexNoted({ records, bodies }: Store): Promise<void> {
    const due = await readDue(bodies, this.#lateUpTo);
    for (let at = 0; at < due.length; at += TEXTS_AT_ONCE) {
      const seqs = due.slice(at, at + TEXTS_AT_ONCE);
      const texts = await saidTexts(records, seqs, this.#options.ofProviders, bodies);
      const owners = await records.query<{ seq: number; organizationId: string }>({
        sql: `select seq, organization_id as organizationId from requests where seq in (select value from json_each(?))`,
        args: [JSON.stringify(seqs)],
      });
      const words = owners.map((row) => ({ ...row, text: texts.get(row.seq) ?? null }));
      if (this.#options.isOn) await bodies.batch(insertWords(words));
    }
  }

  #wordsOf(written: readonly { readonly record: Pick<Storable, "row" | "texts">; readonly seq: number }[]): Words[] {
    if (!this.#options.isOn) return [];
    return written.map(({ record: { row, texts }, seq }) => ({
      seq,
      organizationId: row.organization_id,
      text: texts.said,
    }));
  }
}
