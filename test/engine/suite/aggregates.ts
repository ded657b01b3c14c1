import { expect, test } from "bun:test";
import fc from "fast-check";
import { ALL } from "../../../src/filter/tree.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { assertProperty } from "../../chance.ts";
import { anyFilter } from "../../filter/any-filter.ts";
import { EXCHANGES, NAMES, TEXTS } from "../../filter/samples.ts";
import { type Exchange, idOf, ORGANIZATION } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";
import { QUESTIONS, rounded } from "./questions.ts";

const START = Date.UTC(2026, 0, 31, 9, 30);
const anyText = fc.constantFrom(...TEXTS);
/** Sums of these are exact in any order, so that no order of rows hangs on a last digit. */
const quarters = fc.integer({ min: 0, max: 400 }).map((count) => count / 4);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });
const few = <T>(...values: T[]) => orNull(fc.constantFrom(...values));

const anyColumns = fc.record({
  provider: fc.constantFrom("OPENAI", "ANTHROPIC"),
  model: orNull(anyText),
  user_id: orNull(anyText),
  response_status: few(200, 302, 400, 429, 500),
  outcome: few("complete", "refused", "failed", "client_gone"),
  finish_reason: few("stop", "length"),
  error_code: few("rate_limit_error"),
  gateway_user: few("ci"),
  route: few("fast"),
  credential: few("client", "c-1"),
  prompt_id: orNull(anyText),
  prompt_version: few("1", "2"),
  delay_ms: few(0, 0.1, 1, 2.5, 1000, 1e7),
  time_to_first_token: few(0, 0.5, 2.5),
  cost: orNull(quarters),
  prompt_tokens: few(0, 7, 300, 70_000),
  completion_tokens: few(0, 1, 7),
  total_tokens: few(8, 128_000),
  prompt_cache_read_tokens: few(0, 5),
  cached: fc.constantFrom(0, 1),
  cache_enabled: fc.constantFrom(0, 1, 1),
  size_bytes: fc.nat({ max: 5_000 }),
  request_model: orNull(anyText),
});
const anyProperties = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES, "Team"), anyText, fc.boolean()), {
    maxLength: 4,
    selector: ([name]) => name,
  })
  .map((all) => all.map(([name, value, erased]) => ({ name, value, erased: erased && name === name.toLowerCase() })));
const anyScores = fc.dictionary(
  fc.constantFrom("quality", "Quality", 'q"uote', "Größe.x"),
  fc.constantFrom(0, 1, -0.25, 0.5, 4),
  {
    maxKeys: 3,
  },
);

const anyRecord = fc.record({
  columns: anyColumns,
  properties: anyProperties,
  inputs: anyProperties,
  scores: anyScores,
  minutes: fc.nat({ max: 3_000 }),
  session: orNull(fc.nat({ max: 8 })),
  /** The record that it repeats; itself and later ones are no such records yet, and are not found. */
  repeats: orNull(fc.nat({ max: 150 })),
});

/** Records of some days, no two of the same time: what is newest is then never a matter of luck. */
const anyRecords = fc.array(anyRecord, { minLength: 60, maxLength: 120, size: "max" }).map((all) => {
  const records: readonly Exchange[] = all.map(({ columns, minutes, session, repeats, ...named }, at) => ({
    ...named,
    columns: {
      ...columns,
      request_id: idOf(at),
      request_created_at: START + minutes * 60_000 + at,
      ...(session !== null && {
        session_id: `s-${session}`,
        session_name: session % 3 === 0 ? `name ${at % 3}` : null,
      }),
      ...(repeats !== null && columns.cached === 1 && { cache_reference_id: idOf(repeats) }),
    },
  }));
  // A failure that prints them all says nothing.
  return Object.assign(records, { [fc.toStringMethod]: () => `${records.length} records` });
});

/** For any query over any records, both engines return the same. */
export function suiteOfAggregates(tested: TestedEngine, reference: TestedEngine, runs: number): void {
  test(`any query of any records has the same result as with ${reference.name}`, async () => {
    const filters = fc.array(anyFilter, { minLength: 3, maxLength: 3 });
    await assertProperty(
      fc.asyncProperty(anyRecords, filters, async (records, trees) => {
        await using one = await tested.open(records);
        await using other = await reference.open(records);
        for (const filter of ["all", ...trees])
          for (const [name, question] of Object.entries(QUESTIONS)) {
            const [result, expected] = await Promise.all([question(one, filter), question(other, filter)]);
            expect({ query: name, filter, result: rounded(result) }).toEqual({
              query: name,
              filter,
              result: rounded(expected),
            });
          }
      }),
      // A smaller example would be looked for in as many databases again.
      { numRuns: runs, endOnFailure: true },
    );
  });

  test("no query returns after its deadline", async () => {
    await using engine = await tested.open(EXCHANGES);
    const { aggregates } = engine;
    const scope = { organizationId: ORGANIZATION, tree: ALL };
    const [page, over] = [{ limit: 1, offset: 0 }, () => new Deadline(-1)];
    const order = [["requests", "desc"]] as const;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => aggregates.metrics(scope, { groupBy: ["model"], timeBucket: undefined, ...page }, over()),
      () => aggregates.facets(scope, { names: ["model"], limit: 1 }, over()),
      () => aggregates.scores(scope, page, over()),
      () => aggregates.users(scope, order, page, over()),
      () => aggregates.sessions(scope, { order, page }, over()),
      () => aggregates.sessionsWith(scope, over()),
      () => aggregates.sessionsOf(scope, [{ requestId: idOf(1) }], over()),
      () => aggregates.withSessionBytes(scope, [{ session_id: "s-1", requests: 1 }], over()),
      () => aggregates.propertyCosts(scope, { name: "Team", ...page }, over()),
      () => aggregates.cacheStatistics(ORGANIZATION, over()),
      () => aggregates.cacheSeries(scope, "hour", over()),
    ];
    for (const ask of calls) await expect(ask()).rejects.toMatchObject({ code: "query_timeout" });
  });
}
