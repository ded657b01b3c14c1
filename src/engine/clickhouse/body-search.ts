import { setImmediate as nextTurn } from "node:timers/promises";
import { GatewayError } from "../../errors.ts";
import { TRUE } from "../../filter/compile.ts";
import type { Position } from "../../filter/cursor.ts";
import { NEWEST_FIRST, type SortKey } from "../../filter/sort.ts";
import { raw } from "../../filter/sql.ts";
import type { Condition } from "../../filter/tree.ts";
import { BodyMatcher, bodyTestKey } from "../../store/bodies/body-matcher.ts";
import type { Deadline } from "../../store/database/deadline.ts";
import { bodyGroups, shuffled } from "../body-groups.ts";
import type { PageOptions } from "../record-source.ts";
import { type Finder, type FoundRow, positionOf } from "./finder.ts";
import { literal } from "./literal.ts";
import type { ReaderOptions } from "./records.ts";

/** Rows per step: few at first, because the newest often suffice. */
const FIRST_STEP_ROWS = 100;
const STEP_ROWS_MAX = 3_200;
/** Maximum bodies that one query reads: each is a range of an object. */
const CANDIDATES_MAX = 100_000;

const sizeOf = ({ size }: FoundRow) => size;

interface FoundInBodies {
  readonly rows: readonly FoundRow[];
  /** The last row checked by an unfinished search. */
  readonly upTo?: FoundRow;
}

/**
 * Evaluates filters on text in bodies, which are not in the database.
 *
 * It proceeds in steps along the order: the database selects rows that would match if every body did; their bodies are read
 * and searched here; then the database decides on those rows with the results.
 */
export class BodySearch {
  readonly #loadBodies: ReaderOptions["loadBodies"];
  readonly #finder: Finder;
  readonly #deadline: Deadline;
  readonly #matcher: BodyMatcher;

  constructor({ loadBodies }: ReaderOptions, finder: Finder, deadline: Deadline) {
    this.#loadBodies = loadBodies;
    this.#finder = finder;
    this.#deadline = deadline;
    this.#matcher = new BodyMatcher(finder.records.scope.tree);
  }

  /** Up to `limit + 1` matching rows after skipping `offset`, in order; fewer when the time limit is reached. */
  async find({ sort, limit, offset, after, withinMs = Number.POSITIVE_INFINITY }: PageOptions): Promise<FoundInBodies> {
    if (sort === "random") return { rows: shuffled(await this.all()).slice(offset, offset + limit) };
    const found: FoundRow[] = [];
    const startedMs = performance.now();
    for await (const group of this.#groups(sort, after)) {
      found.push(...(await this.#decide(group)));
      if (found.length > offset + limit) break;
      if (performance.now() - startedMs < withinMs) continue;
      return { rows: found.slice(offset), upTo: group.at(-1)! };
    }
    return { rows: found.slice(offset, offset + limit + 1) };
  }

  /** Those of these rows that match; the rows must match if every body does. */
  async among(rows: readonly FoundRow[]): Promise<FoundRow[]> {
    const found: FoundRow[] = [];
    for (const group of bodyGroups(rows, sizeOf)) found.push(...(await this.#decide(group)));
    return found;
  }

  /** Every matching row. */
  async all(): Promise<FoundRow[]> {
    const rows: FoundRow[] = [];
    for await (const group of this.#groups(NEWEST_FIRST, undefined)) rows.push(...(await this.#decide(group)));
    return rows;
  }

  /** Candidate rows in order, a few at a time. */
  async *#groups(sort: readonly SortKey[], start: Position | undefined): AsyncGenerator<FoundRow[]> {
    let after = start;
    let looked = 0;
    for (let count = FIRST_STEP_ROWS; ; count = Math.min(count * 2, STEP_ROWS_MAX)) {
      const candidates = await this.#finder.rows({ sort, count, after, deadline: this.#deadline, body: () => TRUE });
      looked += candidates.length;
      if (looked > CANDIDATES_MAX) throw tooMany();
      yield* bodyGroups(candidates, sizeOf);
      if (candidates.length < count) return;
      after = positionOf(candidates.at(-1)!, sort);
    }
  }

  /** Those of the candidates that the complete filter selects, in their order. */
  async #decide(candidates: readonly FoundRow[]): Promise<FoundRow[]> {
    const passed = await this.#search(candidates);
    const body = (condition: Condition) => {
      const ids = [...(passed.get(bodyTestKey(condition)) ?? [])];
      // Written as literals here, so that they do not count towards the limit of the filter's values.
      return raw(ids.length === 0 ? "0" : `r.request_id in (${ids.map(literal).join(", ")})`);
    };
    const matching = await this.#finder.among(candidates, this.#deadline, body);
    await nextTurn();
    return candidates.filter(({ requestId }) => matching.has(requestId));
  }

  /** For each test, the records whose body passes it. */
  async #search(candidates: readonly FoundRow[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    this.#deadline.rest();
    const passed = new Map<string, Set<string>>();
    const { parts } = this.#matcher;
    const bodies = await this.#loadBodies(
      candidates.map(({ requestId }) => requestId),
      parts,
    );
    for (const { requestId } of candidates) {
      for (const part of parts) {
        const body = bodies.get(requestId)?.[part];
        if (body === undefined) continue;
        for (const key of this.#matcher.passedBy({ ...body, part }, this.#deadline)) {
          if (!passed.has(key)) passed.set(key, new Set());
          passed.get(key)!.add(requestId);
        }
      }
    }
    return passed;
  }
}

function tooMany(): GatewayError {
  return new GatewayError(
    "filter_invalid",
    `a filter on bodies looks at ${CANDIDATES_MAX} records at most: narrow it by time, model, user or property`,
    { path: "filter" },
  );
}
