import { afterAll, beforeAll, expect, test } from "bun:test";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { toTableRow } from "../../../src/engine/clickhouse/rows.ts";
import { clickhouseSource } from "../../../src/engine/clickhouse/source.ts";
import { makeTables } from "../../../src/engine/clickhouse/tables.ts";
import { keysOf, type RecordSource } from "../../../src/engine/record-source.ts";
import type { Position } from "../../../src/filter/cursor.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import { ALL, type FilterTree } from "../../../src/filter/tree.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { loadBodies } from "../../../src/store/bodies/load-bodies.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import type { Store } from "../../../src/store/store.ts";
import { readWordQuery } from "../../../src/store/words/word-query.ts";
import { openWorld } from "../../filter/world.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

const ORGANIZATION = "org-1";
const START = Date.UTC(2026, 4, 1);
const LONG = "x".repeat(60);
/** Newest last. */
const SAID = [
  "The quick brown fox jumps",
  "A Fox, quick and brown",
  "Crème brûlée à la carte",
  `creme ${LONG}1`,
  "東京都に住む foxes",
  "'quoted' \\ back",
  "nothing",
];

let world: { reader: Store } & AsyncDisposable;
let client: ClickHouse;
let source: RecordSource;
const ids = SAID.map((_, at) => uuidv7(START + at * 86_400_000));

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else searches();

function searches(): void {
  beforeAll(async () => {
    client = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    [world] = await Promise.all([openWorld([]), makeTables(client)]);
    await client.insert(
      "requests",
      SAID.map((said, at) => rowOf(ids[at]!, START + at * 86_400_000, said)),
    );
    const { records } = world.reader;
    const load: Parameters<typeof clickhouseSource>[0]["loadBodies"] = (requestIds, parts) =>
      loadBodies(records, requestIds, parts);
    source = clickhouseSource({ client, control: records, hasOpenRows: false, keepsTexts: true, loadBodies: load });
  });
  afterAll(async () => {
    await client.command(`drop database ${client.database}`, { isOutside: true });
    await world[Symbol.asyncDispose]();
  });

  const search = (
    text: string,
    { tree = ALL, limit = 10, after }: { tree?: FilterTree; limit?: number; after?: Position } = {},
  ) =>
    source.search(
      { organizationId: ORGANIZATION, tree },
      {
        query: readWordQuery(text),
        limit,
        after,
        deadline: new Deadline(180_000),
        isIndexed: true,
        ofProviders: () => Promise.resolve({}),
      },
    );

  test.each<[string, readonly number[]]>([
    ["fox", [1, 0]],
    ["fox*", [4, 1, 0]],
    ["brown quick", [1, 0]],
    ['"quick brown"', [0]],
    ['"brown quick"', []],
    ["creme", [3, 2]],
    ["BRÛLÉE", [2]],
    [LONG, [3]],
    [`${LONG}1`, [3]],
    ["x*", [3]],
    ["京都", [4]],
    ["都", [4]],
    ["quoted back", [5]],
    ["absent", []],
  ])("words are found as they were said: %s", async (text, expected) => {
    const { keys, next } = await search(text);
    expect(keys.map(({ requestId }) => ids.indexOf(requestId))).toEqual([...expected]);
    expect(next).toBeUndefined();
  });

  test("hits come page by page, and only those that the filter selects", async () => {
    const first = await search("fox*", { limit: 2 });
    expect(first.keys.map(({ requestId }) => ids.indexOf(requestId))).toEqual([4, 1]);
    const second = await search("fox*", { limit: 2, after: first.next! });
    expect(second.keys.map(({ requestId }) => ids.indexOf(requestId))).toEqual([0]);
    expect(second.next).toBeUndefined();
    const { tree } = decodeFilter({ request_response_rmt: { request_id: { equals: ids[1]! } } }, "legacy");
    expect((await search("fox*", { tree })).keys.map(({ requestId }) => ids.indexOf(requestId))).toEqual([1]);
  });

  test("a record is found by its id alone, also where the id does not tell its time", async () => {
    const far = uuidv7(START);
    const ownIds = ["chosen-by-a-client", far];
    await client.insert(
      "requests",
      ownIds.map((id) => rowOf(id, START + 400 * 86_400_000, "")),
    );
    const keys = keysOf([ids[3]!, ...ownIds, "absent", ids[0]!]);
    const rows = await source.records(ORGANIZATION, keys);
    expect(rows.map(({ request_id }) => request_id)).toEqual([ids[3]!, ...ownIds, ids[0]!]);
  });

  test("if texts are not stored, a filter that needs them is refused by name", async () => {
    const { records } = world.reader;
    const bare = clickhouseSource({
      ...{ client, control: records, hasOpenRows: false, keepsTexts: false },
      loadBodies: () => Promise.resolve(new Map()),
    });
    const { tree } = decodeFilter({ request: { prompt: { contains: "fox" } } }, "legacy");
    const counted = bare.count({ organizationId: ORGANIZATION, tree }, new Deadline(180_000));
    expect(await counted.catch((error: unknown) => error)).toMatchObject({ code: "filter_invalid", path: "filter" });
  });
}

function rowOf(id: string, time: number, said: string) {
  const row = {
    ...{ request_id: id, organization_id: ORGANIZATION, key_id: "key-1", method: "POST", provider: "OPENAI" },
    ...{ request_created_at: time, updated_at: time },
  };
  const labels = {
    properties: {},
    promptInputs: {},
    erasedProperties: new Set<string>(),
    erasedInputs: new Set<string>(),
  };
  const texts = { prompt: said, completion: null, said };
  return toTableRow({ row, labels, parts: [], texts, assets: [] }, { keepsTexts: true });
}
