import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { EngineReader } from "../../../src/engine/reader.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { assertProperty } from "../../chance.ts";
import { anyFilter, anyLeaf } from "../../filter/any-filter.ts";
import { reads } from "../../filter/reading.ts";
import { EXCHANGES, ORGANIZATION } from "../../filter/samples.ts";
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
    const options = { sort: decodeSort(undefined), limit: 1000, offset: 0, deadline: new Deadline(20_000) };
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
        expect(await engine.source.count(scopeOf(filter), new Deadline(20_000))).toBe(rows.length);
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
}
