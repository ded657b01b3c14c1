import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createLog } from "../../../src/log.ts";
import type { PluginShare, ShareLimit } from "../../../src/plugin-host/contract.ts";
import { Shares } from "../../../src/plugin-host/host/shares.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { connectLimits, LimitsServer } from "../../../src/store/nodes/limits-server.ts";
import { claimShares } from "../../../src/store/nodes/shares.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { assertProperty } from "../../chance.ts";
import { isRedisMissing, type RedisServer, startRedis } from "../../redis.ts";
import { until } from "../../until.ts";
import { ownDirectory } from "../open.ts";

const directory = ownDirectory();
const log = createLog({ level: "error", format: "text" });
let store: Store;
let redis: RedisServer;

if (isRedisMissing()) test("these tests did not run: redis-server is missing", () => undefined);
else limits();

function limits(): void {
  beforeAll(async () => {
    store = await openStore(directory.config, "write");
    await migrate(store);
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    await store?.close();
    directory[Symbol.dispose]();
  });

  test("a burst on several nodes at once passes exactly the quota, and one after the other all of it", async () => {
    using world = nodes(3, "burst", 50);
    await world.ready();
    const done = await Promise.all(world.all.flatMap((node) => Array.from({ length: 100 }, () => node.request())));
    expect(done.filter(Boolean)).toHaveLength(50);
    using turns = nodes(3, "turns", 7);
    await turns.ready();
    for (let at = 0; at < 7; at++) expect(await turns.all[at % 3]!.request()).toBe(true);
    for (let at = 0; at < 6; at++) expect(await turns.all[at % 3]!.request()).toBe(false);
  });

  test("a settled server is called alone, once for all that wait", async () => {
    using world = nodes(2, "alone", 1_000);
    await world.ready();
    const before = world.all.map(({ fromDatabase }) => fromDatabase);
    await Promise.all(world.all.map((node) => node.request()));
    expect(world.all.map(({ fromDatabase }) => fromDatabase)).toEqual(before);
    expect(world.passed()).toBe(2);
  });

  test("no more than the quota passes, whether the server is killed before, between or after, and restarts empty", async () => {
    let runs = 0;
    await assertProperty(
      fc.asyncProperty(
        fc.record({
          quota: fc.integer({ min: 1, max: 30 }),
          count: fc.integer({ min: 2, max: 4 }),
          before: fc.double({ min: 0, max: 1, noNaN: true }),
          burst: fc.integer({ min: 1, max: 20 }),
        }),
        async ({ quota, count, before, burst }) => {
          using world = nodes(count, `killed ${runs++}`, quota);
          const all = () =>
            Promise.all(world.all.flatMap((node) => Array.from({ length: burst }, () => node.request())));
          await world.ready();
          await pass(world, Math.floor(before * quota));
          const under = all();
          await redis.kill();
          await under;
          await connected(world.all, false);
          await all();
          expect(world.passed()).toBeLessThanOrEqual(quota);
          await world.settle();
          await all();
          expect(world.passed()).toBeLessThanOrEqual(quota);
          await redis.start();
          await connected(world.all, true);
          await all();
          await world.settle();
          // What is left goes through, and not one more.
          await pass(world, quota);
          await all();
          expect(world.passed()).toBe(quota);
        },
      ),
      { numRuns: 5 },
    );
  }, 300_000);

  test("a node that starts next to settled ones gets what they leave", async () => {
    using world = nodes(1, "later", 10);
    await world.ready();
    await pass(world, 10);
    // A node of its own clock: for it nothing has settled.
    using late = nodes(1, "later", 10, 1);
    await connected(late.all, true);
    for (let at = 0; at < 5; at++) expect(await late.all[0]!.request()).toBe(false);
  });

  test("a server that has lost its memory grants what is held until the nodes have reported it", async () => {
    using world = nodes(2, "flushed", 10);
    await world.ready();
    await pass(world, 6);
    const own = connectLimits(`redis://127.0.0.1:${redis.port}`);
    await until(
      () => own.status === "ready",
      180_000,
      () => "no connection",
    );
    await own.flushall();
    own.disconnect();
    await Promise.all(world.all.flatMap((node) => Array.from({ length: 20 }, () => node.request())));
    expect(world.passed()).toBeLessThanOrEqual(10);
  });

  test("a server that hangs counts as away", async () => {
    using world = nodes(2, "hangs", 10);
    await world.ready();
    await pass(world, 3);
    redis.freeze();
    await until(
      async () => {
        await world.all[0]!.share.ask();
        return world.all[0]!.server.error !== undefined;
      },
      180_000,
      () => "the server is not missed",
      50,
    );
    redis.thaw();
    await connected(world.all, true);
    await Promise.all(world.all.flatMap((node) => Array.from({ length: 20 }, () => node.request())));
    expect(world.passed()).toBeLessThanOrEqual(10);
  });

  test("a password is needed where the server asks for one", async () => {
    await using guarded = await startRedis(["--requirepass", "s3cret w:rd"]);
    const server = (url: string) =>
      new LimitsServer({
        url,
        prefix: "p",
        node: "n",
        log,
        fallback: (claims) => claimShares(store.records, "n", claims),
      });
    const right = server(`redis://:${encodeURIComponent("s3cret w:rd")}@127.0.0.1:${guarded.port}/3`);
    const wrong = server(`redis://127.0.0.1:${guarded.port}`);
    await until(
      () => right.moves > 0 && wrong.error?.includes("NOAUTH") === true,
      180_000,
      () => "neither responded",
    );
    expect(right.error).toBeUndefined();
    right.close();
    wrong.close();
  });
}

