import { setImmediate as nextTurn } from "node:timers/promises";
import { afterSql, type Position } from "../../filter/cursor.ts";
import { type Scope, selectRecords } from "../../filter/select.ts";
import { NEWEST_FIRST, orderSql, type Sort, type SortKey } from "../../filter/sort.ts";
import { creationColumn, type Source } from "../../filter/source.ts";
import { loadSearched } from "../bodies/bodies.ts";
import { BodyMatcher, bodyTestKey } from "../bodies/body-matcher.ts";
import type { Deadline } from "../database/deadline.ts";
import type { Database } from "../store.ts";
import { type FoundRow, positionOf, rowColumns } from "./found-row.ts";

/** Rows per step: few at first, because the newest often suffice. */
const FIRST_STEP_ROWS = 100;
const STEP_ROWS_MAX = 3_200;
/** Bodies decoded before others on this thread get their turn. */
const GROUP_BYTES = 4 << 20;
const GROUP_ROWS = 200;

/** A row that matches if its bodies do. */
interface Candidate extends FoundRow {
  readonly size_bytes: number;
}

/**
 * Answers filters that ask for text in bodies, which are compressed and so beyond SQL.
 *
 * Step by step along the order: SQL finds rows that could match if every body did; their bodies are read and searched
 * here; then SQL decides over those rows with what was found. All of "and", "or" and the other fields stay in SQL.
 */
export class BodySearch {
  readonly #database: Database;
  readonly #scope: Scope;
  readonly #deadline: Deadline;
  readonly #matcher: BodyMatcher;

  constructor(database: Database, scope: Scope, deadline: Deadline) {
    this.#database = database;
    this.#scope = scope;
    this.#deadline = deadline;
    this.#matcher = new BodyMatcher(scope.tree);
  }

  /** Up to `limit + 1` matching rows after `offset` of them, in order. */
  async find(options: {
    sort: Sort;
    limit: number;
    offset: number;
    after?: Position | undefined;
    source: Source;
  }): Promise<FoundRow[]> {
    const { sort, limit, offset, after, source } = options;
    const found: FoundRow[] = [];
    if (sort === "random") {
      for await (const row of this.#matches(NEWEST_FIRST, source)) found.push(row);
      return shuffled(found).slice(offset, offset + limit);
    }
    let passed = 0;
    for await (const row of this.#matches(sort, source, after)) {
      if (passed++ < offset) continue;
      found.push(row);
      if (found.length > limit) break;
    }
    return found;
  }

  /** Every matching row. */
  async all(source: Source): Promise<number[]> {
    const seqs: number[] = [];
    for await (const { seq } of this.#matches(NEWEST_FIRST, source)) seqs.push(seq);
    return seqs;
  }

  async *#matches(sort: readonly SortKey[], source: Source, start?: Position): AsyncGenerator<Candidate> {
    let after = start;
    for (let rows = FIRST_STEP_ROWS; ; rows = Math.min(rows * 2, STEP_ROWS_MAX)) {
      const candidates = await this.#candidates(sort, source, after, rows);
      const matching = candidates.length === 0 ? new Set() : await this.#decide(candidates);
      for (const candidate of candidates) if (matching.has(candidate.seq)) yield candidate;
      if (candidates.length < rows) return;
      after = positionOf(candidates.at(-1)!, sort);
    }
  }

  #candidates(
    sort: readonly SortKey[],
    source: Source,
    after: Position | undefined,
    rows: number,
  ): Promise<Candidate[]> {
    const creation = creationColumn(source);
    const statement = selectRecords(
      this.#scope,
      ({ bind }) => `${rowColumns(sort, bind, source)}, r.size_bytes`,
      ({ bind }) => `order by ${orderSql(sort, bind, creation)} limit ${bind(rows)}`,
      {
        source,
        sort,
        body: () => "1",
        where: ({ bind }) => (after === undefined ? "1" : afterSql(after, sort, bind, creation)),
      },
    );
    return this.#database.query<Candidate>(statement, this.#deadline.rest());
  }

  /** Which of the candidates the whole filter selects. */
  async #decide(candidates: readonly Candidate[]): Promise<ReadonlySet<number>> {
    const found = await this.#search(candidates);
    const statement = selectRecords(this.#scope, "r.seq", () => "", {
      source: { kind: "rows", seqs: candidates.map(({ seq }) => seq) },
      body: (condition, bind) =>
        `r.seq in (select value from json_each(${bind(JSON.stringify(found.get(bodyTestKey(condition)) ?? []))}))`,
    });
    const rows = await this.#database.query<{ seq: number }>(statement, this.#deadline.rest());
    return new Set(rows.map(({ seq }) => seq));
  }

  /** Per test, the rows whose body passes it. */
  async #search(candidates: readonly Candidate[]): Promise<ReadonlyMap<string, number[]>> {
    const found = new Map<string, number[]>();
    for (const group of groups(candidates)) {
      this.#deadline.rest();
      const ids = group.map(({ request_id }) => request_id);
      const bodies = await loadSearched(this.#database, ids, this.#matcher.parts, (body) =>
        this.#matcher.isKnown(body),
      );
      const seqs = new Map(group.map(({ request_id, seq }) => [request_id, seq]));
      for (const body of bodies) {
        for (const key of this.#matcher.passedBy(body, this.#deadline)) {
          const passed = found.get(key);
          if (passed === undefined) found.set(key, [seqs.get(body.requestId)!]);
          else passed.push(seqs.get(body.requestId)!);
        }
      }
      await nextTurn();
    }
    return found;
  }
}

function* groups(candidates: readonly Candidate[]): Generator<Candidate[]> {
  let group: Candidate[] = [];
  let bytes = 0;
  for (const candidate of candidates) {
    group.push(candidate);
    bytes += candidate.size_bytes;
    if (group.length < GROUP_ROWS && bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

function shuffled<T>(rows: readonly T[]): T[] {
  const result = [...rows];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
