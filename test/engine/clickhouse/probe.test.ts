import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../../../src/config.ts";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { probeServer, probeTable } from "../../../src/engine/clickhouse/probe.ts";
import { makeTables, TABLES_VERSION } from "../../../src/engine/clickhouse/tables.ts";
import { recordsCheck } from "../../../src/maintenance/doctor/checks/records.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

// A busy server takes its time; nothing here is about that.
setDefaultTimeout(600_000);

/** A server without tables that reports what the test says. */
function pretending(respond: () => string) {
  const fetch = async (request: Request) => {
    const sql = await request.text();
    const headers = { "x-clickhouse-query-id": "1" };
    return new Response(sql.includes("from versions") ? "" : respond(), { headers });
  };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  const client = new ClickHouse({ urls: [`http://127.0.0.1:${server.port}`], database: "weir" });
  return { client, [Symbol.asyncDispose]: () => server.stop(true) };
}

const row = (version: string, aheadMs: number) => () => `${JSON.stringify({ version, now: Date.now() + aheadMs })}\n`;

test.each([
  ["25.12.4.1", true],
  ["26.2.9.9", true],
  ["26.3.1.1", false],
  ["26.10.1.1", false],
  ["27.1", false],
])("version %s is too old: %p", async (version, isTooOld) => {
  await using server = pretending(row(version, 0));
  expect(await probeServer(server.client)).toMatchObject({ version, isTooOld });
});

test.each([-3_600_000, 3_600_000])("a clock that is %p ms ahead is noticed", async (aheadMs) => {
  await using server = pretending(row("26.7.1", aheadMs));
  const { clockAheadMs } = await probeServer(server.client);
  expect(Math.abs(clockAheadMs - aheadMs)).toBeLessThan(600_000);
});

/** Its text, and headers that are those of a text as it stands. */
async function responseOf(target: URL, body: string) {
  const response = await fetch(target, { method: "POST", body });
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name);
  return { status: response.status, headers, text: await response.text() };
}

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else
  describe("on a server", () => {
    let client: ClickHouse;
    beforeAll(async () => {
      client = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    });
    afterAll(() => client.command(`drop database if exists ${client.database} sync`, { isOutside: true }));

    test("the probe reads version, clock and tables, and writes, changes and deletes a row", async () => {
      expect(await probeServer(client)).toMatchObject({ isTooOld: false, tables: undefined });
      await probeTable(client);
      await makeTables(client);
      expect(await probeServer(client)).toMatchObject({ tables: TABLES_VERSION });
      await probeTable(client);
      const left = await client.query<{ name: string }>(
        "select name from system.tables where database = currentDatabase() and startsWith(name, 'doctor')",
      );
      expect(left).toEqual([]);
    });

    test("doctor tells two ways to one server from two servers, by what is written through one of them", async () => {
      const url = await sharedClickHouse();
      // A server of its own, as far as a database is one.
      const database = ownDatabase();
      await using other = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        async fetch(request) {
          const target = new URL(url);
          target.search = new URL(request.url).search;
          if (target.searchParams.has("database")) target.searchParams.set("database", database);
          const body = (await request.text()).replaceAll(client.database, database);
          const { status, headers, text } = await responseOf(target, body);
          return new Response(text, { status, headers });
        },
      });
      const examined = async (...urls: string[]) => {
        const records = {
          records_engine: "clickhouse" as const,
          records_database: client.database,
          records_url: urls.join(", "),
        };
        const config = { ...Schema.Create(CONFIG_SCHEMA), ...records };
        const outcomes = await recordsCheck.run({ config, env: {}, running: false, thorough: false });
        return outcomes.map(({ verdict, message }) => [verdict, message]);
      };
      const twice = await examined(url, url.replace("127.0.0.1", "localhost"));
      expect(twice.map(([verdict]) => verdict)).toEqual(["ok", "ok", "ok"]);
      expect(twice[2]![1]).toBe("2 addresses lead to the same tables");

      const place = `http://127.0.0.1:${other.port}`;
      const apart = await examined(url, place);
      expect(apart.map(([verdict]) => verdict)).toEqual(["ok", "ok", "fail"]);
      expect(apart[2]![1]).toBe(
        `${place} is another server than ${url}: a row written through one is not seen through the other`,
      );
      await client.command(`drop database ${database} sync`, { isOutside: true });
    });
  });
