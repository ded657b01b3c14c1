import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import type { EngineReader } from "../../../src/engine/reader.ts";
import type { Position } from "../../../src/filter/cursor.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { ALL } from "../../../src/filter/tree.ts";
import { Retention } from "../../../src/jobs/retention/retention.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { openStore } from "../../../src/store/store.ts";
import { EXCHANGES, ORGANIZATION } from "../../filter/samples.ts";
import { openWorld } from "../../filter/world.ts";
import { configIn, pass, silent } from "../../recorder/harness.ts";
import { until } from "../../until.ts";
import { LIBSQL } from "../libsql/engine.ts";
import { QUESTIONS, rounded } from "../suite/questions.ts";
import type { TestedEngine } from "../tested-engine.ts";
import { type Cluster, LAYOUT, startCluster } from "./cluster.ts";
import { filledEngine } from "./engine.ts";
import { type ClickHouseRig, clickHouseRig, recordsAt } from "./rig.ts";
import { isClickHouseMissing } from "./server.ts";

// For busy machines; these tests measure no time.
setDefaultTimeout(600_000);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So many that it is practically impossible for all to be on one server. */
const HOURS = 64;

let cluster: Cluster;

/** Records on two servers; queries go to one of them. */
const SHARDS: TestedEngine = {
  name: "ClickHouse on two servers",
  async open(exchanges, tags) {
    const world = await openWorld(exchanges, tags);
    const { clients, database } = await cluster.makeDatabase();
    const engine = await filledEngine(clients[0], world, exchanges);
    return {
      ...engine,
      async [Symbol.asyncDispose]() {
        await clients[1].command(`drop database ${database}`, { isOutside: true });
        await engine[Symbol.asyncDispose]();
      },
    };
  },
};

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("on two servers", shards);

function shards(): void {
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test("pages, counts and metrics over records on both are those of one database", async () => {
    await using one = await SHARDS.open(EXCHANGES);
    await using other = await LIBSQL.open(EXCHANGES);
    for (const sort of [undefined, { cost: "desc" }] as const) {
      const [pages, expected] = await Promise.all([pagesOf(one, sort), pagesOf(other, sort)]);
      expect(pages.flat().length).toBe(EXCHANGES.length);
      expect(pages).toEqual(expected);
    }
    const scope = { organizationId: ORGANIZATION, tree: ALL };
    expect(await one.source.count(scope, new Deadline(120_000))).toBe(EXCHANGES.length);
    for (const [name, question] of Object.entries(QUESTIONS)) {
      const [found, expected] = await Promise.all([question(one, "all"), question(other, "all")]);
      expect({ name, found: rounded(found) }).toEqual({ name, found: rounded(expected) });
    }
  });

  test("the hours of an organization are distributed over both servers, and each server returns all", async () => {
    const { clients } = await cluster.makeDatabase();
    const rows = Array.from({ length: HOURS }, (_, hour) => ({
      request_id: `of-hour-${hour}`,
      organization_id: "org-1",
      request_created_at: hour * HOUR_MS,
    }));
    const settings = { insert_deduplication_token: "a token" };
    await clients[0].insert("requests", rows, { settings });
    // Sent again, through the other server: each shard knows the token.
    await clients[1].insert("requests", rows, { settings });
    for (const client of clients)
      expect(await client.query("select count() as n from requests")).toEqual([{ n: HOURS }]);
    const own = await ownRows(clients);
    expect(own[0]! + own[1]!).toBe(HOURS);
    expect(Math.min(...own)).toBeGreaterThan(0);
  });

  test("changes, removals and retention reach the records of both", async () => {
    const { clients, database } = await cluster.makeDatabase();
    await using weir = await recording(database);
    const ids = Array.from({ length: HOURS }, (_, hour) => at(weir, Date.now() - hour * HOUR_MS));
    const day = Math.floor(Date.now() / DAY_MS) - 20;
    const old = Array.from({ length: 24 }, (_, hour) => at(weir, day * DAY_MS + hour * HOUR_MS));
    await weir.recorder.barrier();
    expect(Math.min(...(await ownRows(clients)))).toBeGreaterThan(0);

    const changes = ids.map((requestId) => ({ requestId, organizationId: "org-1", properties: { Mark: "x" } }));
    await Promise.all(changes.map((change) => weir.recorder.update(change)));
    const marked = "select countIf(properties['Mark'] = 'x') as n from requests";
    expect(await weir.client.query(marked)).toEqual([{ n: HOURS }]);

    const some = ids.slice(0, HOURS / 2);
    expect(await weir.recorder.remove({ organizationId: "org-1", requestIds: some })).toBe(some.length);
    await retain(weir, 10);
    for (const client of clients) {
      const left = await client.query<{ id: string }>("select request_id as id from requests order by id");
      expect(left.map(({ id }) => id)).toEqual(ids.slice(HOURS / 2).sort());
      expect(await client.query("select 1 as one from removed")).toEqual([]);
    }
    for (const id of [...some, ...old]) expect(await weir.body(id, "request")).toBeUndefined();
    for (const id of ids.slice(HOURS / 2)) expect(await weir.body(id, "request")).toBeDefined();
  });

  test("while one of them is unavailable records wait and queries fail; in the end each is stored once", async () => {
    const { clients, database } = await cluster.makeDatabase();
    await using weir = await recording(database);
    const ids = [at(weir, Date.now())];
    await weir.recorder.barrier();
    await cluster.servers[1].kill();
    for (let hour = 0; hour < HOURS; hour++) ids.push(at(weir, Date.now() - hour * HOUR_MS));
    await until(async () => (await weir.recorder.status()).databaseError !== null, 180_000);
    expect(weir.spool.stats.healthy).toBe(true);
    const pending = weir.client.query("select count() as n from requests");
    expect(await pending.then(String, ({ code }: { code: string }) => code)).toBe("database_unavailable");
    await cluster.servers[1].start();
    // A server of this library may abort when the other one restarts. A supervisor would restart it; so does the test.
    await until(async () => {
      for (const server of cluster.servers) if (!server.isRunning()) await server.start();
      return (await weir.recorder.status()).recorded === ids.length;
    }, 300_000);
    const [found] = await weir.client.query<{ n: number; ids: number }>(
      "select count() as n, uniqExact(request_id) as ids from requests",
    );
    expect(found).toEqual({ n: ids.length, ids: ids.length });
    expect(Math.min(...(await ownRows(clients)))).toBeGreaterThan(0);
  });
}

