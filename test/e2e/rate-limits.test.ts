import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, gatewayHeaders, KEY, recordsOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

/** For tests that leave no limit behind: each has a segment of its own. */
let shared: Weir;
/** Every response used 60 tokens, at the price of its model, unless its request asks for other usage in a header. */
let provider: Server;
let origin: string;
let calls = 0;
beforeAll(async () => {
  provider = createServer((request, response) => {
    calls += 1;
    request.resume().on("end", () => {
      const other = request.headers["x-usage"] as string | undefined;
      const usage = { prompt_tokens: 30, completion_tokens: 30, total_tokens: 60, ...JSON.parse(other ?? "{}") };
      const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "yes" } }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "c", object: "chat.completion", model: "gpt-4o", choices, usage }));
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  shared = await startWeir();
});
afterAll(async () => {
  await shared?.stop();
  provider?.close();
});

async function send(weir: Weir, headers: Readonly<Record<string, string>> = {}, key = KEY) {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "?" }] }),
    headers: {
      ...gatewayHeaders(origin, headers),
      "Gateway-Auth": `Bearer ${key}`,
      "Content-Type": "application/json",
    },
    keepalive: false,
  });
  const body = (await response.json()) as Json;
  return {
    status: response.status,
    headers: response.headers,
    id: response.headers.get("gateway-id")!,
    error: body.error,
  };
}
const policy = (text: string, more = {}) => ({ "Gateway-RateLimit-Policy": text, ...more });

test("of 200 concurrent requests against a limit of 50 exactly 50 reach the provider; all are recorded", async () => {
  const weir = shared;
  const before = calls;
  const responses = await Promise.all(Array.from({ length: 200 }, () => send(weir, policy("50;w=3600"))));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(calls - before).toBe(50);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(150);
  expect(Object.fromEntries(refused[0]!.headers)).toMatchObject({
    "retry-after": expect.stringMatching(/^3[56]\d\d$/),
    "gateway-ratelimit-limit": "50",
    "gateway-ratelimit-remaining": "0",
    "gateway-ratelimit-reset": expect.stringMatching(/^3[56]\d\d$/),
    "gateway-ratelimit-policy": "50;w=3600",
  });
  expect(refused[0]!.error).toMatchObject({ code: "rate_limited", message: expect.stringContaining('"50;w=3600"') });
  const records = await recordsOf(
    weir,
    responses.map(({ id }) => id),
  );
  expect(records.filter(({ response_status }) => response_status === 429)).toHaveLength(150);
});

test("a window slides: a client that waits for Retry-After is admitted", async () => {
  // So many at once that some are refused within the first one's second, however slow the machine is.
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(shared, policy("1;w=1"))));
  const refused = responses.find(({ status }) => status === 429)!;
  expect(refused.headers.get("retry-after")).toBe("1");
  await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get("retry-after")) * 1_000));
  const admitted = await send(shared, policy("1;w=1"));
  expect([admitted.status, admitted.headers.get("gateway-ratelimit-remaining")]).toEqual([200, "0"]);
});

test.each([
  ["a policy that cannot be read", policy("ten;w=60")],
  ["a user that is missing", policy("1;w=60;s=user")],
  ["a property that is missing", policy("1;w=60;s=Team")],
])("%s is 400, and recorded", async (_name, headers) => {
  const { status, error, id } = await send(shared, headers);
  expect([status, error.code]).toEqual([400, "invalid_header"]);
  expect((await recordsOf(shared, [id]))[0]!["response_status"]).toBe(400);
});

test("a response from the cache counts against no quota, and is given when there is none left", async () => {
  const weir = shared;
  const cached = policy("1;w=3600;s=user", { "Gateway-Cache-Enabled": "true", "Gateway-User-Id": "cached" });
  const responses = [];
  for (let at = 0; at < 3; at++) responses.push(await send(weir, cached));
  expect(responses.map(({ status, headers }) => [status, headers.get("gateway-cache")])).toEqual([
    [200, "MISS"],
    [200, "HIT"],
    [200, "HIT"],
  ]);
  expect((await send(weir, { ...cached, "Gateway-Cache-Seed": "another" })).status).toBe(429);
  expect((await send(weir, cached)).status).toBe(200);
});

