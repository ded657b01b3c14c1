import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { Retention } from "../../src/jobs/retention/retention.ts";
import { orderedRuns, orderRun } from "../../src/store/retention/retention.ts";
import { insertRecord, openApi, type TestApi } from "../api/open.ts";
import { assertProperty } from "../chance.ts";
import { silent } from "../recorder/harness.ts";

const DAY_MS = 86_400_000;
const NOW = Date.now();
const DAYS = 30;

let api: TestApi;
beforeEach(async () => {
  api = await openApi({ retention_days: DAYS, body_retention_days: 0 });
  // The jobs would carry out the orders of these tests.
  await api.stopJobs();
});
afterEach(async () => {
  setSystemTime();
  await api[Symbol.asyncDispose]();
});

/** @param onRemove - awaited before each step that removes records. */
function retention(onRemove: () => unknown = () => {}, body_retention_days = 0): Retention {
  return new Retention({
    config: { ...api.config, body_retention_days },
    log: silent,
    reader: api.store,
    writer: async () => api.store,
    async remove({ requestIds }) {
      await onRemove();
      const sql = "delete from requests where request_id in (select value from json_each(?))";
      await api.store.records.batch([{ sql, args: [JSON.stringify(requestIds)] }]);
      return requestIds.length;
    },
    maintain: async () => 0,
  });
}

async function insert(createdAt: number, status: number | null = 200): Promise<string> {
  const row = { request_created_at: createdAt, updated_at: createdAt, response_status: status };
  return insertRecord(api.store, api.organization, row);
}

async function left(): Promise<Set<string>> {
  const sql = "select request_id as id from requests";
  return new Set((await api.store.records.query<{ id: string }>({ sql, args: [] })).map(({ id }) => id));
}

/** A day on, a month on, a day back, two years back; and right again. */
const jump = fc.constantFrom(DAY_MS, 31 * DAY_MS, -DAY_MS, -730 * DAY_MS, 0);

test("however the clock jumps, each run removes what is too old by its clock, and nothing else", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(jump, { minLength: 1, maxLength: 5 }), async (jumps) => {
      const expected = new Map<string, number>();
      for (const id of await left()) expected.set(id, Number.NaN);
      for (const by of jumps) {
        const now = NOW + by;
        setSystemTime(new Date(now));
        // Records have the clock's time: with one that was set back, newer ones are older.
        for (const age of [0, DAYS - 0.1, DAYS + 0.1]) {
          const at = Math.trunc(now - age * DAY_MS);
          expected.set(await insert(at), at);
        }
        await retention().run();
        const kept = await left();
        for (const [id, at] of expected) {
          if (Number.isNaN(at)) continue;
          const isOld = at < now - DAYS * DAY_MS;
          expect([by, kept.has(id)]).toEqual([by, !isOld]);
          if (isOld) expected.delete(id);
        }
      }
    }),
    { numRuns: 8 },
  );
});

test("a clock that is set while a run continues makes nothing older for it", async () => {
  setSystemTime(new Date(NOW));
  // More than are looked at in one step: a later one is judged after the clock was set.
  const old = await Promise.all(Array.from({ length: 1_050 }, (_, n) => insert(NOW - (DAYS + 2) * DAY_MS + n)));
  const young = await insert(NOW - (DAYS - 1) * DAY_MS);
  let steps = 0;
  const onRemove = () => {
    steps += 1;
    setSystemTime(new Date(NOW + 400 * DAY_MS));
  };
  // Bodies go after a day: so all of these records are looked at.
  await retention(onRemove, 1).run();
  expect(steps).toBeGreaterThan(1);
  const kept = await left();
  expect([kept.has(young), old.some((id) => kept.has(id))]).toEqual([true, false]);
});

test("a stopped run is noted as stopped, and does not overwrite the last run of organizations that it did not reach", async () => {
  for (let n = 0; n < 1_050; n++) await insert(NOW - (DAYS + 2) * DAY_MS + n);
  const lastOf = async (key: string) => (await api.call("GET", "/v1/retention", { key })).json.data.last_run;
  await insertRecord(api.store, api.other, { request_created_at: NOW });
  const stopped = retention(() => stopped.stop());
  await stopped.run();
  const [one, other] = [await lastOf(api.keys.admin), await lastOf(api.keys.other)];
  const noted = [one, other].filter((run) => run !== null);
  expect(noted).toMatchObject([{ error: "the service was stopped" }]);
  expect((await left()).size).toBeGreaterThan(1);
  await retention().run();
  expect([(await lastOf(api.keys.admin)).error, (await lastOf(api.keys.other)).error]).toEqual([null, null]);
});

test.each([
  ["the schedule began", "run"],
  ["a caller ordered", "runOrdered"],
] as const)("a run that %s is continued by the next process after a kill, and then no more", async (_name, start) => {
  const old = await insert(NOW - (DAYS + 2) * DAY_MS);
  if (start === "runOrdered") await orderRun(api.store.records, api.organization);
  const { promise: isRemoving, resolve: onRemove } = Promise.withResolvers<void>();
  // A killed process neither ends its step nor reports an error.
  void retention(() => {
    onRemove();
    return new Promise(() => {});
  })[start]();
  await isRemoving;
  expect(await left()).toContain(old);
  await retention().runOrdered();
  expect(await left()).not.toContain(old);
  expect(await orderedRuns(api.store.records)).toEqual([]);
});

test("an order that comes during a run is not ended by it", async () => {
  await insert(NOW - (DAYS + 2) * DAY_MS);
  setSystemTime(new Date(NOW));
  await orderRun(api.store.records, api.organization);
  await retention(async () => {
    setSystemTime(new Date(NOW + 1_000));
    await orderRun(api.store.records, api.organization);
  }).runOrdered();
  expect(await orderedRuns(api.store.records)).toMatchObject([{ organizationId: api.organization }]);
});

test.each([
  ["a day on", DAY_MS],
  ["two years on", 730 * DAY_MS],
  ["a day back", -DAY_MS],
  ["two years back", -730 * DAY_MS],
])("pages by cursor have each record once, whichever way: the clock is set %s between them", async (_, by) => {
  setSystemTime(new Date(NOW));
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) ids.push(await insert(NOW - n * 1_000));
  for (const direction of ["asc", "desc"]) {
    setSystemTime(new Date(NOW));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const body: object = { filter: "all", sort: { created_at: direction }, limit: 2, cursor, includeBody: false };
      const { status, json } = await api.call("POST", "/v1/request/query-fast", { body });
      expect(status).toBe(200);
      seen.push(...json.data.map((row: { request_id: string }) => row.request_id));
      cursor = json.next_cursor;
      if (seen.length > 4) continue;
      // Traffic continues, by the clock as it is now.
      setSystemTime(new Date(NOW + by));
      await insert(NOW + by);
    } while (cursor !== null);
    expect(seen.toSorted()).toEqual([...new Set(seen)].toSorted());
    expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
  }
});
