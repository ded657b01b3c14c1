import { afterAll, beforeAll, expect, test } from "bun:test";
import { toStorable } from "../../../../src/engine/import.ts";
import { metrics } from "../../../../src/engine/libsql/aggregates/metrics.ts";
import { makeNextBlock } from "../../../../src/engine/libsql/column-store/keep.ts";
import { recordStatements } from "../../../../src/engine/libsql/write/insert.ts";
import { Kinds } from "../../../../src/engine/libsql/write/kinds.ts";
import { TimePartitions } from "../../../../src/engine/libsql/write/time-partitions.ts";
import { decodeFilter } from "../../../../src/filter/decode.ts";
import type { GroupBy } from "../../../../src/filter/group-by.ts";
import { NO_TEXTS } from "../../../../src/record/record-texts.ts";
import { Deadline } from "../../../../src/store/database/deadline.ts";
import { migrate } from "../../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../../src/store/store.ts";
import { idOf } from "../../../filter/world.ts";
import { ownDirectory } from "../../../store/open.ts";

const KINDS = new Kinds();
const PARTITIONS = new TimePartitions();

const RECORDS = 5_000;
const MINUTE = 60_000;
const directory = ownDirectory();
let store: Store;

/** More names than a block has columns for, each on more records than the name that lost its case. */
const MANY_NAMES = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`K${at}`, "v"]));

/** One a minute, half of them before 1970; every hundredth has a property whose name lost its case. */
function exchange(n: number) {
  const own = { "App-Name": "own", ...(n < 60 ? MANY_NAMES : {}) };
  const row = {
    request_id: idOf(n),
    organization_id: "org",
    key_id: "k",
    method: "POST",
    provider: "OPENAI",
    request_created_at: (n - RECORDS / 2) * MINUTE,
    updated_at: 0,
    properties: JSON.stringify(n % 100 === 0 ? { "app-name": "lost" } : own),
  };
  return { record: toStorable({ row, bodies: [], texts: NO_TEXTS }, n + 1), seq: n + 1 };
}

beforeAll(async () => {
  store = await openStore(directory.config, "write");
  await migrate(store);
  const fresh = Array.from({ length: RECORDS }, (_, n) => exchange(n));
  await store.records.batch(
    recordStatements({ fresh, completed: [], positions: [], kinds: KINDS, partitions: PARTITIONS, now: 0 }),
  );
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

async function requests(by: GroupBy, filter: unknown = "all"): Promise<unknown[][]> {
  const scope = { organizationId: "org", tree: decodeFilter(filter, "legacy").tree };
  const rows: readonly object[] = await metrics(
    store.records,
    scope,
    { ...by, limit: 1_000, offset: 0 },
    new Deadline(180_000),
  );
  return rows.map((row) => Object.values(row).slice(0, Object.keys(row).indexOf("requests") + 1));
}

const withoutBlocks = async () => {};
const fromBlocks = async () => {
  while ((await makeNextBlock(store, { short: 512, long: 8_192, changesMax: 100 })) !== undefined);
  const [held] = await store.records.query<{ n: number }>({ sql: "select sum(rows) as n from blocks", args: [] });
  expect(held!.n).toBeGreaterThan(4_096);
};

test.each([
  ["records", withoutBlocks],
  ["blocks", fromBlocks],
])("metrics from %s are right before 1970, and for names that a block has no room for", async (_name, prepare) => {
  await prepare();
  const days = new Map<string, number>();
  for (let n = 0; n < RECORDS; n++) {
    const day = `${new Date((n - RECORDS / 2) * MINUTE).toISOString().slice(0, 10)}T00:00:00.000Z`;
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  expect(await requests({ groupBy: [], timeBucket: "day" })).toEqual([...days]);

  const byApp: GroupBy = { groupBy: ["property:App-Name"], timeBucket: undefined };
  expect(await requests(byApp)).toEqual([
    ["own", 4_950],
    ["lost", 50],
  ]);
  const isLost = { properties: { "App-Name": { contains: "LOST" } } };
  expect(await requests(byApp, isLost)).toEqual([["lost", 50]]);
});
