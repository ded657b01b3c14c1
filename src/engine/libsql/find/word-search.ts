import { GatewayError } from "../../../errors.ts";
import { chooseAccessPath } from "../../../filter/access-path.ts";
import { boundsOf, onlyBounds } from "../../../filter/bounds.ts";
import { TRUE } from "../../../filter/compile.ts";
import { GAPS } from "../../../filter/outside-blocks.ts";
import type { Scope } from "../../../filter/scope.ts";
import { readsContent, selectRecords } from "../../../filter/select.ts";
import { raw, sql } from "../../../filter/sql.ts";
import { messageOf } from "../../../log.ts";
import { Deadline } from "../../../store/database/deadline.ts";
import type { Database, Value } from "../../../store/store.ts";
import { readDue } from "../../../store/words/due.ts";
import { saidTexts } from "../../../store/words/said-texts.ts";
import { SHARD_RECORDS, shardOf, shards, tableOf } from "../../../store/words/shards.ts";
import { highestUnfilled, readUnfilled } from "../../../store/words/unfilled.ts";
import { hasPhrases, matchText } from "../../../store/words/word-query.ts";
import type { SearchOptions } from "../../record-source.ts";
import { BodySearch, CANDIDATE_COLUMNS, type Candidate, withoutTexts } from "./body-search.ts";
import type { FoundPage } from "./find.ts";
import type { FoundRow } from "./found-row.ts";

/** Hits checked together: few at first, because the newest often suffice, and always few when texts must be read. */
const FIRST_HITS = 200;
const HITS_MAX = 1_600;
/** Records whose text is read at a time to match a phrase. */
const TEXTS_AT_ONCE = 50;
/** Tables queried by one statement: rare words are in few of them. */
const TOGETHER_MAX = 16;
/** A filter that selects at most this many records, found within this time, is evaluated before the index. */
const CHOSEN_MAX = 5_000;
const CHOOSING_MS = 100;
/** A search returns what it found within this time, and the next call continues there: the first hits arrive within 300 ms. */
const STEP_MS = 200;

/** Record numbers by table; undefined means any. */
type Chosen = ReadonlyMap<number, readonly number[]> | undefined;

/** Finds the newest records of a scope whose text contains the words, in bounded steps. */
export class WordSearch {
  readonly #database: Database;
  readonly #scope: Scope;
  readonly #options: SearchOptions;
  readonly #found: FoundRow[] = [];
  /** Records up to this one may not be indexed yet: hits among them may be missing. */
  #unfilled = 0;
  #startedMs = 0;

  constructor(database: Database, scope: Scope, options: SearchOptions) {
    this.#database = database;
    this.#scope = scope;
    this.#options = options;
  }

