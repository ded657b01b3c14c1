import { expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { callApi, gatewayHeaders, recordOf, startWeir, until } from "./weir.ts";

/** Responds to `/<status>` with that status, and to `/flaky` with 503 before every 200. */
async function startFlaky() {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      calls++;
      const status = request.url === "/flaky" ? (calls % 2 === 1 ? 503 : 200) : Number(request.url?.slice(1));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ call: calls }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("every try is a record, found by attempt_of; the response of a fallback is recorded as its own", async () => {
  await using weir = await startWeir();
  await using flaky = await startFlaky();
  await using other = await startFlaky();
  const headers = gatewayHeaders(flaky.origin, {
    "Gateway-Retry-Enabled": "true",
    "Gateway-Retry-Num": "1",
    "Gateway-Retry-Min-Timeout": "10",
    "Gateway-Property-App": "x",
    "Gateway-Fallbacks": JSON.stringify([{ target: other.origin, path: "/200", body: { model: "m-2" } }]),
  });
  const send = async (path: string) => {
    const response = await fetch(weir.gateway + path, {
      method: "POST",
      headers,
      body: '{"model":"m-1"}',
      keepalive: false,
    });
    await response.arrayBuffer();
    return { status: response.status, id: response.headers.get("gateway-id")! };
  };
  const tries = async (id: string, count: number) => {
    let rows: { request_id: string; [name: string]: unknown }[] = [];
    const filter = { request_response_rmt: { attempt_of: { equals: id } } };
    const body = JSON.stringify({ filter, sort: { created_at: "asc" } });
    await until(
      async () => {
        const response = await callApi(weir, "/v1/request/query", { method: "POST", body });
        rows = ((await response.json()) as { data: typeof rows }).data;
        return rows.length === count;
      },
      180_000,
      () => `there are ${rows.length} tries`,
    );
    return rows;
  };

  const again = await send("/flaky");
  expect(again.status).toBe(200);
  expect(await recordOf(weir, again.id)).toMatchObject({
    response_status: 200,
    attempt: 2,
    attempt_of: null,
    response_body: { call: 2 },
    target_url: `${flaky.origin}/flaky`,
  });
  expect(await tries(again.id, 1)).toMatchObject([
    {
      attempt: 1,
      attempt_of: again.id,
      response_status: 503,
      request_body: { model: "m-1" },
      response_body: { call: 1 },
      properties: { App: "x" },
    },
  ]);

  const elsewhere = await send("/500");
  expect(elsewhere.status).toBe(200);
  expect(await recordOf(weir, elsewhere.id)).toMatchObject({
    response_status: 200,
    attempt: 3,
    target_url: `${other.origin}/200`,
    request_path: "/200",
    request_body: { model: "m-1" },
  });
  const failed = await tries(elsewhere.id, 2);
  expect(failed.map(({ attempt, response_status }) => [attempt, response_status])).toEqual([
    [1, 500],
    [2, 500],
  ]);
}, 300_000);

test("hits spend neither the limit of an unapproved domain nor a policy", async () => {
  await using weir = await startWeir({ env: { WEIR_APPROVED_DOMAINS: "" } });
  await using flaky = await startFlaky();
  const send = async (path: string) => {
    const headers = gatewayHeaders(flaky.origin, {
      "Gateway-Cache-Enabled": "true",
      "Gateway-RateLimit-Policy": "1;w=3600",
    });
    const response = await fetch(weir.gateway + path, { headers, keepalive: false });
    await response.arrayBuffer();
    return [response.status, response.headers.get("gateway-cache")];
  };
  expect(await send("/200")).toEqual([200, "MISS"]);
  for (let turn = 0; turn < 5; turn++) expect(await send("/200")).toEqual([200, "HIT"]);
  expect(await send("/201")).toEqual([429, "MISS"]);
  expect(flaky.calls()).toBe(1);
}, 300_000);
