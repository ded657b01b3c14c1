import { expect, test } from "bun:test";
import { startOnDeno } from "../../deno/weir-on-deno.ts";
import { temporaryDirectory } from "../../directory.ts";
import { startUpstream } from "../../e2e/upstream.ts";
import { callApi, gatewayHeaders, recordOf, recordsOf } from "../../e2e/weir.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

const LIMIT_MS = 300_000;
const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else test("on Deno records go to ClickHouse, and are found, changed and deleted there", onDeno, LIMIT_MS);

async function onDeno(): Promise<void> {
  using directory = temporaryDirectory();
  await using upstream = await startUpstream();
  await using weir = await startOnDeno(directory.path, {
    WEIR_RECORDS_ENGINE: "clickhouse",
    WEIR_RECORDS_URL: await sharedClickHouse(),
    WEIR_RECORDS_DATABASE: ownDatabase(),
  });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(CHAT),
      headers: gatewayHeaders(upstream.origin, { "content-type": "application/json" }),
    });
    await response.arrayBuffer();
    ids.push(response.headers.get("gateway-id")!);
  }
  const [, changed, deleted] = ids as [string, string, string];
  for (const record of await recordsOf(weir, ids, LIMIT_MS)) {
    expect(record).toMatchObject({ response_status: 200, request_body: CHAT });
  }
  const call = async (path: string, method: string, body: object) =>
    (await (await callApi(weir, path, { method, body: JSON.stringify(body) })).json()).data;
  await call(`/v1/request/${changed}/property`, "PUT", { Mark: "x" });
  const filter = { request_response_rmt: { properties: { Mark: { equals: "x" } } } };
  const found = await call("/v1/request/query", "POST", { filter });
  expect(found.map((row: { request_id: string }) => row.request_id)).toEqual([changed]);
  expect(await call("/v1/request", "DELETE", { requestIds: [deleted] })).toBe(1);
  expect((await callApi(weir, `/v1/request/${deleted}`)).status).toBe(404);
  expect(await call("/v1/request/count/query", "POST", { filter: "all" })).toBe(2);
  expect(await recordOf(weir, changed)).toMatchObject({ properties: { Mark: "x" } });
}
