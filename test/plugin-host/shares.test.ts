import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLog } from "../../src/log.ts";
import type { PluginShare, ShareLimit } from "../../src/plugin-host/contract.ts";
import { type ShareClaim, type ShareResult, Shares } from "../../src/plugin-host/host/shares.ts";
import { migrate } from "../../src/store/migrate.ts";
import { beat } from "../../src/store/nodes/nodes.ts";
import { claimShares } from "../../src/store/nodes/shares.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { ownDirectory } from "../store/open.ts";
import { until } from "../until.ts";
import { keptLog } from "./folder.ts";

const directory = ownDirectory();
const log = createLog({ level: "error", format: "text" });
let store: Store;
beforeAll(async () => {
  store = await openStore(directory.config, "write");
  await migrate(store);
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

/** A node that counts one limit in a sliding window, as plugins do. */
class Counting {
  readonly passed: number[];
  readonly shares: Shares;
  readonly share: PluginShare;
  readonly #limit: ShareLimit;
  readonly #own: number[] = [];
  /** False makes its database unreachable. */
  reachable = true;

  constructor(name: string, key: string, limit: ShareLimit, passed: number[]) {
    this.passed = passed;
    this.#limit = limit;
    const claim = async (claims: readonly ShareClaim[]) => {
      if (!this.reachable) throw new Error("away");
      return claimShares(store.records, name, claims);
    };
    this.shares = new Shares({ claim, log });
    this.share = this.shares.of("test").open(key, limit, () => ({ used: this.#used(), likely: 1 }));
  }

  async request(): Promise<boolean> {
    for (let claims = 0; claims < 5; claims++) {
      if (this.#used() < this.share.allowed()) {
        const now = performance.now();
        this.#own.push(now);
        this.passed.push(now);
        return true;
      }
      if (!this.share.mayGrow()) return false;
      await this.share.ask();
    }
    return false;
  }

  /** As if its window were over. */
  forget(): void {
    this.#own.length = 0;
  }

  #used(): number {
    const from = performance.now() - this.#limit.windowMs;
    return this.#own.filter((time) => time > from).length;
  }
}

function nodes(count: number, key: string, limit: ShareLimit) {
  const passed: number[] = [];
  const all = Array.from({ length: count }, (_, at) => new Counting(`${key} ${at}`, key, limit, passed));
  return {
    all,
    passed,
    [Symbol.dispose]: () => {
      for (const { shares } of all) shares.close();
    },
  };
}

/** The most that passed in any window. */
function mostIn(passed: readonly number[], windowMs: number): number {
  const times = passed.toSorted((one, other) => one - other);
  return Math.max(0, ...times.map((start, at) => times.slice(at).filter((time) => time < start + windowMs).length));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a burst on several nodes at once passes exactly the quota", async () => {
  using world = nodes(3, "burst", { quota: 50, windowMs: 60_000 });
  const done = await Promise.all(world.all.flatMap((node) => Array.from({ length: 100 }, () => node.request())));
  expect(done.filter(Boolean)).toHaveLength(50);
});

test.each([1, 5, 40])(
  "no window of any length of traffic holds more than a quota of %i, and all of it is used",
  async (quota) => {
    const limit = { quota, windowMs: 400 };
    using world = nodes(3, `steady ${quota}`, limit);
    const startedAt = performance.now();
    // Five windows at least, and as many more as a busy machine takes for the requests.
    const enough = () => performance.now() - startedAt > 2_000 && world.passed.length >= 2 * quota;
    await Promise.all(
      world.all.map(async (node, at) => {
        while (!enough()) {
          await node.request();
          await pause(3 + 4 * at);
        }
      }),
    );
    expect(mostIn(world.passed, limit.windowMs)).toBeLessThanOrEqual(quota);
    // Shares that are not needed are given back twice a second: every node gets its turn.
    expect(world.passed.length).toBeGreaterThanOrEqual(2 * quota);
  },
);

test("what a node has and does not use any more, others have soon", async () => {
  using world = nodes(2, "idle", { quota: 10, windowMs: 60_000 });
  const [busy, other] = world.all as [Counting, Counting];
  for (let at = 0; at < 10; at++) expect(await busy.request()).toBe(true);
  expect(await other.request()).toBe(false);
  busy.forget();
  for (let at = 0; at < 10; at++) await until(() => other.request());
  expect(await other.request()).toBe(false);
});

test("a claim without a result in time is logged, and so is the next one that gets its result", async () => {
  const { log, lines } = keptLog();
  const late = Promise.withResolvers<ShareResult>();
  const shares = new Shares({ claim: () => late.promise, log });
  const share = shares.of("test").open("late", { quota: 4, windowMs: 60_000 }, () => ({ used: 0, likely: 1 }));
  await Promise.all([share.ask(), share.ask()]);
  expect(shares.away).toBe(true);
  expect(lines).toEqual([expect.stringContaining("limits cannot be shared now")]);
  late.resolve({ grants: [{ amount: 4, others: 0 }], nodes: 1 });
  await until(() => !shares.away);
  expect(lines.slice(1)).toEqual([expect.stringContaining("limits are shared among the nodes again")]);
  shares.close();
});

test("while the database is away each node continues with its part of the quota, and with what it has", async () => {
  const limit = { quota: 20, windowMs: 60_000 };
  for (const name of ["away 0", "away 1"]) await beat(store.records, name, "run", true);
  using world = nodes(2, "away", limit);
  const [has, lacks] = world.all as [Counting, Counting];
  await lacks.share.ask();
  for (let at = 0; at < 4; at++) expect(await has.request()).toBe(true);
  for (const node of world.all) node.reachable = false;
  const done = await Promise.all(
    world.all.map(async (node) => {
      let passed = 0;
      for (let at = 0; at < 30; at++) if (await node.request()) passed += 1;
      return passed;
    }),
  );
  // Stated bound: no more than twice the quota together.
  expect(world.passed.length).toBeLessThanOrEqual(2 * limit.quota);
  expect(done[1]).toBeGreaterThan(0);
});
