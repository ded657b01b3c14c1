import { expect, test } from "bun:test";
import { eventually } from "../eventually.ts";
import { openApi } from "./open.ts";

const RECORDS = 20_000;

test("a query that exceeds its time limit gets a 504 and is stopped, and the next one succeeds", async () => {
  await using it = await openApi({ query_timeout_seconds: 0.3 });
  const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
    insert into requests (request_id, organization_id, key_id, method, provider, target_url, request_created_at, updated_at, response_status)
    select printf('%08x-0000-7000-8000-000000000000', i), ?, 'k', 'POST', 'OPENAI', 'https://api.example.com/' || i, i, i, 200 from n`;
  await it.store.records.batch([{ sql, args: [RECORDS, it.organization] }]);
  let filter: unknown = { request_response_rmt: { target_url: { contains: "nowhere" } } };
  for (let n = 0; n < 2_000; n++) {
    filter = {
      left: filter,
      operator: "or",
      right: { request_response_rmt: { target_url: { contains: `no/${n}x` } } },
    };
  }
  const slow = await it.call("POST", "/v1/request/query-fast", { body: { filter, limit: 10 } });
  expect([slow.status, slow.json]).toEqual([
    504,
    { data: [], error: 504, code: "query_timeout", message: expect.any(String), path: null },
  ]);
  for (const path of ["/v1/request/count/query", "/v1/metrics/query"]) {
    expect((await it.call("POST", path, { body: { filter } })).status).toBe(504);
  }
  // On a busy machine a quick query exceeds the limit too.
  await eventually(async () => {
    const { status, json } = await it.call("POST", "/v1/request/query-fast", { body: { filter: "all", limit: 3 } });
    return [status, json.data.length];
  }).toEqual([200, 3]);
}, 300_000);
