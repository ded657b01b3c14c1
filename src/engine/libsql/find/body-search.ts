import { setImmediate as nextTurn } from "node:timers/promises";
import { creationColumn, orderOf, PLANNED, type Source } from "../../../filter/access-path.ts";
import { TRUE } from "../../../filter/compile.ts";
import { afterSql, type Position } from "../../../filter/cursor.ts";
import type { Scope } from "../../../filter/scope.ts";
import { neededTexts, needsTexts, selectRecords } from "../../../filter/select.ts";
import { NEWEST_FIRST, orderSql, type Sort, type SortKey } from "../../../filter/sort.ts";
import { EMPTY, raw, sql } from "../../../filter/sql.ts";
import { ALL, both, type Condition, conjuncts, type FilterTree } from "../../../filter/tree.ts";
import { BodyMatcher, bodyTestKey } from "../../../store/bodies/body-matcher.ts";
import { loadBodies, loadExcerpts, loadTexts } from "../../../store/bodies/load-bodies.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { RequestTexts } from "../../../store/packs/read.ts";
import type { Database } from "../../../store/store.ts";
import { bodyGroups, shuffled } from "../../body-groups.ts";
import { type FoundRow, positionOf, rowColumns } from "./found-row.ts";

/** Rows per step: few at first, because the newest often suffice. */
const FIRST_STEP_ROWS = 100;
const STEP_ROWS_MAX = 3_200;
/** Characters of texts that wait to be sorted. */
const PENDING_CHARS_MAX = 16 << 20;

/** A row that matches if its contents do. */
export interface Candidate extends FoundRow {
  readonly size_bytes: number;
  /** 1 when its input and output are in packs. */
  readonly packed: number | null;
}

const sizeOf = ({ size_bytes }: Candidate) => size_bytes;

interface FindOptions {
  readonly sort: Sort;
  readonly limit: number;
  readonly offset: number;
  readonly after?: Position | undefined;
  readonly source: Source;
  /** Return what was found within this many milliseconds. */
  readonly withinMs?: number | undefined;
}

interface FoundInBodies {
  readonly rows: FoundRow[];
  /** The last row checked by an unfinished search, and the time of its record. */
  readonly upTo?: { readonly place: Position; readonly time: number };
}

/** SQL of a candidate's columns in addition to those of a found row. */
export const CANDIDATE_COLUMNS = raw("r.size_bytes, r.excerpts_packed as packed");

type Texts = ReadonlyMap<string, RequestTexts>;

/** The part of a filter that needs no contents: it selects everything that the filter selects, and more. */
export function withoutTexts(scope: Scope): Scope {
  const terms = conjuncts(scope.tree).flatMap((term): FilterTree[] => {
    if (!needsTexts(term)) return [term];
    const weaker = (term.kind === "or" ? term.terms : [term]).map(withoutPacked);
    return weaker.includes(undefined) ? [] : [{ kind: "or", terms: weaker.flatMap((each) => each ?? []) }];
  });
  return { ...scope, tree: terms.reduce<FilterTree>(both, ALL) };
}

/** True for every row whose excerpts are in packs, otherwise the condition; undefined for conditions that rows cannot decide. */
function withoutPacked(term: FilterTree): readonly Condition[] | undefined {
  if (term.kind !== "condition") return undefined;
  const { source } = term;
  if (!needsTexts(term)) return [term];
  if (source.from !== "row" || source.inRow === undefined) return undefined;
  return [IS_PACKED, { ...term, source: { from: "row", sql: source.inRow } }];
}

const IS_PACKED: Condition = {
  kind: "condition",
  label: "excerpts_packed",
  source: { from: "row", sql: "(r.excerpts_packed is not null)" },
  valueKind: "boolean",
  name: undefined,
  operator: "equals",
  value: true,
};

