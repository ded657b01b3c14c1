import { expect, test } from "bun:test";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { SINGLE } from "../../../src/engine/clickhouse/tables.ts";
import { EndedRows } from "../../../src/engine/clickhouse/write/ended-rows.ts";

const KEPT = 100;

test("a removal that fails is retried after as many rows, not with each batch", async () => {
  let tried = 0;
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const isRemoval = (await request.text()).startsWith("optimize");
      if (!isRemoval)
        return new Response(`${JSON.stringify({ n: KEPT })}\n`, { headers: { "x-clickhouse-query-id": "1" } });
      tried++;
      return new Response("Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)", { status: 403 });
    },
  });
  const client = new ClickHouse({ urls: [`http://127.0.0.1:${server.port}`], database: "weir" });
  const rows = new EndedRows(client, SINGLE, KEPT);
  const add = async (count: number) => {
    rows.add(count);
    await rows.removal;
  };
  await add(1);
  expect(tried).toBe(1);
  for (let batch = 1; batch < KEPT / 10; batch++) await add(10);
  expect(tried).toBe(1);
  await add(10);
  expect(tried).toBe(2);
});
