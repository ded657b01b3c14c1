import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../../config.ts";
import type { Log } from "../../log.ts";
import { newText, shownTexts } from "../../mapping/said.ts";
import type { MappingsOfProviders } from "../../store/bodies/body-text.ts";
import { patiently } from "../../store/database/while-locked.ts";
import type { Store } from "../../store/store.ts";
import { whatRecordsSaid } from "../../store/words/said-texts.ts";
import { shardOf, shards, tableOf } from "../../store/words/shards.ts";
import { atStart, below, leftToFill, readUnfilled, type Unfilled, writeUnfilled } from "../../store/words/unfilled.ts";
import type { RecordChange } from "../../threads.ts";
import { Pace } from "../retention/pace.ts";

/** Maximum records checked per step and read per step, and bytes of bodies. */
const STEP_RECORDS = 1_000;
const READ_RECORDS = 50;
const READ_BYTES = 8 * 1024 * 1024;
/** How long it runs before other jobs get a turn. */
const TURN_MS = 5_000;
const LOG_MS = 10_000;

interface TextFillerOptions {
  readonly config: Pick<Config, "search_index">;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly rewrite: (changes: readonly RecordChange[]) => Promise<unknown>;
  readonly ofProviders: MappingsOfProviders;
  /** Maximum records per step. */
  readonly stepRecords?: number;
}

interface Candidate {
  readonly seq: number;
  readonly request_id: string;
  readonly size_bytes: number;
  /** 1 if the record has `input` and `output`. */
  readonly shown: number;
}

/**
 * Adds missing `input`, `output` and indexed words to records of an earlier version, or recorded while the index was off.
 * Newest first, in small steps beside traffic. Progress is stored after each step: a killed program repeats one step.
 */
export class TextFiller {
  readonly #options: TextFillerOptions;
  readonly #pace = new Pace();
  #unfilled: Unfilled | undefined;
  #filled = 0;
  #reportedAt = 0;

  constructor(options: TextFillerOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#pace.stop();
  }

  /** Runs for some seconds. @returns whether work is left. */
  async turn(): Promise<boolean> {
    this.#unfilled ??= await this.#begin();
    const endsAt = performance.now() + TURN_MS;
    while (!this.#pace.stopped && this.#unfilled.ranges.length > 0 && performance.now() < endsAt) {
      await this.#step(this.#unfilled);
      this.#logProgress();
    }
    return this.#unfilled.ranges.length > 0;
  }

  async #begin(): Promise<Unfilled> {
    const { reader, config } = this.#options;
    const [row] = await reader.records.query<{ newest: number }>({
      sql: "select coalesce(max(seq), 0) as newest from requests",
      args: [],
    });
    const isIndexed = config.search_index !== "no";
    const unfilled = atStart(await readUnfilled(reader.records), { isIndexed, newest: row!.newest });
    await this.#note(unfilled);
    return unfilled;
  }

  async #note(unfilled: Unfilled): Promise<void> {
    const { records } = await this.#options.writer();
    await patiently(() => writeUnfilled(records, unfilled));
    this.#unfilled = unfilled;
  }

  async #step({ ranges, offSince }: Unfilled): Promise<void> {
    const { reader, stepRecords = STEP_RECORDS } = this.#options;
    const { first, last } = ranges[0]!;
    const rows = await this.#pace.step(() =>
      reader.records.query<Candidate>({
        sql: `select seq, request_id, size_bytes, coalesce(input, output, excerpts_packed) is not null as shown
          from requests where seq between ? and ? order by seq desc limit ${stepRecords}`,
        args: [first, last],
      }),
    );
    const indexed = await this.#indexed(rows.map(({ seq }) => seq));
    const wanting = rows.filter(({ seq, shown }) => shown === 0 || !indexed.has(seq));
    for (const part of inParts(wanting)) {
      if (this.#pace.stopped) return;
      await this.#pace.step(() => this.#fill(part));
      await this.#note({ ranges: below(ranges, part.at(-1)!.seq), offSince });
    }
    const end = rows.length < stepRecords ? first : rows.at(-1)!.seq;
    await this.#note({ ranges: below(ranges, end), offSince });
  }

  /** The given records whose words are indexed; all if there is no index. */
  async #indexed(seqs: readonly number[]): Promise<ReadonlySet<number>> {
    if (this.#options.config.search_index === "no") return new Set(seqs);
    const { bodies } = this.#options.reader;
    const there = new Set((await shards(bodies)).map(({ shard }) => shard));
    const indexed = new Set<number>();
    for (const [shard, group] of Map.groupBy(seqs, shardOf)) {
      if (!there.has(shard)) continue;
      const sql = `select id from ${tableOf(shard)}_docsize where id in (select value from json_each(?))`;
      for (const { id } of await bodies.query<{ id: number }>({ sql, args: [JSON.stringify(group)] })) indexed.add(id);
    }
    return indexed;
  }

  async #fill(part: readonly Candidate[]): Promise<void> {
    const { reader, rewrite, ofProviders } = this.#options;
    const shown = new Set(part.filter((each) => each.shown !== 0).map(({ seq }) => seq));
    const said = await whatRecordsSaid(
      reader.records,
      part.map(({ seq }) => seq),
      ofProviders,
    );
    const changes = part.flatMap(({ seq, request_id: requestId }): RecordChange[] => {
      const found = said.get(seq);
      const words = newText(found);
      const columns = shown.has(seq) ? {} : shownTexts(found);
      if (words === null && Object.values(columns).every((text) => text === null)) return [];
      return [{ requestId, columns, ...(words !== null && { words }) }];
    });
    if (changes.length > 0) await rewrite(changes);
    this.#filled += changes.length;
    await nextTurn();
  }

  #logProgress(): void {
    const left = leftToFill(this.#unfilled);
    const isDone = left === 0 && this.#filled > 0;
    if (!isDone && performance.now() - this.#reportedAt < LOG_MS) return;
    this.#reportedAt = performance.now();
    const { log } = this.#options;
    if (isDone) log.info("all records have their input, output and words", { filled: this.#filled });
    else if (left > 0) log.info("older records get their input, output and words", { filled: this.#filled, left });
  }
}

/** Splits records into groups that are read together; a single record may exceed the limit. */
function* inParts(records: readonly Candidate[]): Generator<readonly Candidate[]> {
  for (let at = 0; at < records.length; ) {
    let end = at + 1;
    let bytes = records[at]!.size_bytes;
    while (end < records.length && end - at < READ_RECORDS && bytes + records[end]!.size_bytes <= READ_BYTES) {
      bytes += records[end++]!.size_bytes;
    }
    yield records.slice(at, end);
    at = end;
  }
}
