import { expect, test } from "bun:test";
import fc from "fast-check";
import { removeRecords } from "../../../src/engine/libsql/write/remove.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { growthOf, recordsPerDay } from "../../../src/store/retention/storage.ts";
import { countStep, type DaySum, storageSums } from "../../../src/store/sizes/sums.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { insertRecord } from "../../api/open.ts";
import { assertProperty } from "../../chance.ts";
import { ownDirectory } from "../open.ts";

const DAY_MS = 86_400_000;
const sums = (store: Store) => storageSums(store.records, new Deadline(180_000));

/** By day and organization, as an object. */
function added(days: readonly DaySum[]) {
  const all: Record<string, [number, number]> = {};
  for (const { day, organization_id, records, bytes } of days) {
    const name = `${day} ${organization_id}`;
    const [r, b] = all[name] ?? [0, 0];
    all[name] = [r + records, b + bytes];
  }
  return all;
}

const STEPS = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("add"), day: fc.nat(3), size: fc.nat(1_000), mine: fc.boolean(), open: fc.boolean() }),
    fc.record({ do: fc.constant("remove"), at: fc.nat(30) }),
    fc.record({ do: fc.constant("end"), at: fc.nat(30) }),
    fc.record({ do: fc.constant("count"), unsettled: fc.nat(3) }),
  ),
  { minLength: 1, maxLength: 30 },
);

test("the sums are those of all records, whatever comes, ends, goes or is counted in between", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await assertProperty(
    fc.asyncProperty(STEPS, async (steps) => {
      const ids: [string, string][] = [];
      for (const step of steps) {
        if (step.do === "add" && "day" in step) {
          const organization = step.mine ? "o" : "p";
          const row = { request_created_at: step.day * DAY_MS, size_bytes: step.open ? 0 : step.size };
          ids.push([
            await insertRecord(store, organization, { ...row, response_status: step.open ? null : 200 }),
            organization,
          ]);
        } else if (step.do === "count" && "unsettled" in step) await countStep(store.records, step.unsettled);
        else if ("at" in step) {
          const [id, organization] = ids[step.at] ?? ["", ""];
          if (step.do === "remove") await removeRecords(store, organization, [id]);
          else {
            const sql =
              "update requests set response_status = 200, size_bytes = 77 where request_id = ? and response_status is null";
            await store.records.batch([{ sql, args: [id] }]);
          }
        }
      }
      const all = await store.records.query<DaySum>({
        sql: `select request_created_at / ${DAY_MS} as day, organization_id, count(*) as records, sum(size_bytes) as bytes
          from requests group by 1, 2`,
        args: [],
      });
      const { days, uncounted } = await sums(store);
      expect(added(days)).toEqual(added(all));
      expect(uncounted).toBe(0);
    }),
    { numRuns: 30 },
  );
  await store.close();
});

test("a growth is the bytes sent in the last seven days times what of each byte is stored", () => {
  const now = 1_000.5 * DAY_MS;
  const day = (day: number, bytes: number, organization_id = "o"): DaySum => ({
    day,
    organization_id,
    records: 1,
    bytes,
  });
  const options = { storedBytes: 1_000, dataDirectory: ".", now };
  const long = growthOf(
    { days: [day(900, 8_000), day(994, 650), day(1_000, 650), day(1_000, 700, "p")], uncounted: 0 },
    options,
  );
  expect(long).toMatchObject({ sent_bytes: 10_000, records: 4, ratio: 0.1 });
  // 2,000 bytes in six and a half days.
  expect(long.growth_bytes_per_day).toBe(31);
  expect(long.days_left).toBe(Math.floor(long.disk_free_bytes! / 31));
  // What came within the first hours is taken for a day's.
  const young = growthOf({ days: [day(1_000, 10_000)], uncounted: 0 }, options);
  expect(young.growth_bytes_per_day).toBe(1_000);
  const none = growthOf({ days: [], uncounted: 0 }, options);
  expect(none).toMatchObject({ sent_bytes: 0, ratio: null, growth_bytes_per_day: null, days_left: null });
  const idle = growthOf({ days: [day(900, 8_000)], uncounted: 0 }, options);
  expect(idle).toMatchObject({ growth_bytes_per_day: 0, days_left: null });
  const shown = recordsPerDay(
    { days: [day(900, 8), day(999, 1), day(1_000, 6, "p"), day(1_000, 5)], uncounted: 0 },
    "o",
    now,
  );
  expect(shown.map(({ records, bytes }) => [records, bytes])).toEqual([
    [1, 5],
    [1, 1],
  ]);
});