/** A recorder of the whole cluster. */
async function recording(database: string): Promise<ClickHouseRig> {
  const settings = { ...recordsAt(cluster.url, database), records_cluster: LAYOUT.cluster };
  const weir = await clickHouseRig({ settings });
  const client = new ClickHouse({ urls: [cluster.url], database, cluster: LAYOUT.cluster });
  return { ...weir, client, [Symbol.asyncDispose]: () => weir[Symbol.asyncDispose]() };
}

function at({ spool }: ClickHouseRig, time: number): string {
  return pass(spool, { id: uuidv7(time), begin: { time } });
}

/** How many records each server holds by itself. */
async function ownRows(clients: readonly ClickHouse[]): Promise<number[]> {
  const counts: number[] = [];
  for (const client of clients) {
    const [row] = await client.query<{ n: number }>("select count() as n from requests_local");
    counts.push(row!.n);
  }
  return counts;
}

async function retain(weir: ClickHouseRig, retention_days: number): Promise<void> {
  const config = configIn(weir.directory, { ...weir.settings, retention_days });
  const writer = await openStore(config, "change");
  await new Retention({
    ...{ config, log: silent, reader: weir.store, writer: async () => writer },
    remove: (removal) => weir.recorder.remove(removal),
    maintain: (task) => weir.recorder.maintain(task),
  }).run();
  await writer.close();
}

/** Ids of all records, a page after the other. */
async function pagesOf({ source }: EngineReader, sort: unknown): Promise<string[][]> {
  const pages: string[][] = [];
  let after: Position | undefined;
  do {
    const options = { sort: decodeSort(sort), limit: 100, offset: 0, deadline: new Deadline(120_000) };
    const { keys, next } = await source.page(
      { organizationId: ORGANIZATION, tree: ALL },
      { ...options, ...(after && { after }) },
    );
    pages.push(keys.map(({ requestId }) => requestId));
    after = next;
  } while (after !== undefined);
  return pages;
}
