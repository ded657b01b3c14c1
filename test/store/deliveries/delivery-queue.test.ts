import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { enqueue, listDeliveries, type NewDelivery } from "../../../src/store/deliveries/deliveries.ts";
import {
  type Attempt,
  bringForward,
  claimDue,
  dueEndpoints,
  endpointTroubles,
  limitWaiting,
  REMOVED,
  releaseClaims,
  settle,
  sweepDeliveries,
  waitingDeliveries,
} from "../../../src/store/deliveries/delivery-queue.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { type Sqld, startSqld } from "../../e2e/sqld.ts";
import { ownDirectory } from "../open.ts";

const directory = ownDirectory();
let server: Sqld;
beforeAll(async () => {
  server = await startSqld();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

const NOTHING = async () => {};
const LEASE = { leaseMs: 1_000, limit: 10 };

describe.each(["a file", "a libSQL server"])("the queue in %s", (where) => {
  let store: Store;
  beforeAll(async () => {
    const database_url = where === "a file" ? "" : server.url;
    store = await openStore({ ...directory.config, database_url }, "write");
    await migrate(store);
  });
  afterAll(() => store.close());

  /** Puts one into the queue at a time, for an endpoint with this name. */
  async function put(endpoint: string, at: number, more: Partial<NewDelivery> = {}): Promise<string> {
    const { id, sql, args } = enqueue(
      {
        organization_id: "o",
        kind: "request",
        source_id: endpoint,
        endpoint_id: endpoint,
        subject_id: "s",
        payload: null,
        ...more,
      },
      at,
    );
    await store.records.batch([{ sql, args }]);
    return id;
  }
  const idsOf = async (endpoint: string) =>
    (await listDeliveries(store.records, endpoint, { limit: 9_999, offset: 0 })).map(({ id }) => id);

  test("tells how many wait, since when, and which endpoints take nothing", async () => {
    expect(await waitingDeliveries(store.records, 10_000)).toEqual({ waiting: 0, since: null });
    for (const at of [700, 600, 650]) await put("waits-a", at);
    await put("waits-b", 500);
    const attempted = async (endpoint: string, failure: Attempt["failure"]) => {
      const [delivery] = await claimDue(store.records, endpoint, { ...LEASE, limit: 1, claim: endpoint, now: 1_000 });
      await settle(store.records, [{ delivery: delivery!, failure, status: null }], 2_000);
    };
    await attempted("waits-b", { error: "gone", retryAt: undefined });
    expect(await waitingDeliveries(store.records, 10_000)).toEqual({ waiting: 3, since: 600 });
    await put("waits-c", 500);
    await attempted("waits-c", { error: REMOVED, retryAt: undefined });
    await attempted("waits-a", { error: "later", retryAt: 9_000 });
    const both = await endpointTroubles(store.records, 2_000, 10_000);
    expect(both.map((each) => [each.endpoint_id, each.failed, each.waiting, each.last_error])).toEqual([
      ["waits-a", 0, 1, "later"],
      ["waits-b", 1, 0, "gone"],
    ]);
    expect(await endpointTroubles(store.records, 2_001, 10_000)).toHaveLength(1);
    await store.records.batch([{ sql: "delete from deliveries", args: [] }]);
  });

  test("shows every endpoint with something due, once", async () => {
    await put("due-a", 10);
    await put("due-a", 20);
    await put("due-b", 10);
    await put("due-c", 11);
    const due = await dueEndpoints(store.records, 10);
    expect(due.filter((id) => id.startsWith("due-"))).toEqual(["due-a", "due-b"]);
  });

  test("deliveries that were postponed before the clock was set back are due at once, and no others", async () => {
    await put("far", 1_000_000);
    await put("near", 5_000);
    await bringForward(store.records, 10, 10_000);
    expect(await dueEndpoints(store.records, 10)).toContain("far");
    expect(await dueEndpoints(store.records, 10)).not.toContain("near");
    await store.records.batch([{ sql: "delete from deliveries where endpoint_id in ('far', 'near')", args: [] }]);
  });

  test("gives each delivery to one taker until the lease is over", async () => {
    const [first, second] = [await put("lease", 1), await put("lease", 2)];
    const taken = await claimDue(store.records, "lease", { ...LEASE, claim: "x:1", now: 5, limit: 1 });
    expect(taken.map(({ id }) => id)).toEqual([first]);
    const rest = await claimDue(store.records, "lease", { ...LEASE, claim: "y:1", now: 5 });
    expect(rest.map(({ id }) => id)).toEqual([second]);
    expect(await claimDue(store.records, "lease", { ...LEASE, claim: "x:2", now: 6 })).toEqual([]);
    const again = await claimDue(store.records, "lease", { ...LEASE, claim: "x:3", now: 1_005 });
    expect(again.map(({ id }) => id)).toEqual([first, second]);
  });

  test("returns what a taker with that name had, and no other's", async () => {
    const mine = await put("release", 1);
    await claimDue(store.records, "release", { ...LEASE, claim: "me:1", now: 1 });
    await put("release", 2);
    await claimDue(store.records, "release", { ...LEASE, claim: "me-not:1", now: 2 });
    await releaseClaims(store.records, "me:", 3);
    const taken = await claimDue(store.records, "release", { ...LEASE, claim: "me:2", now: 3 });
    expect(taken.map(({ id }) => id)).toEqual([mine]);
  });

  test("takes an id once", async () => {
    const id = await put("once", 1, { id: "msg_same" });
    await put("once", 2, { id });
    expect(await idsOf("once")).toEqual(["msg_same"]);
  });

  test("notes what came of each attempt", async () => {
    for (let at = 0; at < 3; at++) await put("settle", at);
    const claimed = await claimDue(store.records, "settle", { ...LEASE, claim: "x", now: 5 });
    const failures: Attempt["failure"][] = [null, { error: "503", retryAt: 900 }, { error: "410", retryAt: undefined }];
    const attempts = claimed.map((delivery, at) => ({ delivery, failure: failures[at]!, status: 200 + at }));
    await settle(store.records, attempts, 50);
    const found = (await listDeliveries(store.records, "settle", { limit: 9, offset: 0 })).reverse();
    expect(found).toMatchObject([
      { state: "delivered", attempts: 1, last_status: 200, last_error: null, finished_at: 50 },
      { state: "pending", attempts: 1, last_error: "503", next_attempt_at: 900, finished_at: null },
      { state: "failed", attempts: 1, last_error: "410", finished_at: 50 },
    ]);
  });

  test("keeps the last thousand finished of an endpoint, and all that wait", async () => {
    const statements = Array.from({ length: 1_010 }, (_, at) => ({
      sql: `insert into deliveries (id, organization_id, kind, source_id, endpoint_id, subject_id, state, attempts,
        next_attempt_at, created_at) values (?, 'o', 'request', 'sweep', 'sweep', 's', ?, 0, 0, ?)`,
      args: [`sweep-${at}`, at < 5 ? "pending" : "delivered", at],
    }));
    await store.records.batch(statements);
    await sweepDeliveries(store.records, ["sweep", "nobody"], NOTHING);
    const kept = new Set(await idsOf("sweep"));
    expect(kept.size).toBe(1_005);
    expect([kept.has("sweep-0"), kept.has("sweep-5"), kept.has("sweep-9"), kept.has("sweep-10")]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test("lets the oldest of too many give up", async () => {
    const ids = [];
    for (let at = 0; at < 5; at++) ids.push(await put("limit", at));
    await limitWaiting(store.records, 9, 3);
    const failed = (await listDeliveries(store.records, "limit", { limit: 9, offset: 0 })).filter(
      ({ state }) => state === "failed",
    );
    expect(failed.map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort());
  });
});
