import { expect, test } from "bun:test";
import { toStorable } from "../../../../src/engine/import.ts";
import { metrics } from "../../../../src/engine/libsql/aggregates/metrics.ts";
import { makeNextBlock } from "../../../../src/engine/libsql/column-store/keep.ts";
import { recordStatements } from "../../../../src/engine/libsql/write/insert.ts";
import { Kinds } from "../../../../src/engine/libsql/write/kinds.ts";
import { TimePartitions } from "../../../../src/engine/libsql/write/time-partitions.ts";
import { decodeFilter } from "../../../../src/filter/decode.ts";
import { NO_TEXTS } from "../../../../src/record/record-texts.ts";
import { Deadline } from "../../../../src/store/database/deadline.ts";
import { migrate } from "../../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../../src/store/store.ts";
import { idOf } from "../../../filter/world.ts";
import { ownDirectory } from "../../../store/open.ts";

const KINDS = new Kinds();
const PARTITIONS = new TimePartitions();
const SIZES = { short: 4_096, long: 65_536, changesMax: 100 };

/** Inserts records with the numbers from `first` to `last`, in one batch. */
function insert(store: Store, first: number, last: number): Promise<void> {
  const fresh = Array.from({ length: last - first + 1 }, (_, at) => {
    const seq = first + at;
    const row = {
      ...{ request_id: idOf(seq), organization_id: "org", key_id: "k", method: "POST", provider: "OPENAI" },
      ...{ request_created_at: seq * 1_000, updated_at: 0 },
    };
    return { record: toStorable({ row, bodies: [], texts: NO_TEXTS }, seq), seq };
  });
  return store.records.batch(
    recordStatements({ fresh, completed: [], positions: [], kinds: KINDS, partitions: PARTITIONS, now: 0 }),
  );
}

async function counted(store: Store): Promise<number> {
  const scope = { organizationId: "org", tree: decodeFilter("all", "legacy").tree };
  const by = { groupBy: [], timeBucket: undefined, limit: 10, offset: 0 };
  const [row] = await metrics(store.records, scope, by, new Deadline(180_000));
  return row!["requests"] as number;
}

const noted = async (store: Store) =>
  (await store.records.query<{ seq: number }>({ sql: "select seq from block_changes order by seq", args: [] })).map(
    ({ seq }) => seq,
  );

test("records whose numbers a block covers already are counted, and only they are noted", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await insert(store, 1, 4_000);
  // Another node reserved 4,001 to 4,010.
  await insert(store, 4_011, 8_200);
  while ((await makeNextBlock(store, SIZES)) !== undefined);
  expect(await counted(store)).toBe(8_190);
  await insert(store, 4_001, 4_010);
  expect(await counted(store)).toBe(8_200);
  expect(await noted(store)).toEqual(Array.from({ length: 10 }, (_, at) => 4_001 + at));
  // The blocks end at 8,192.
  await insert(store, 8_201, 8_300);
  expect(await counted(store)).toBe(8_300);
  expect(await noted(store)).toHaveLength(10);
  await store.close();
});
