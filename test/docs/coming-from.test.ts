import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { callApi, KEY, recordOf, runCommand, startWeir, type Weir } from "../e2e/weir.ts";
import { until } from "../until.ts";

let upstream: Upstream;
let weir: Weir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({ env: { WEIR_HEADER_ALIASES: "helicone" } });
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user" as const, content: "hi" }] };

const call = async (method: string, path: string, body: object) => {
  const response = await callApi(weir, path, { method, body: JSON.stringify(body) });
  const { data } = await response.json();
  expect([path, response.status]).toEqual([path, 200]);
  return data;
};

test("a client of Helicone's, its headers and its API calls work with another address and key", async () => {
  const client = new OpenAI({
    baseURL: `${weir.gateway}/v1`,
    apiKey: "sk-of-the-provider",
    defaultHeaders: {
      "Helicone-Auth": `Bearer ${KEY}`,
      "Helicone-Target-URL": upstream.origin,
      "Helicone-Property-Environment": "staging",
      "Helicone-User-Id": "ann",
      "Helicone-Session-Id": "s-1",
      "Helicone-Session-Path": "/plan",
      "Helicone-Cache-Enabled": "true",
      "Helicone-RateLimit-Policy": "100;w=60;s=user",
    },
  });
  const said = async () => (await client.chat.completions.create(CHAT).withResponse()).response.headers;
  const first = await said();
  const id = first.get("helicone-id")!;
  expect(id).toBe(first.get("gateway-id")!);
  expect(first.get("helicone-cache")).toBe("MISS");
  expect(first.get("helicone-ratelimit-limit")).toBe("100");
  expect(first.get("helicone-ratelimit-policy")).toBe("100;w=60;s=user");
  const record = await recordOf(weir, id);
  expect(record).toMatchObject({ request_user_id: "ann", session_id: "s-1" });
  // The case of a name does not outlive every HTTP client.
  expect(Object.values(record["properties"])).toEqual(["staging"]);
  const second = await said();
  expect([second.get("helicone-cache"), second.get("helicone-cache-bucket-idx")]).toEqual(["HIT", "0"]);
  expect(upstream.seen.some(({ rawHeaders }) => rawHeaders.some((name) => /^helicone-/i.test(name)))).toBe(false);

  const query = { filter: { request_response_rmt: { user_id: { equals: "ann" } } }, limit: 10, offset: 0 };
  const more = { sort: { created_at: "desc" }, isCached: false, isScored: false };
  const rows = await call("POST", "/v1/request/query-clickhouse", { ...query, ...more });
  expect(rows.map((row: { request_id: string }) => row.request_id)).toContain(id);
  await call("PUT", `/v1/request/${id}/property`, { key: "Reviewed", value: "yes" });
  await call("POST", `/v1/request/${id}/score`, { scores: { helpful: 1 } });
  await call("POST", `/v1/request/${id}/feedback`, { rating: true });
  expect(await recordOf(weir, id)).toMatchObject({
    properties: { Reviewed: "yes" },
    scores: { helpful: 1 },
    feedback_rating: true,
  });
}, 300_000);

test("an export of Helicone's comes in", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-helicone-"));
  const id = "0190163d-8694-739b-aea5-966c26f8ad92";
  const record = {
    ...{ request_id: id, request_created_at: "2026-01-01T10:00:00.000Z", response_status: 200, provider: "OPENAI" },
    ...{
      helicone_user: "ci",
      costUSD: 0.5,
      properties: { "Helicone-Property-Team": "blue", "Helicone-Session-Id": "s-9" },
    },
    ...{ request_path: "https://oai.helicone.ai/v1/chat/completions", request_body: CHAT },
  };
  writeFileSync(join(folder, "old.jsonl"), `${JSON.stringify(record)}\n`);
  const env = { ...weir.env, WEIR_API_KEY: KEY, WEIR_API_URL: weir.api };
  const { status } = await runCommand(env, "import", join(folder, "old.jsonl"), "--brand", "helicone");
  rmSync(folder, { recursive: true, force: true });
  expect(status).toBe(0);
  expect(await recordOf(weir, id)).toMatchObject({
    ...{ gateway_user: "ci", session_id: "s-9", properties: { Team: "blue" }, cost: 0.5 },
    ...{ target_url: "https://oai.helicone.ai/v1/chat/completions", request_path: "/v1/chat/completions" },
  });
}, 300_000);

test("what Langfuse calls a span is logged into the session of the requests, as its page says", async () => {
  const request = { _type: "tool", toolName: "search", input: { query: "weirs" } };
  const logged = { request, response: { found: 3 }, session_id: "trip", session_path: "/plan/search" };
  const { request_id: id } = await call("POST", "/v1/log", logged);
  expect(await recordOf(weir, id)).toMatchObject({ session_id: "trip", session_path: "/plan/search" });
}, 300_000);

test("a model name of LiteLLM's is a route, and a virtual key a service key with models, as its page says", async () => {
  const credential = { provider: "openai", name: "openai", api_key: "sk-1", base_url: upstream.origin, private: true };
  await callApi(weir, "/v1/credentials", { method: "POST", body: JSON.stringify(credential) });
  expect((await runCommand(weir.env, "routes", "set", "fast", "--target", "openai/gpt-4o-mini")).status).toBe(0);
  const made = await runCommand(weir.env, "keys", "create", "--name", "team", "--models", "fast");
  const client = new OpenAI({ baseURL: `${weir.gateway}/v1`, apiKey: made.stdout.trim(), maxRetries: 8 });
  // The gateway knows a route soon after its command has ended.
  await until(async () => (await Array.fromAsync(client.models.list())).some(({ id }) => id === "fast"));
  const completion = await client.chat.completions.create({ ...CHAT, model: "fast" });
  expect(completion.choices[0]?.message.role).toBe("assistant");
  const refused = await client.chat.completions.create({ ...CHAT, model: "openai/gpt-4o" }).catch(String);
  expect(refused).toContain("may not use");
}, 300_000);