/** Time that passes when the test says so: nothing settles before every node has reported what it holds. */
class Clock {
  nowMs = 0;
}

/** A node that counts one limit, whose window is longer than the test. */
class Counting {
  readonly server: LimitsServer;
  readonly shares: Shares;
  readonly share: PluginShare;
  passed = 0;
  /** Claims that got a result, and how many of them from the database. */
  claimed = 0;
  fromDatabase = 0;

  constructor(name: string, key: string, { limit, clock }: { limit: ShareLimit; clock: Clock }) {
    const url = `redis://127.0.0.1:${redis.port}`;
    this.server = new LimitsServer({
      url,
      prefix: "test",
      node: name,
      log,
      fallback: async (claims) => {
        const result = await claimShares(store.records, name, claims);
        this.fromDatabase += 1;
        return result;
      },
      clock: () => clock.nowMs,
    });
    this.shares = new Shares({
      claim: async (claims) => {
        const result = await this.server.claim(claims);
        this.claimed += 1;
        return result;
      },
      moves: () => this.server.moves,
      log,
    });
    this.share = this.shares.of("test").open(key, limit, () => ({ used: this.passed, likely: 1 }));
  }

  async request(): Promise<boolean> {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (this.passed < this.share.allowed()) {
        this.passed += 1;
        return true;
      }
      if (!this.share.mayGrow()) return false;
      await this.share.ask();
    }
    return false;
  }
}

function nodes(count: number, key: string, quota: number, first = 0) {
  const clock = new Clock();
  const limit = { quota, windowMs: 3_600_000 };
  const all = Array.from({ length: count }, (_, at) => new Counting(`${key} ${first + at}`, key, { limit, clock }));
  return {
    all,
    passed: () => all.reduce((sum, node) => sum + node.passed, 0),
    /** Resolves once every node has reported what it holds, and lets the time pass that they wait for each other. */
    async settle() {
      const before = all.map((node) => node.claimed);
      await until(
        async () => {
          await Promise.all(all.map((node) => node.share.ask()));
          return all.every((node, at) => node.claimed > before[at]!);
        },
        180_000,
        () => "a node has not called",
      );
      clock.nowMs += 10_000;
    },
    /** Resolves once only the server is used. */
    async ready() {
      await connected(all, true);
      await until(
        async () => {
          await this.settle();
          const before = all.map((node) => node.fromDatabase);
          await Promise.all(all.map((node) => node.share.ask()));
          return all.every((node, at) => node.fromDatabase === before[at]);
        },
        180_000,
        () => "the server has not settled",
      );
    },
    [Symbol.dispose]() {
      for (const { shares, server } of all) {
        shares.close();
        server.close();
      }
    },
  };
}

/** Sends until so many have passed; after a refusal the next node tries. */
async function pass(world: ReturnType<typeof nodes>, count: number): Promise<void> {
  let at = 0;
  await until(
    async () => {
      if (world.passed() < count && !(await world.all[at++ % world.all.length]!.request())) await world.settle();
      return world.passed() >= count;
    },
    180_000,
    () => `only ${world.passed()} of ${count} passed`,
    1,
  );
}

const connected = (all: readonly Counting[], wanted: boolean) =>
  until(
    () => all.every(({ server }) => (server.error === undefined) === wanted && server.moves > 0),
    180_000,
    () => `the nodes are not ${wanted ? "connected" : "alone"}`,
  );
