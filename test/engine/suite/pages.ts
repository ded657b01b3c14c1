import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { EngineReader } from "../../../src/engine/reader.ts";
import { decodeCursor, encodeCursor, type Position } from "../../../src/filter/cursor.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { ALL } from "../../../src/filter/tree.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { assertProperty } from "../../chance.ts";
import { tiedRecord } from "../../filter/tied-record.ts";
import { type Exchange, ORGANIZATION } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";

type Value = string | number | null;
type Direction = "asc" | "desc";
type Keys = readonly (readonly [key: string, direction: Direction])[];

const RECORDS: readonly Exchange[] = Array.from({ length: 60 }, (_, n) => tiedRecord(n));

/** What each sort key means, read from a test's own description of a record. */
const KEYS: Readonly<Record<string, (exchange: Exchange) => Value>> = {
  created_at: ({ columns }) => columns.request_created_at,
  last_active: ({ columns }) => columns.request_created_at,
  cache_created_at: ({ columns }) => columns.cache_created_at ?? null,
  latency: ({ columns }) => columns.delay_ms ?? null,
  total_tokens: ({ columns }) => columns.total_tokens ?? null,
  completion_tokens: () => null,
  prompt_tokens: ({ columns }) => columns.prompt_tokens ?? null,
  user_id: ({ columns }) => columns.user_id ?? null,
  body_model: ({ columns }) => columns.response_model ?? null,
  is_cached: ({ columns }) => columns.cached ?? 0,
  request_prompt: ({ prompt }) => prompt ?? null,
  response_text: ({ completion }) => completion ?? null,
  cost: ({ columns }) => columns.cost ?? null,
  time_to_first_token: ({ columns }) => columns.time_to_first_token ?? null,
  properties: ({ properties }) => properties?.[0]?.value ?? null,
  values: ({ inputs }) => inputs?.[0]?.value ?? null,
};
const INNER: Readonly<Record<string, string>> = { properties: "Tier", values: "city" };

function ordered(keys: Keys): string[] {
  const compare = (a: Value, b: Value, direction: Direction) => {
    if (a === b) return 0;
    if (a === null) return 1;
    if (b === null) return -1;
    return a < b === (direction === "asc") ? -1 : 1;
  };
  const first = keys[0]?.[1] ?? "desc";
  return RECORDS.toSorted((a, b) => {
    for (const [key, direction] of keys) {
      const result = compare(KEYS[key]!(a), KEYS[key]!(b), direction);
      if (result !== 0) return result;
    }
    return compare(a.columns.request_id, b.columns.request_id, first);
  }).map(({ columns }) => columns.request_id);
}

/** Records come in every order that can be requested, page by page. */
export function suiteOfPages(tested: TestedEngine, runs: number): void {
  let engine: EngineReader & AsyncDisposable;

  beforeAll(async () => {
    engine = await tested.open(RECORDS);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const scope = { organizationId: ORGANIZATION, tree: ALL };
  const sortOf = (keys: Keys) =>
    decodeSort(
      Object.fromEntries(keys.map(([key, way]) => [key, key in INNER ? { [INNER[key]!]: way } : way] as const)),
    );
  async function page(
    keys: Keys,
    { limit = 1000, offset = 0, after }: { limit?: number; offset?: number; after?: Position } = {},
  ) {
    const options = { sort: sortOf(keys), limit, offset, after, deadline: new Deadline(180_000) };
    const found = await engine.source.page(scope, options);
    return { ids: found.keys.map(({ requestId }) => requestId), next: found.next };
  }

  test.each(Object.keys(KEYS).flatMap((key) => [[key, "asc"] as const, [key, "desc"] as const]))(
    "sorted by %s %s, missing values come last and ties go by id",
    async (key, way) => {
      expect((await page([[key, way]])).ids).toEqual(ordered([[key, way]]));
    },
  );

  test("any keys in any order, page by page by cursor or by offset, give the whole order", async () => {
    const keys = fc.uniqueArray(
      fc.tuple(fc.constantFrom(...Object.keys(KEYS)), fc.constantFrom<Direction>("asc", "desc")),
      { minLength: 1, maxLength: 4, selector: ([key]) => key },
    );
    await assertProperty(
      fc.asyncProperty(keys, fc.integer({ min: 7, max: 40 }), async (chosen, limit) => {
        const expected = ordered(chosen);
        const byCursor: string[] = [];
        let after: Position | undefined;
        do {
          const { ids, next } = await page(chosen, { limit, ...(after && { after }) });
          byCursor.push(...ids);
          const sort = sortOf(chosen);
          after = next === undefined ? undefined : decodeCursor(encodeCursor(next, scope, sort), scope, sort);
        } while (after !== undefined);
        expect(byCursor).toEqual(expected);
        expect((await page(chosen, { limit, offset: limit })).ids).toEqual(expected.slice(limit, 2 * limit));
      }),
      { numRuns: runs },
    );
  });

  test("a random order has every record once, and no next page", async () => {
    const options = { sort: "random", limit: 1000, offset: 0, deadline: new Deadline(180_000) } as const;
    const { keys, next } = await engine.source.page(scope, options);
    expect(keys.map(({ requestId }) => requestId).sort()).toEqual(ordered([]).sort());
    expect(next).toBeUndefined();
    expect((await engine.source.page(scope, { ...options, limit: 5 })).next).toBeUndefined();
  });
}