  /** A page, which may be short even if more hits follow. */
  async page(): Promise<FoundPage> {
    const { limit, after } = this.#options;
    if (limit === 0) return { rows: [], next: after, searchedTo: undefined };
    this.#startedMs = performance.now();
    const due = this.#options.isIndexed ? [] : await readDue(this.#database);
    this.#unfilled = Math.max(highestUnfilled(await readUnfilled(this.#database)), due.at(-1) ?? 0);
    for await (const searched of this.#steps()) {
      const rows = this.#found.slice(0, limit);
      const last = rows.at(-1);
      if (this.#found.length > limit && last !== undefined) return this.#upTo(rows, last.seq);
      if (this.#isOver()) return this.#upTo(rows, searched);
    }
    const isWhole = this.#unfilled === 0 || this.#unfilled < (await this.#first());
    return { rows: this.#found, next: undefined, searchedTo: isWhole ? undefined : await this.#timeOf(this.#unfilled) };
  }

  /** After each step, the record number down to which all hits are found. */
  async *#steps(): AsyncGenerator<number> {
    const [first, chosen] = [await this.#first(), await this.#chosen()];
    const most = this.#options.query.phrases.length > 0 ? FIRST_HITS : HITS_MAX;
    const there = (await shards(this.#database))
      .map(({ shard }) => shard)
      .filter((shard) => (shard + 1) * SHARD_RECORDS > first && (chosen === undefined || chosen.has(shard)));
    const { after } = this.#options;
    let before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after.values[0]);
    for (let hits = FIRST_HITS, together = 1; ; ) {
      const shards = there.filter((shard) => shard <= shardOf(before - 1)).slice(0, together);
      if (shards.length === 0) return;
      const startedMs = performance.now();
      const seqs = await this.#hits(shards, { before, hits, chosen });
      const eachMs = (performance.now() - startedMs) / shards.length;
      if (seqs === undefined) together = 1;
      if (seqs === undefined && shards.length > 1) continue;
      const lookedTo = seqs !== undefined && seqs.length > 0 ? await this.#add(seqs) : undefined;
      if (lookedTo !== undefined) before = lookedTo;
      else if (seqs?.length === hits) {
        before = seqs.at(-1)!;
        hits = Math.min(hits * 2, most);
        together = 1;
      } else {
        before = shards.at(-1)! * SHARD_RECORDS;
        together = Math.max(1, Math.min(together * 4, TOGETHER_MAX, Math.floor(this.#restMs() / 2 / eachMs)));
      }
      yield before;
    }
  }

  /** The records that the filter selects, by table; undefined when there are many or finding them takes long. */
  async #chosen(): Promise<Chosen> {
    const { tree } = this.#scope;
    if (onlyBounds(tree) !== undefined || readsContent(tree)) return undefined;
    const choosing = new Deadline(CHOOSING_MS);
    try {
      const source = await chooseAccessPath(this.#scope, undefined, async (statement) => {
        const [row] = await this.#database.query<{ n: number }>(statement, choosing.rest());
        return row?.n ?? 0;
      });
      const statement = selectRecords(this.#scope, sql`r.seq`, raw(`limit ${CHOSEN_MAX + 1}`), { source });
      const rows = await this.#database.query<{ seq: number }>(statement, choosing.rest());
      if (rows.length > CHOSEN_MAX) return undefined;
      return Map.groupBy(
        rows.map(({ seq }) => seq),
        shardOf,
      );
    } catch (cause) {
      if (cause instanceof GatewayError && cause.code === "query_timeout") return undefined;
      throw cause;
    }
  }

  /** The lowest number that a record within the filter's times can have, according to blocks. */
  async #first(): Promise<number> {
    const { least } = boundsOf(this.#scope.tree);
    const [row] = await this.#database.query<{ first: number }>({
      sql: `select min(
        coalesce((select min(b.first_seq) from blocks b join block_parts p on p.block = b.id
            where p.organization_id = ?1 and p.last_created >= ?2), ${Number.MAX_SAFE_INTEGER}),
        (select min(g.first) from (${GAPS}) g where g.last = ${Number.MAX_SAFE_INTEGER}
          or exists (select 1 from requests s where s.seq between g.first and g.last)),
        coalesce((select min(c.seq) from block_changes c join requests r on r.seq = c.seq
            where r.request_created_at >= ?2), ${Number.MAX_SAFE_INTEGER})) as first`,
      args: [this.#scope.organizationId, least],
    });
    return row?.first ?? 0;
  }

  /** The highest record numbers of hits in these tables; undefined when a table was just dropped. */
  async #hits(
    shards: readonly number[],
    { before, hits, chosen }: { before: number; hits: number; chosen: Chosen },
  ): Promise<number[] | undefined> {
    // Chosen records belong to the organization, so its token, which all its records have, is not needed.
    const { organizationId } = this.#scope;
    const match = matchText(this.#options.query, chosen === undefined ? organizationId : undefined);
    const args: Value[] = [match, before, hits];
    const tables = shards.map((shard) => {
      const table = tableOf(shard);
      const among = chosen === undefined ? "" : `and +rowid in (select value from json_each(?${args.length + 1}))`;
      if (chosen !== undefined) args.push(JSON.stringify(chosen.get(shard) ?? []));
      return `select * from (select rowid as seq from ${table} where ${table} match ?1 and rowid < ?2 ${among}
        order by rowid desc limit ?3)`;
    });
    const sql = `${tables.join(" union all ")} order by seq desc limit ?3`;
    try {
      const rows = await this.#database.query<{ seq: number }>({ sql, args }, this.#options.deadline.rest());
      return rows.map(({ seq }) => seq);
    } catch (cause) {
      if (/no such table: \w*words_/.test(messageOf(cause))) return undefined;
      throw cause;
    }
  }

  /** Time left in a step. More tables are queried together only if that should take at most half of it. */
  #restMs(): number {
    return STEP_MS - (performance.now() - this.#startedMs);
  }

  #isOver(): boolean {
    return this.#restMs() < 0;
  }

  /**
   * Adds those of the hits that the filter selects and that contain the phrases, newest first.
   *
   * @returns the last hit that was checked, if time ran out before all were.
   */
  async #add(seqs: readonly number[]): Promise<number | undefined> {
    const { deadline, query, limit } = this.#options;
    const isBodyFilter = readsContent(this.#scope.tree);
    const statement = selectRecords(
      withoutTexts(this.#scope),
      sql`r.seq, r.request_id, r.request_created_at as created, ${CANDIDATE_COLUMNS}, r.seq as k0`,
      sql`order by r.seq desc`,
      { source: { kind: "rows", seqs }, ...(isBodyFilter && { body: () => TRUE }) },
    );
    let rows: Candidate[] = await this.#database.query<Candidate>(statement, deadline.rest());
    if (isBodyFilter && rows.length > 0) {
      const fitting = await new BodySearch(this.#database, this.#scope, deadline).decide(rows);
      rows = rows.filter(({ seq }) => fitting.has(seq));
    }
    if (query.phrases.length === 0) {
      this.#found.push(...rows);
      return undefined;
    }
    for (let at = 0; at < rows.length && this.#found.length <= limit; at += TEXTS_AT_ONCE) {
      if (at > 0 && this.#isOver()) return rows[at - 1]!.seq;
      const part = rows.slice(at, at + TEXTS_AT_ONCE);
      deadline.rest();
      const texts = await saidTexts(
        this.#database,
        part.map(({ seq }) => seq),
        this.#options.ofProviders,
      );
      this.#found.push(...part.filter(({ seq }) => hasPhrases(texts.get(seq) ?? "", query)));
    }
    return undefined;
  }

  /** A page of the results when the search has reached the record `seq`. */
  async #upTo(rows: readonly FoundRow[], seq: number): Promise<FoundPage> {
    return { rows, next: place(seq), searchedTo: await this.#timeOf(Math.max(seq, this.#unfilled)) };
  }

  async #timeOf(seq: number): Promise<number | undefined> {
    const [oldest] = await this.#database.query<{ time: number }>({
      sql: `select request_created_at as time from requests where seq >= ? order by seq limit 1`,
      args: [seq],
    });
    return oldest?.time;
  }
}

/** Hits are ordered by the arrival of records: a position is the number of the last one. */
const place = (seq: number) => ({ values: [seq], requestId: "" });