test("a request that another rule refuses counts against nothing", async () => {
  const body = JSON.stringify({ name: "another", quota: 1, window_seconds: 3_600, segment: "Room" });
  const stored = (await (await callApi(shared, "/v1/rate-limits", { method: "POST", body })).json()) as Json;
  const mine = policy("3;w=3600;s=user", { "Gateway-User-Id": "refused", "Gateway-Property-Room": "attic" });
  const responses = [];
  for (let at = 0; at < 5; at++) responses.push(await send(shared, mine));
  expect(responses.map(({ status }) => status)).toEqual([200, 429, 429, 429, 429]);
  expect(responses[1]!.error.message).toContain('"another"');
  await callApi(shared, `/v1/rate-limits/${stored.data.id}`, { method: "DELETE" });
  expect((await send(shared, mine)).headers.get("gateway-ratelimit-remaining")).toBe("1");
});

test("a budget is charged soon from the record, is not overshot by a burst, and outlives a kill", async () => {
  const first = await startWeir();
  const burst = await Promise.all(Array.from({ length: 20 }, () => send(first, policy("100;w=3600;u=tokens"))));
  const admitted = burst.filter(({ status }) => status === 200).length;
  // Two fit. How long the others wait for the first one's charge depends on the machine.
  expect([1, 2]).toContain(admitted);
  for (let at = admitted; at < 2; at++) expect((await send(first, policy("100;w=3600;u=tokens"))).status).toBe(200);
  expect((await send(first, policy("100;w=3600;u=tokens"))).status).toBe(429);
  const cents = policy("0.1;w=3600;u=cents;s=user", { "Gateway-User-Id": "ann", "Gateway-Target-Provider": "openai" });
  // gpt-4o: 30 in and 30 out are 0.0375 cents.
  for (const left of ["0.1", "0.0625", "0.025"]) {
    const { status, headers, id } = await send(first, cents);
    expect([status, headers.get("gateway-ratelimit-remaining")]).toEqual([200, left]);
    await until(() => isCharged(first, id));
  }
  expect((await send(first, cents)).status).toBe(429);
  expect((await send(first, { ...cents, "Gateway-User-Id": "bob" })).status).toBe(200);
  // Of a credential, by what its two calls are charged.
  const credential = { name: "paid", provider: "openai", api_key: "k", base_url: origin, private: true };
  const limited = { ...credential, limit: "100;w=3600;u=tokens" };
  await callApi(first, "/v1/credentials", { method: "POST", body: JSON.stringify(limited) });
  await until(async () => (await unified(first)).status !== 400);
  await until(async () => (await unified(first)).status === 429);
  await first.kill();
  await using second = await startWeir({ dataDirectory: first.dataDirectory });
  expect((await send(second, cents)).status).toBe(429);
  expect((await send(second, policy("100;w=3600;u=tokens"))).status).toBe(429);
  const spent = await unified(second);
  expect([spent.status, (await spent.json()) as Json]).toMatchObject([429, { error: { code: "rate_limited" } }]);
  const health = (await (await callApi(second, "/v1/route/health")).json()) as Json;
  expect(health.data).toMatchObject([{ credential: "paid", state: "limit spent" }]);
});

test("a target that reports nonsense stops no budget in cents, of no user and no organization", async () => {
  const nonsense = [
    { billed_units: { input_tokens: -1, output_tokens: -1 } },
    { tool_usage: { web_search: { num_requests: 1e308 }, file_search: { num_requests: -1e308 } } },
    { prompt_tokens: -30, completion_tokens: 0.5, total_tokens: 1e300 },
    { cost: -5, estimated_cost: -5 },
  ];
  const openai = { "Gateway-Target-Provider": "openai" };
  const { stdout } = await runCommand(shared.env, "keys", "create", "--name", "other", "--org", "other");
  await until(async () => (await send(shared, {}, stdout.trim())).status === 200);
  const cents = (user: string) => policy("0.1;w=3600;u=cents;s=user", { "Gateway-User-Id": user, ...openai });
  for (const key of [KEY, stdout.trim()]) {
    for (const usage of nonsense) {
      const { id, status } = await send(shared, { ...cents("mallory"), "x-usage": JSON.stringify(usage) }, key);
      if (status === 200) await until(() => isCharged(shared, id));
    }
    // gpt-4o: 30 in and 30 out are 0.0375 cents.
    for (const left of ["0.1", "0.0625", "0.025"]) {
      const { headers, id } = await send(shared, cents("carol"), key);
      expect(headers.get("gateway-ratelimit-remaining")).toBe(left);
      await until(() => isCharged(shared, id));
    }
    expect((await send(shared, cents("carol"), key)).status).toBe(429);
  }
});

