import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { EngineReader } from "../../../src/engine/reader.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { assertProperty } from "../../chance.ts";
import { anyFilter, anyLeaf } from "../../filter/any-filter.ts";
import { reads } from "../../filter/reading.ts";
import { EXCHANGES, START } from "../../filter/samples.ts";
import { type Exchange, idOf, ORGANIZATION } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";

/** Filters select in this engine what a plain reading of them selects. */
export function suiteOfFilters(tested: TestedEngine, runs: { readonly leaves: number; readonly trees: number }): void {
  let engine: EngineReader & AsyncDisposable;

  beforeAll(async () => {
    engine = await tested.open(EXCHANGES, [{ session: "s-1", tag: "Nightly" }]);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const scopeOf = (filter: unknown) => ({ organizationId: ORGANIZATION, tree: decodeFilter(filter, "legacy").tree });

  async function found(filter: unknown): Promise<string[]> {
    const options = { sort: decodeSort(undefined), limit: 1000, offset: 0, deadline: new Deadline(180_000) };
    const { keys } = await engine.source.page(scopeOf(filter), options);
    return keys.map(({ requestId }) => requestId).sort();
  }

  const expected = (filter: unknown) =>
    EXCHANGES.filter((exchange) => reads(filter, exchange, EXCHANGES))
      .map(({ columns }) => columns.request_id)
      .sort();

  test("every field and operator selects the rows that a plain reading selects", async () => {
    await assertProperty(
      fc.asyncProperty(anyLeaf, async (leaf) => expect(await found(leaf)).toEqual(expected(leaf))),
      { numRuns: runs.leaves },
    );
  });

  test("a tree of any shape selects the rows that a plain reading selects, and counts them", async () => {
    await assertProperty(
      fc.asyncProperty(anyFilter, async (filter) => {
        const rows = expected(filter);
        expect(await found(filter)).toEqual(rows);
        expect(await engine.source.count(scopeOf(filter), new Deadline(180_000))).toBe(rows.length);
      }),
      { numRuns: runs.trees },
    );
  });

  test("one filter can select scores as non-JSON text and by name", async () => {
    const leaf = (field: string, condition: unknown) => ({ request_response_rmt: { [field]: condition } });
    const filter = {
      left: leaf("scores_column", { equals: "deep" }),
      operator: "and",
      right: leaf("scores", { Quality: { "not-equals": 0 } }),
    };
    expect(await found(filter)).toEqual([]);
  });

  test("sums of a session are selected as they are shown, however large and however noisy", async () => {
    const records = LARGE_AND_NOISY;
    await using engine = await tested.open(records);
    const deadline = new Deadline(180_000);
    const [large, noisy] = [records.filter(isOf("s-large")).length, records.filter(isOf("s-noisy")).length];
    const count = (field: string, condition: unknown) =>
      engine.source.count(scopeOf({ sessions_request_response_rmt: { [field]: condition } }), deadline);
    for (const field of ["session_total_tokens", "session_prompt_tokens", "session_completion_tokens"]) {
      expect(await count(field, { gt: 2 ** 63 })).toBe(large);
      expect(await count(field, { equals: 3 })).toBe(noisy);
    }
    const order = [["session_id", "asc"]] as const;
    const sessions = await engine.aggregates.sessions(
      scopeOf("all"),
      { order, page: { limit: 9, offset: 0 } },
      deadline,
    );
    for (const { session_id, cost, total_tokens } of sessions) {
      const size = records.filter(isOf(String(session_id))).length;
      expect(await count("session_total_tokens", { equals: total_tokens })).toBe(size);
      for (const [operator, selected] of [
        ...([
          ["equals", true],
          ["gte", true],
          ["lte", true],
        ] as const),
        ...([
          ["gt", false],
          ["lt", false],
          ["not-equals", false],
        ] as const),
      ]) {
        const own = { sessions_request_response_rmt: { session_total_cost: { [operator]: cost } } };
        const ofSession = { sessions_request_response_rmt: { session_session_id: { equals: session_id } } };
        const filter = { left: own, operator: "and", right: ofSession };
        const either = { left: filter, operator: "or", right: filter };
        for (const each of [filter, either])
          expect([session_id, operator, await engine.source.count(scopeOf(each), deadline)]).toEqual([
            ...[session_id, operator],
            selected ? size : 0,
          ]);
      }
    }
    const nearest = (total: unknown) => Math.abs(Number(total) / (1_030 * Number.MAX_SAFE_INTEGER) - 1);
    const { saved_tokens } = await engine.aggregates.cacheStatistics(ORGANIZATION, deadline);
    const series = await engine.aggregates.cacheSeries(scopeOf("all"), "day", deadline);
    const [metrics] = await engine.aggregates.metrics(
      scopeOf("all"),
      { groupBy: [], timeBucket: undefined, scores: ["huge"], limit: 1, offset: 0 },
      deadline,
    );
    for (const total of [saved_tokens, series[0]?.saved_tokens, metrics?.["total_tokens"]])
      expect(nearest(total)).toBeLessThan(1e-12);
    const huge = { mean: 1e308, min: 1e308, max: 1e308 };
    expect(metrics!["scores"] as unknown).toMatchObject({ huge: { ...huge, count: 3 } });
    const scores = await engine.aggregates.scores(scopeOf("all"), { limit: 9, offset: 0 }, deadline);
    expect(scores).toMatchObject([{ score: "huge", ...huge, requests: 3 }]);
  });
}

const isOf = (session: string) => (exchange: Exchange) => exchange.columns.session_id === session;

/** Sums of tokens beyond 64 bits, of costs that do not add up to a short number, and of scores beyond a double. */
const LARGE_AND_NOISY: readonly Exchange[] = [
  ...Array.from({ length: 1_030 }, (_, at): Exchange => {
    const many = Number.MAX_SAFE_INTEGER;
    const hit = { cached: 1, cache_enabled: 1, cache_reference_id: idOf(0), outcome: "complete" };
    const tokens = { total_tokens: many, prompt_tokens: many, completion_tokens: many };
    const named = { request_id: idOf(at), request_created_at: START + at, session_id: "s-large" };
    return { columns: { ...named, ...tokens, ...hit, cost: 0.1 } };
  }),
  ...[0.1, 0.2, 0.7].map((cost, at): Exchange => {
    const tokens = { total_tokens: 1, prompt_tokens: 1, completion_tokens: 1 };
    const named = { request_id: idOf(5_000 + at), request_created_at: START - at, session_id: "s-noisy" };
    return { columns: { ...named, ...tokens, cost }, scores: { huge: 1e308 } };
  }),
];
