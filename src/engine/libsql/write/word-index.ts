import type { MappingsOfProviders } from "../../../store/bodies/body-text.ts";
import type { Statement, Store } from "../../../store/store.ts";
import { FORGET_DUE, readDue } from "../../../store/words/due.ts";
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
  readonly ofProviders: MappingsOfProviders;
}

/** Collects the text of records for the word index. */
export class WordIndex {
  readonly #options: WordIndexOptions;
  readonly #backlog = new WordBacklog();

  constructor(options: WordIndexOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return this.#backlog.isDue;
  }

  /** What to do with the words of these records in the transaction of their bodies. */
  plan(written: readonly { readonly record: Pick<Storable, "row" | "texts">; readonly seq: number }[]): {
    readonly statements: readonly Statement[];
    readonly done: () => void;
  } {
    return this.#backlog.plan(this.#wordsOf(written), this.#options.isShared);
  }

  /** Indexes all pending words. */
  fill({ bodies }: Store): Promise<void> {
    return this.#backlog.index(bodies);
  }

  /** Indexes the words that an earlier process, or a failed commit, left out. */
  async fillDue({ records, bodies }: Store): Promise<void> {
    this.#backlog.clear();
    if (this.#options.isShared) return;
    const due = await readDue(bodies);
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
    if (due.length > 0) await bodies.batch([FORGET_DUE]);
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
