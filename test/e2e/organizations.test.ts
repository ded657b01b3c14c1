import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, KEY, queryIds, recordOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

async function createKey(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommand(weir.env, "keys", "create", ...words);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stdout.trim()).toMatch(/^sk-weir-us-[0-9A-Za-z]{43}$/);
  return stdout.trim();
}

async function listKeys(): Promise<Record<string, unknown>[]> {
  const { stdout } = await runCommand(weir.env, "keys", "list", "--json");
  return JSON.parse(stdout);
}

const send = (key: string, more: Record<string, string> = {}) =>
  fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: [] }),
    headers: { ...gatewayHeaders(upstream.origin, more), "Gateway-Auth": `Bearer ${key}` },
  });

const codeOf = async (response: Response) => [response.status, (await response.json()).error.code];

/** Waits for `status` at the gateway for at most the second that a change of keys may take. */
const untilStatus = (key: string, status: number) =>
  until(
    async () => (await send(key)).status === status,
    180_000,
    () => `the gateway does not respond ${status}`,
  );

test("a key made by the command line works soon, and a revoked one stops soon", async () => {
  const key = await createKey("--name", "short-lived", "--scopes", "gateway,read,write");
  await untilStatus(key, 200);
  const entry = (await listKeys()).find(({ name }) => name === "short-lived")!;
  expect(entry).toMatchObject({
    organization: "default",
    scopes: ["gateway", "read", "write"],
    region: "us",
    revoked_at: null,
  });
  expect(JSON.stringify(entry)).not.toContain(key);
  expect((await runCommand(weir.env, "keys", "revoke", String(entry["id"]))).status).toBe(0);
  await untilStatus(key, 401);
  expect(await codeOf(await send(key))).toEqual([401, "invalid_gateway_auth"]);
  await until(
    async () =>
      (await callApi(weir, "/v1/request/query-ids", { method: "POST", body: '{"requestIds":[]}' }, key)).status === 401,
    180_000,
    () => "the API still takes the key",
  );
});

test("a key stops when it expires", async () => {
  const key = await createKey("--name", "brief", "--expires", "2s");
  await untilStatus(key, 200);
  await until(
    async () => (await send(key)).status === 401,
    180_000,
    () => "the key does not expire",
    100,
  );
  expect(await codeOf(await send(key))).toEqual([401, "expired_gateway_auth"]);
});

test("scopes bind: a key does only what it was made for", async () => {
  const reader = await createKey("--name", "reader", "--scopes", "read");
  const sender = await createKey("--name", "sender", "--scopes", "gateway");
  await untilStatus(sender, 200);
  expect(await codeOf(await send(reader))).toEqual([403, "insufficient_scope"]);
  const id = (await send(sender)).headers.get("gateway-id")!;
  await recordOf(weir, id);
  const body = JSON.stringify({ requestIds: [id] });
  const ask = (key: string) => callApi(weir, "/v1/request/query-ids", { method: "POST", body }, key);
  const refused = await ask(sender);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ data: [], error: 403 });
  const response = await (await ask(reader)).json();
  expect(response.data).toHaveLength(1);
  const put = await callApi(weir, `/v1/request/${id}/property`, { method: "PUT", body: '{"A":"b"}' }, reader);
  expect(put.status).toBe(403);
});

test("no organization reads, tags or learns of another's records", async () => {
  const other = await createKey("--name", "other", "--org", "other", "--scopes", "gateway,read,write");
  await untilStatus(other, 200);
  const id = crypto.randomUUID();
  const theirs = await send(other, { "Gateway-Request-Id": id, "Gateway-Property-Who": "other" });
  expect(theirs.headers.get("gateway-id")).toBe(id);
  await until(
    async () => (await queryIds(weir, [id], other)).length === 1,
    180_000,
    () => "the owner sees no record",
  );
  const ours = (await send(KEY)).headers.get("gateway-id")!;
  await recordOf(weir, ours);

  for (const [key, foreign] of [
    [KEY, id],
    [other, ours],
  ] as const) {
    expect(await queryIds(weir, [foreign, foreign.toUpperCase()], key)).toEqual([]);
    expect((await callApi(weir, `/v1/request/${foreign}`, {}, key)).status).toBe(404);
    expect((await callApi(weir, `/v1/request/${foreign}/body`, {}, key)).status).toBe(404);
    const put = await callApi(weir, `/v1/request/${foreign}/property`, { method: "PUT", body: '{"Who":"me"}' }, key);
    expect(put.status).toBe(404);
  }
  const [record] = await queryIds(weir, [id], other);
  expect(record!["properties"]).toEqual({ Who: "other" });
  expect(record!["organization_id"]).not.toBe((await recordOf(weir, ours))["organization_id"]);
  expect(await codeOf(await send(KEY, { "Gateway-Request-Id": id.toUpperCase() }))).toEqual([
    409,
    "duplicate_request_id",
  ]);
});

test.each([
  ["no key", {}, "missing_gateway_auth"],
  ["an empty key", { "Gateway-Auth": "Bearer " }, "missing_gateway_auth"],
  ["an unknown key", { "Gateway-Auth": "Bearer sk-weir-us-unknown" }, "invalid_gateway_auth"],
  ["another scheme", { "Gateway-Auth": `Basic ${KEY}` }, "invalid_gateway_auth"],
  ["a part of a key", { "Gateway-Auth": `Bearer ${KEY.slice(0, -1)}` }, "invalid_gateway_auth"],
  ["the key under the provider's header", { Authorization: `Bearer ${KEY}` }, "missing_gateway_auth"],
])("with %s nothing reaches the provider", async (_name, headers, code) => {
  const before = upstream.seen.length;
  const response = await fetch(`${weir.gateway}/v1/x`, {
    headers: { "Gateway-Target-Url": upstream.origin, ...(headers as Record<string, string>) },
  });
  expect(await codeOf(response)).toEqual([401, code]);
  expect(upstream.seen.length).toBe(before);
});
