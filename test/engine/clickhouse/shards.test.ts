import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { makeTables, TABLES_VERSION, tableStatements } from "../../../src/engine/clickhouse/tables.ts";
import { temporaryDirectory } from "../../directory.ts";
import { openWorld } from "../../filter/world.ts";
import { freePort } from "../../ports.ts";
import { LIBSQL } from "../libsql/engine.ts";
import { suiteOfAggregates } from "../suite/aggregates.ts";
import { suiteOfPages } from "../suite/pages.ts";
import { suiteOfRecords } from "../suite/records.ts";
import type { TestedEngine } from "../tested-engine.ts";
import { filledEngine } from "./engine.ts";
import { type ClickHouseServer, isClickHouseMissing, ownDatabase, startClickHouse } from "./server.ts";

// A busy server takes its time; nothing here is about that.
setDefaultTimeout(600_000);

/** No Keeper can be had here: each shard has one replica, and statements for all servers are run on each. */
const LAYOUT = { cluster: "two", hasKeeper: false } as const;

const directory = temporaryDirectory();
let servers: readonly ClickHouseServer[] = [];

/** Records on two servers, of which one is asked. */
const SHARDS: TestedEngine = {
  name: "ClickHouse on two servers",
  async open(exchanges, tags) {
    const database = ownDatabase();
    const world = await openWorld(exchanges, tags);
    const clients = servers.map(({ url }) => new ClickHouse({ urls: [url], database, cluster: LAYOUT.cluster }));
    for (const client of clients) {
      await client.command(`create database ${database}`, { isOutside: true });
      for (const statement of tableStatements(LAYOUT, database)) await client.command(statement);
    }
    const [asked, other] = clients as [ClickHouse, ClickHouse];
    await asked.insert("versions", [{ version: TABLES_VERSION, made_at: 0 }]);
    await makeTables(asked, LAYOUT);
    const engine = await filledEngine(asked, world, exchanges);
    return {
      ...engine,
      async [Symbol.asyncDispose]() {
        await other.command(`drop database ${database}`, { isOutside: true });
        await engine[Symbol.asyncDispose]();
      },
    };
  },
};

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("on two servers", shards);

function shards(): void {
  beforeAll(async () => {
    const ports = [await freePort(), await freePort()] as const;
    const config = join(directory.path, "cluster.xml");
    const shard = (port: number) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`;
    writeFileSync(
      config,
      `<clickhouse><remote_servers><two>${ports.map(shard).join("")}</two></remote_servers></clickhouse>`,
    );
    servers = await Promise.all(ports.map((tcpPort) => startClickHouse({ config, tcpPort })));
  });
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  suiteOfRecords(SHARDS);
  suiteOfPages(SHARDS, 3);
  suiteOfAggregates(SHARDS, LIBSQL, 1);

  test("the hours of an organization are dealt out to both, and each server tells of all", async () => {
    const database = ownDatabase();
    const clients = servers.map(({ url }) => new ClickHouse({ urls: [url], database, cluster: LAYOUT.cluster }));
    for (const client of clients) {
      await client.command(`create database ${database}`, { isOutside: true });
      for (const statement of tableStatements(LAYOUT, database)) await client.command(statement);
    }
    const rows = Array.from({ length: HOURS }, (_, hour) => ({
      request_id: `of-hour-${hour}`,
      organization_id: "org-1",
      request_created_at: hour * 3_600_000,
    }));
    const settings = { insert_deduplication_token: "a token" };
    await clients[0]!.insert("requests", rows, { settings });
    // Sent again, through the other server: each shard knows the token.
    await clients[1]!.insert("requests", rows, { settings });
    let here = 0;
    for (const client of clients) {
      expect(await client.query("select count() as n from requests")).toEqual([{ n: HOURS }]);
      const [own] = await client.query<{ n: number }>("select count() as n from requests_local");
      expect(own!.n).toBeGreaterThan(0);
      here += own!.n;
    }
    expect(here).toBe(HOURS);
  });
}

/** So many that all on one server would be a wonder. */
const HOURS = 64;
