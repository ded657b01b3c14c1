import { afterEach, expect, setSystemTime, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { listSegments } from "../../src/spool/segments.ts";
import { openStore } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { configIn, pass, spoolIn, startRecorder } from "./harness.ts";

afterEach(() => void setSystemTime());

async function idsIn(directory: string): Promise<string[]> {
  const store = await openStore(configIn(directory), "read");
  const rows = await store.records.query<{ id: string }>({ sql: "select request_id as id from requests", args: [] });
  await store.close();
  return rows.map(({ id }) => id);
}

const DAY_MS = 86_400_000;
/** A day on, two years on, a minute back, a day back, two years back. */
const jump = fc.constantFrom(DAY_MS, 730 * DAY_MS, -60_000, -DAY_MS, -730 * DAY_MS);

test("however the clock jumps, with restarts in between, every request is recorded once and segments keep their order", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(fc.record({ jump, count: fc.nat(8), restart: fc.boolean() }), { minLength: 1, maxLength: 6 }),
      async (steps) => {
        using directory = temporaryDirectory();
        const path = join(directory.path, "spool");
        const open = () => spoolIn(path, { segmentBytes: 2_500 });
        let spool = open();
        let recorder = startRecorder(directory.path);
        const ids: string[] = [];
        const numbers: number[] = [];
        let now = Date.now();
        for (const { jump, count, restart } of steps) {
          now += jump;
          setSystemTime(new Date(now));
          for (let i = 0; i < count; i++) {
            ids.push(pass(spool));
            const newest = listSegments(path).at(-1)!;
            if (newest !== numbers.at(-1)) numbers.push(newest);
          }
          if (!restart) continue;
          await spool.close();
          await recorder.stop();
          spool = open();
          recorder = startRecorder(directory.path);
        }
        await recorder.barrier();
        expect((await recorder.status()).losses).toEqual([]);
        await recorder.stop();
        await spool.close();
        setSystemTime();
        expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
        expect((await idsIn(directory.path)).sort()).toEqual(ids.sort());
      },
    ),
    { numRuns: 12 },
  );
});

test("a spool that was emptied before the clock was set back is read from its beginning", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  setSystemTime(new Date(Date.now() + 730 * DAY_MS));
  const first = spoolIn(path);
  const before = pass(first);
  const recorder = startRecorder(directory.path);
  await recorder.barrier();
  await first.close();
  await recorder.stop();
  rmSync(path, { recursive: true });
  setSystemTime();

  const second = spoolIn(path);
  const after = pass(second);
  for (let start = 0; start < 2; start++) {
    const again = startRecorder(directory.path);
    await again.barrier();
    await again.stop();
  }
  await second.close();
  expect((await idsIn(directory.path)).sort()).toEqual([before, after].sort());
});
