import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { probeServer, probeTable } from "../../../src/engine/clickhouse/probe.ts";
import { makeTables, TABLES_VERSION } from "../../../src/engine/clickhouse/tables.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

// A busy server takes its time; nothing here is about that.
setDefaultTimeout(600_000);

/** A server without tables that says of itself what it is told to. */
function pretending(answer: () => string) {
  const fetch = async (request: Request) => {
    const sql = await request.text();
    const headers = { "x-clickhouse-query-id": "1" };
    return new Response(sql.includes("from versions") ? "" : answer(), { headers });
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

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else
  describe("on a server", () => {
    let client: ClickHouse;
    beforeAll(async () => {
      client = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    });
    afterAll(() => client.command(`drop database if exists ${client.database} sync`, { isOutside: true }));

    test("it says its version, its clock and its tables, and lets a row be written, changed and deleted", async () => {
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
  });
