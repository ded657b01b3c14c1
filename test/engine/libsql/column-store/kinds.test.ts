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

/** Enough that metrics are computed from blocks. */
const RECORDS = 5_120;
/** Groups whose texts may be stored in a kind. */
const GROUPS = ["model", "provider", "outcome", "finish_reason", "key", "route", "credential"];

/** Every 64th record has a model of its own, and thus no kind; the others are of two kinds. */
function exchange(seq: number) {
  const isOdd = seq % 2 === 1;
  const row = {
    ...{ request_id: idOf(seq), organization_id: "org", key_id: "k", method: "POST", wire_schema: "chat" },
    ...{ request_created_at: seq * 1_000, updated_at: 0, response_status: 200, provider: isOdd ? "OPENAI" : "GROQ" },
    ...{ outcome: "complete", model: seq % 64 === 0 ? `m-${seq}` : isOdd ? "m-a" : "m-b", finish_reason: "stop" },
    ...{ route: isOdd ? "fast" : null, credential: "client", gateway_user: isOdd ? null : "ci" },
  };
  return { record: toStorable({ row, bodies: [], texts: NO_TEXTS }, seq), seq };
}

async function requests(store: Store): Promise<string[]> {
  const scope = { organizationId: "org", tree: decodeFilter("all", "legacy").tree };
  const by = { groupBy: GROUPS, timeBucket: undefined, limit: 1_000, offset: 0 };
  const rows: readonly object[] = await metrics(store.records, scope, by, new Deadline(180_000));
  return rows.map((row) => JSON.stringify(row)).sort();
}

test("a block has the texts of its records and of their kinds", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const fresh = Array.from({ length: RECORDS }, (_, at) => exchange(at + 1));
  const [kinds, partitions] = [new Kinds(), new TimePartitions()];
  await store.records.batch(recordStatements({ fresh, completed: [], positions: [], kinds, partitions, now: 0 }));
  const count = { sql: "select count(*) - count(kind) as unshared from requests", args: [] };
  expect(await store.records.query<object>(count)).toEqual([{ unshared: 82 }]);
  const fromRecords = await requests(store);
  expect(fromRecords).toHaveLength(82);
  while ((await makeNextBlock(store, { short: 512, long: 8_192, changesMax: 1 })) !== undefined);
  const blocks = { sql: "select sum(rows) as within, sum(odd_rows) as odd from blocks", args: [] };
  expect(await store.records.query<object>(blocks)).toEqual([{ within: RECORDS, odd: 0 }]);
  expect(await requests(store)).toEqual(fromRecords);
  await store.close();
});
