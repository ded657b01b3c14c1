import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { clickhouseAggregates } from "../../../src/engine/clickhouse/aggregates.ts";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { makeTables } from "../../../src/engine/clickhouse/tables.ts";
import { ALL } from "../../../src/filter/tree.ts";
import { dollars } from "../../../src/record/dollars.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import type { Database } from "../../../src/store/store.ts";
import { ORGANIZATION } from "../../filter/world.ts";
import { LIBSQL } from "../libsql/engine.ts";
import { suiteOfAggregates } from "../suite/aggregates.ts";
import { CLICKHOUSE } from "./engine.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

// A busy server takes its time; nothing here is about that.
setDefaultTimeout(600_000);

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("in ClickHouse", aggregates);

function aggregates(): void {
  beforeAll(async () => void (await sharedClickHouse()));
  suiteOfAggregates(CLICKHOUSE, LIBSQL, 1);

  test("over parts that several threads read, sums of costs and percentiles are the same every time", async () => {
    const client = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    await makeTables(client);
    for (let part = 0; part < PARTS; part++) await client.command(insertSql(part));
    const scope = { organizationId: ORGANIZATION, tree: ALL };
    const query = { groupBy: [], timeBucket: undefined, limit: 1, offset: 0 };
    const engine = clickhouseAggregates({
      client,
      control: NONE,
      hasOpenRows: true,
      keepsTexts: true,
      loadBodies: async () => new Map(),
    });
    for (let time = 0; time < 5; time++) {
      const [row] = await engine.metrics(scope, query, new Deadline(180_000));
      expect(row).toMatchObject({
        requests: PARTS * ROWS,
        cost: COST,
        latency_p50: (PARTS * ROWS) / 2,
        latency_p99: PARTS * ROWS * 0.99,
      });
    }
    await client.command(`drop database ${client.database} sync`, { isOutside: true });
  });
}

/** A database without comments. */
const NONE = { query: async () => [] } as unknown as Database;
const PARTS = 4;
const ROWS = 50_000;
/** Costs over twelve orders of magnitude, and latencies 1, 2, 3 and so on. */
const costOf = (n: number) => (n % 3 === 0 ? n / 7 : n / 7e12);
const insertSql = (part: number) => `insert into requests
  (organization_id, request_created_at, request_id, key_id, method, provider, updated_at, cost, delay_ms)
  select '${ORGANIZATION}', 1700000000000 + number, toString(generateUUIDv7(number)), 'k', 'POST', 'OPENAI', 0,
    if(number % 3 = 0, number / 7., number / 7e12), number + 1 from numbers(${part * ROWS}, ${ROWS})`;

/** The sum of all costs, to twelve digits. */
const COST = (() => {
  let [sum, lost] = [0, 0];
  for (let n = 0; n < PARTS * ROWS; n++) {
    const cost = costOf(n);
    const next = sum + cost;
    lost += Math.abs(sum) >= Math.abs(cost) ? sum - next + cost : cost - next + sum;
    sum = next;
  }
  return dollars(sum + lost);
})();
