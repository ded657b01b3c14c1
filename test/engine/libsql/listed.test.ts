import { afterAll, beforeAll, expect, test } from "bun:test";
import { getTableColumns } from "drizzle-orm";
import fc from "fast-check";
import { listedRecords, wholeRecords } from "../../../src/engine/libsql/find/records.ts";
import { keysOf } from "../../../src/engine/record-source.ts";
import { MADE_FROM, storedMembers } from "../../../src/record/request-record.ts";
import { requests } from "../../../src/record/tables.ts";
import { READ_BY } from "../../../src/store/bodies/body-text.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { insertRecord } from "../../api/open.ts";
import { assertProperty } from "../../chance.ts";
import { ownDirectory } from "../../store/open.ts";

const directory = ownDirectory();
let store: Store;

beforeAll(async () => {
  store = await openStore(directory.config, "write");
  await migrate(store);
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

const LISTED = [...MADE_FROM, ...READ_BY];

/** Asserts that records are listed as reading them whole tells, in the order of their ids. */
async function expectSameAsRows(ids: readonly string[]): Promise<void> {
  const rows = await wholeRecords(store.records, "o", keysOf(ids));
  expect(rows.map(({ request_id }) => request_id)).toEqual([...ids]);
  const found = rows.map(({ request_id: requestId, seq }) => ({ requestId, seq }));
  for (const keys of [keysOf(ids), found]) {
    const query = { organizationId: "o", sight: "bodies", keys } as const;
    const listed = await listedRecords(store.records, query, LISTED);
    expect(listed.map(({ stored }) => JSON.parse(stored))).toEqual(
      rows.map((row) => JSON.parse(JSON.stringify(storedMembers(row)))),
    );
    expect(listed.map(({ row }) => LISTED.map((name) => row[name]))).toEqual(
      rows.map((row) => LISTED.map((name) => row[name])),
    );
  }
}

/** Anything that a column of that type can hold. */
const VALUES = {
  text: fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constantFrom("\u2028\u007f\u0001\\\"'/", "🌊", "0.1")),
  integer: fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(0n, 1n, 2n ** 53n + 1n)),
  real: fc.oneof(
    fc.double({ noNaN: true }),
    fc.constantFrom(0.1 + 0.2, 5e-324, 1e21, -0, Number.MAX_VALUE, 1 / 3, 2 ** 53),
  ),
};

/** The columns with a value each; null in about half of those that may be null. */
const anyColumns = fc.record(
  Object.fromEntries(
    Object.entries(getTableColumns(requests))
      .filter(([name]) => !["seq", "request_id", "organization_id", "excerpts_packed"].includes(name))
      .map(([name, column]) => {
        const value: fc.Arbitrary<string | bigint | number> = VALUES[column.getSQLType() as keyof typeof VALUES];
        return [name, column.notNull ? value : fc.option(value, { freq: 2 })];
      }),
  ),
);

test("a listed record has what its row holds, to the last digit", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(anyColumns, { minLength: 1, maxLength: 5 }), async (records) => {
      const ids: string[] = [];
      for (const columns of records) ids.push(await insertRecord(store, "o", columns));
      await expectSameAsRows(ids.reverse());
    }),
    { numRuns: 60 },
  );
});

test("a cell that JSON cannot hold hides neither its record nor the others", async () => {
  const sound = await insertRecord(store, "o", { error_message: "sound", cost: 0.1 + 0.2 });
  const damaged = await insertRecord(store, "o", { error_message: new Uint8Array([255, 1, 2]), properties: "{" });
  await expectSameAsRows([damaged, sound]);
});