/** Whether the plugin's journal has what the request cost. */
const isCharged = ({ dataDirectory }: Weir, id: string) =>
  new RegExp(`^\\["c",\\d+,"${id}",`, "m").test(readFileSync(join(dataDirectory, "state/rate-limits.jsonl"), "utf8"));

const unified = (weir: Weir) =>
  fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "openai/gpt-4o", messages: [{ role: "user", content: "?" }] }),
    headers: { Authorization: `Bearer ${KEY}` },
    keepalive: false,
  });

test("stored policies hold at once, for every key of the organization or one, and survive a restart", async () => {
  const first = await startWeir();
  const call = async (weir: Weir, method: string, path: string, body?: Json) => {
    const response = await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, ...((await response.json()) as Json) };
  };
  const other = (
    await runCommand(first.env, "keys", "create", "--name", "b", "--org", "b", "--scopes", "gateway")
  ).stdout.trim();
  await until(
    async () => (await send(first, {}, other)).status === 200,
    180_000,
    () => "the key is not known",
  );
  const made = await call(first, "POST", "/v1/rate-limits", { name: "two", quota: 2, window_seconds: 3_600 });
  expect(made.data).toMatchObject({ name: "two", quota: 2, unit: "request", segment: null, key_id: null });
  const responses = await Promise.all(Array.from({ length: 10 }, () => send(first)));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(responses.find(({ status }) => status === 429)!.error.message).toContain('"two"');
  expect((await send(first, {}, other)).status).toBe(200);
  expect(await call(first, "POST", "/v1/rate-limits", { name: "x", quota: -1, window_seconds: 1 })).toMatchObject({
    status: 400,
    path: "quota",
  });

  await first.kill();
  const second = await startWeir({ dataDirectory: first.dataDirectory });
  expect((await send(second)).status).toBe(429);
  const path = `/v1/rate-limits/${made.data.id}`;
  expect((await call(second, "PUT", path, { name: "three", quota: 3, window_seconds: 3_600 })).data.quota).toBe(3);
  expect((await send(second)).status).toBe(200);
  expect((await send(second)).status).toBe(429);
  const mine = (await call(second, "GET", "/v1/keys")).data.find(({ name }: Json) => name === "first key").id;
  const another = (await call(second, "POST", "/v1/keys", { name: "another" })).data.id;
  expect(await call(second, "PUT", path, { name: "n", quota: 0, window_seconds: 1, key_id: "no key" })).toMatchObject({
    status: 400,
    path: "key_id",
  });
  await call(second, "PUT", path, { name: "one key", quota: 0, window_seconds: 1, key_id: another });
  expect((await send(second)).status).toBe(200);
  await call(second, "PUT", path, { name: "one key", quota: 0, window_seconds: 1, key_id: mine });
  expect((await send(second)).status).toBe(429);
  expect((await call(second, "DELETE", path)).status).toBe(200);
  expect((await call(second, "DELETE", path)).status).toBe(404);
  expect((await send(second)).status).toBe(200);
  await second.stop();
});

test("policies of weir.toml hold for every organization, each counted by itself; a bad one stops the start", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-limits-"));
  try {
    const table = '[[rate_limits]]\nname = "by user"\nquota = 1\nwindow_seconds = 3600\nsegment = "user"\n';
    writeFileSync(join(dataDirectory, "weir.toml"), table);
    const weir = await startWeir({ dataDirectory });
    const ann = { "Gateway-User-Id": "ann" };
    const responses = [await send(weir, ann), await send(weir, ann), await send(weir)];
    expect(responses.map(({ status }) => status)).toEqual([200, 429, 400]);
    await weir.stop();
    writeFileSync(join(dataDirectory, "weir.toml"), table.replace("quota = 1", "quota = -1"));
    await expect(startWeir({ dataDirectory })).rejects.toThrow(
      "[[rate_limits]] number 1: quota: must be a whole number",
    );
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
});
