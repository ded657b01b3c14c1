import { setTimeout as sleep } from "node:timers/promises";
import type { AgedRecords } from "../../engine/aged-records.ts";
import { idOf } from "../../store/packs/row-id.ts";
import type { Store } from "../../store/store.ts";
import { shards, tableOf } from "../../store/words/shards.ts";
import type { Maintenance } from "../../threads.ts";
import type { Pace } from "./pace.ts";

const PAGE_ROWS = 1_000;
const STEP_ROWS = 200;
/** Records whose kinds are read in one step. */
const KIND_ROWS = 20_000;
/** Time limit for one such step; it runs off the thread. */
const KINDS_MS = 60_000;
/** Maximum pages, of 8 or 16 kB, released to the file system in one step. */
const STEP_PAGES = 500;
/** An apparent leftover may be about to get its record, so it is checked again after this time. */
const SETTLE_MS = 2_000;
/** Ids kept for the second check; the next run finds the rest. */
const FOUND_MAX = 50_000;

interface LeftoversOptions {
  readonly reader: Store;
  readonly aged: Pick<AgedRecords, "having">;
  readonly maintain: (task: Maintenance) => Promise<number>;
  readonly pace: Pace;
}

/**
 * Removes bodies without a record (from a crash between two transactions), shared content without a body, kinds without a
 * record, and empty pages.
 */
export class Leftovers {
  readonly #options: LeftoversOptions;

  constructor(options: LeftoversOptions) {
    this.#options = options;
  }

  /** @returns the number of requests, contents and kinds. */
  async remove(): Promise<number> {
    const { maintain, pace } = this.#options;
    let removed = 0;
    const orphans = [...(await this.#orphans())];
    const hashes = await this.#hashes();
    const lost = await this.#lostWords();
    const kinds = await this.#kinds();
    if (orphans.length + hashes.length + lost.length > 0) await sleep(SETTLE_MS);
    await pace.each(orphans, STEP_ROWS, async (requestIds) => {
      removed += await maintain({ kind: "orphans", requestIds });
    });
    await pace.each(hashes, STEP_ROWS, async (part) => {
      removed += await maintain({ kind: "blobs", hashes: part });
    });
    await pace.each(lost, STEP_ROWS, async (seqs) => {
      removed += await maintain({ kind: "lost words", seqs });
    });
    await pace.each(kinds.ids, PAGE_ROWS, async (ids) => {
      removed += await maintain({ kind: "kinds", ids, upTo: kinds.upTo });
    });
    return removed;
  }

  /** @returns the number of released bytes. */
  async compact(): Promise<number> {
    const { maintain, pace } = this.#options;
    let freed = 0;
    while (!pace.stopped) {
      const bytes = await pace.step(() => maintain({ kind: "compact", pages: STEP_PAGES }));
      freed += bytes;
      if (bytes <= 0) break;
    }
    return freed;
  }

  async #orphans(): Promise<ReadonlySet<string>> {
    const { aged, reader } = this.#options;
    const found = new Set<string>();
    for (const table of ["contents", "bodies", "texts", "assets"]) {
      for await (const ids of this.#pages(reader.bodies, table, "request_id")) {
        const having = await aged.having(ids);
        for (const id of ids) if (!having.has(id) && found.size < FOUND_MAX) found.add(id);
      }
    }
    return found;
  }

  async #hashes(): Promise<string[]> {
    const { bodies } = this.#options.reader;
    const found: string[] = [];
    for await (const hashes of this.#pages(bodies, "blobs", "hash")) {
      const rows = await bodies.query<{ hash: string }>({
        sql: `select a.value as hash from json_each(?) a
          where not exists (select 1 from bodies b where b.blob_hash = a.value)
            and not exists (select 1 from assets x where x.asset_id = a.value)`,
        args: [JSON.stringify(hashes)],
      });
      found.push(...rows.map(({ hash }) => hash).slice(0, FOUND_MAX - found.length));
    }
    return found;
  }

  /** Numbers in the word index without a record. */
  async #lostWords(): Promise<number[]> {
    const { bodies, records } = this.#options.reader;
    const found: number[] = [];
    for (const { shard } of await shards(bodies)) {
      for (let after = -1; !this.#options.pace.stopped && found.length < FOUND_MAX; ) {
        const sql = `select id from ${tableOf(shard)}_docsize where id > ? order by id limit ${PAGE_ROWS}`;
        const from = after;
        const rows = await this.#options.pace.step(() => bodies.query<{ id: number }>({ sql, args: [from] }));
        const ids = rows.map(({ id }) => id);
        const known = await records.query<{ seq: number }>({
          sql: "select seq from requests where seq in (select value from json_each(?))",
          args: [JSON.stringify(ids)],
        });
        const there = new Set(known.map(({ seq }) => seq));
        found.push(...ids.filter((id) => !there.has(id)));
        if (ids.length < PAGE_ROWS) break;
        after = ids.at(-1)!;
      }
    }
    return found;
  }

  /** Kinds that no record up to a number refers to; none if the check did not finish. */
  async #kinds(): Promise<{ readonly ids: readonly number[]; readonly upTo: number }> {
    const { pace, reader } = this.#options;
    const query = <T>(sql: string, ...args: number[]) =>
      pace.step(() => reader.records.query<T>({ sql, args }, { deadlineMs: KINDS_MS }));
    const unused = new Set((await query<{ id: number }>("select id from kinds")).map(({ id }) => id));
    const [{ first, upTo } = { first: 0, upTo: 0 }] = await query<{ first: number; upTo: number }>(
      "select coalesce((select min(seq) from requests), 0) as first, coalesce((select max(seq) from requests), 0) as upTo",
    );
    for (let from = first; from <= upTo && unused.size > 0; from += KIND_ROWS) {
      if (pace.stopped) return { ids: [], upTo };
      const sql = "select distinct kind from requests where seq >= ? and seq < ? and kind is not null";
      for (const { kind } of await query<{ kind: number }>(sql, from, from + KIND_ROWS)) unused.delete(kind);
    }
    return { ids: [...unused], upTo };
  }

  /** All values of an indexed column, in order, page by page. */
  async *#pages(database: Store["bodies"], table: string, column: string): AsyncGenerator<string[]> {
    // In `contents` ids are bytes, which come after all text.
    let after: string | Uint8Array = table === "contents" ? new Uint8Array(0) : "";
    while (!this.#options.pace.stopped) {
      const sql = `select distinct ${column} as value from ${table} where ${column} > ? order by ${column} limit ${PAGE_ROWS}`;
      const from = after;
      const rows = await this.#options.pace.step(() =>
        database.query<{ value: string | Uint8Array }>({ sql, args: [from] }),
      );
      const last = rows.at(-1)?.value;
      if (last === undefined) return;
      yield rows.map(({ value }) => (typeof value === "string" ? value : idOf(value)));
      after = last;
    }
  }
}
