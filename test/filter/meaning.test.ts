import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { countMatches, findPage } from "../../src/engine/libsql/find/find.ts";
import { decodeFilter } from "../../src/filter/decode.ts";
import { decodeSort } from "../../src/filter/sort.ts";
import { Deadline } from "../../src/store/database/deadline.ts";
import type { Database } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { anyFilter, anyLeaf } from "./any-filter.ts";
import { reads } from "./reading.ts";
import { EXCHANGES, ORGANIZATION } from "./samples.ts";
import { openWorld } from "./world.ts";

let world: Awaited<ReturnType<typeof openWorld>>;
let database: Database;

beforeAll(async () => {
  world = await openWorld(EXCHANGES, [{ session: "s-1", tag: "Nightly" }]);
  database = world.reader.records;
});
afterAll(() => world[Symbol.asyncDispose]());

async function found(filter: unknown): Promise<string[]> {
  const scope = { organizationId: ORGANIZATION, tree: decodeFilter(filter, "legacy").tree };
  const options = { sort: decodeSort(undefined), limit: 1000, offset: 0, deadline: new Deadline(20_000) };
  return (await findPage(database, scope, options)).rows.map(({ request_id }) => request_id).sort();
}

const expected = (filter: unknown) =>
  EXCHANGES.filter((exchange) => reads(filter, exchange, EXCHANGES))
    .map(({ columns }) => columns.request_id)
    .sort();

test("every field and operator selects the rows that a plain reading selects", async () => {
  await assertProperty(
    fc.asyncProperty(anyLeaf, async (leaf) => expect(await found(leaf)).toEqual(expected(leaf))),
    { numRuns: 1500 },
  );
});

test("a tree of any shape selects the rows that a plain reading selects, and counts them", async () => {
  await assertProperty(
    fc.asyncProperty(anyFilter, async (filter) => {
      const rows = expected(filter);
      expect(await found(filter)).toEqual(rows);
      const scope = { organizationId: ORGANIZATION, tree: decodeFilter(filter, "legacy").tree };
      expect(await countMatches(database, scope, new Deadline(20_000))).toBe(rows.length);
    }),
    { numRuns: 300 },
  );
});

test("scores are asked for as a text that is no JSON and by name in one filter", async () => {
  const asked = (field: string, condition: unknown) => ({ request_response_rmt: { [field]: condition } });
  const filter = {
    left: asked("scores_column", { equals: "deep" }),
    operator: "and",
    right: asked("scores", { Quality: { "not-equals": 0 } }),
  };
  expect(await found(filter)).toEqual([]);
});