/**
 * Evaluates filters on text in bodies, prompts and completions, which are compressed, so SQL cannot read them.
 *
 * It proceeds in steps along the order: SQL selects rows that would match if every body did; their contents are read and
 * searched here; then SQL decides on those rows with the results. "and", "or" and the other fields stay in SQL, and so do all
 * operators on prompts and completions.
 */
export class BodySearch {
  readonly #database: Database;
  readonly #scope: Scope;
  readonly #deadline: Deadline;
  readonly #matcher: BodyMatcher;
  readonly #coarse: Scope;

  constructor(database: Database, scope: Scope, deadline: Deadline) {
    this.#database = database;
    this.#scope = scope;
    this.#deadline = deadline;
    this.#matcher = new BodyMatcher(scope.tree);
    this.#coarse = withoutTexts(scope);
  }

  /** Up to `limit + 1` matching rows after skipping `offset`, in order; fewer when the time limit is reached. */
  async find(options: FindOptions): Promise<FoundInBodies> {
    const { sort, limit, offset, after, source, withinMs = Number.POSITIVE_INFINITY } = options;
    const found: FoundRow[] = [];
    if (sort === "random") {
      for await (const row of this.#matches(source)) found.push(row);
      return { rows: shuffled(found).slice(offset, offset + limit) };
    }
    if (needsTexts(ALL, sort)) {
      const first = await this.#first(sort, { count: offset + limit + 1, after, source });
      return { rows: first.slice(offset) };
    }
    const startedMs = performance.now();
    for await (const group of this.#groups(sort, source, after)) {
      found.push(...(await this.#decide(group)).matching);
      if (found.length > offset + limit) break;
      if (performance.now() - startedMs < withinMs) continue;
      const last = group.at(-1)!;
      return { rows: found.slice(offset), upTo: { place: positionOf(last, sort), time: last.created } };
    }
    return { rows: found.slice(offset, offset + limit + 1) };
  }

  /** Every matching row. */
  async all(source: Source): Promise<number[]> {
    const seqs: number[] = [];
    for await (const { seq } of this.#matches(source)) seqs.push(seq);
    return seqs;
  }

  /** Those of these rows that the complete filter selects. */
  async decide(candidates: readonly Candidate[]): Promise<ReadonlySet<number>> {
    const seqs = new Set<number>();
    for (const group of bodyGroups(candidates, sizeOf)) {
      for (const { seq } of (await this.#decide(group)).matching) seqs.add(seq);
    }
    return seqs;
  }

  async *#matches(source: Source): AsyncGenerator<Candidate> {
    for await (const group of this.#groups(NEWEST_FIRST, source)) yield* (await this.#decide(group)).matching;
  }

  /**
   * The first rows in an order by contents. Rows that match are merged with the first rows so far when there are as many of
   * them, and the first of both are kept: merging sorts them all, so it must not happen for each group of a deep page.
   */
  async #first(
    sort: readonly SortKey[],
    { count, after, source }: { count: number; after: Position | undefined; source: Source },
  ): Promise<FoundRow[]> {
    let first: FoundRow[] = [];
    let texts = new Map<string, RequestTexts>();
    let pending: FoundRow[] = [];
    let chars = 0;
    const merge = async () => {
      const rows = [...first, ...pending];
      const statement = selectRecords(
        { ...this.#scope, tree: ALL },
        rowColumns(sort, PLANNED),
        sql`order by ${orderSql(sort)} limit ${count}`,
        {
          source: { kind: "rows", seqs: rows.map(({ seq }) => seq) },
          sort,
          texts: textList(rows, texts),
          where: after && afterSql(after, sort),
        },
      );
      first = await this.#database.query<FoundRow>(statement, this.#deadline.rest());
      texts = new Map(first.flatMap(({ request_id: id }) => (texts.has(id) ? [[id, texts.get(id)!]] : [])));
      [pending, chars] = [[], 0];
    };
    for await (const group of this.#groups(NEWEST_FIRST, source)) {
      const decided = await this.#decide(group, true);
      pending.push(...decided.matching);
      for (const [id, said] of decided.texts) {
        texts.set(id, said);
        chars += (said.prompt?.length ?? 0) + (said.completion?.length ?? 0);
      }
      if (pending.length >= count || chars >= PENDING_CHARS_MAX) await merge();
    }
    if (pending.length > 0) await merge();
    return first;
  }

  /** Candidate rows in order, a few at a time. */
  async *#groups(sort: readonly SortKey[], source: Source, start?: Position): AsyncGenerator<Candidate[]> {
    let after = start;
    for (let rows = FIRST_STEP_ROWS; ; rows = Math.min(rows * 2, STEP_ROWS_MAX)) {
      const candidates = await this.#candidates(sort, source, after, rows);
      yield* bodyGroups(candidates, sizeOf);
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
      this.#coarse,
      sql`${rowColumns(sort, source)}, ${CANDIDATE_COLUMNS}`,
      sql`order by ${orderOf(source, sort)} limit ${rows}`,
      {
        source,
        sort,
        body: () => TRUE,
        where: after && afterSql(after, sort, creation),
      },
    );
    return this.#database.query<Candidate>(statement, this.#deadline.rest());
  }

  /** Those of the candidates that the complete filter selects, in their order, and their texts if those were read. */
  async #decide(
    candidates: readonly Candidate[],
    readsTexts = neededTexts(this.#scope.tree).texts,
  ): Promise<{ readonly matching: Candidate[]; readonly texts: Texts }> {
    this.#deadline.rest();
    const ids = candidates.map(({ request_id }) => request_id);
    const texts: Texts = readsTexts ? await loadTexts(this.#database, ids) : new Map();
    const packed = neededTexts(this.#scope.tree).excerpts ? candidates.filter((each) => each.packed !== null) : [];
    const excerpts = await loadExcerpts(
      this.#database,
      packed.map(({ request_id }) => request_id),
    );
    const found = await this.#search(candidates, ids);
    const statement = selectRecords(this.#scope, sql`r.seq`, EMPTY, {
      source: { kind: "rows", seqs: candidates.map(({ seq }) => seq) },
      texts: textList(candidates, texts),
      excerpts: JSON.stringify(
        packed.map(({ seq, request_id }) => {
          const { input = null, output = null } = excerpts.get(request_id) ?? {};
          return [seq, input, output];
        }),
      ),
      body: (condition) =>
        sql`r.seq in (select value from json_each(${JSON.stringify(found.get(bodyTestKey(condition)) ?? [])}))`,
    });
    const rows = await this.#database.query<{ seq: number }>(statement, this.#deadline.rest());
    await nextTurn();
    const matching = new Set(rows.map(({ seq }) => seq));
    return { matching: candidates.filter(({ seq }) => matching.has(seq)), texts };
  }

  /** For each test, the rows whose body passes it. */
  async #search(candidates: readonly Candidate[], ids: readonly string[]): Promise<ReadonlyMap<string, number[]>> {
    const found = new Map<string, number[]>();
    const { parts } = this.#matcher;
    if (parts.length === 0) return found;
    const bodies = await loadBodies(this.#database, ids, parts);
    for (const { request_id, seq } of candidates) {
      for (const part of parts) {
        const body = bodies.get(request_id)?.[part];
        if (body === undefined) continue;
        for (const key of this.#matcher.passedBy({ ...body, part }, this.#deadline)) {
          const passed = found.get(key);
          if (passed === undefined) found.set(key, [seq]);
          else passed.push(seq);
        }
      }
    }
    return found;
  }
}

function textList(rows: readonly FoundRow[], texts: Texts): string {
  return JSON.stringify(
    rows.map(({ seq, request_id }) => {
      const { prompt, completion } = texts.get(request_id) ?? { prompt: null, completion: null };
      return [seq, prompt, completion];
    }),
  );
}
