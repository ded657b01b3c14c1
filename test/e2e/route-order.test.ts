import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, KEY, startWeir, until, type Weir } from "./weir.ts";

/** Output tokens that each of the two servers reports: with so many a token takes next to no time. */
const TOKENS: Readonly<Record<string, number>> = { far: 1, near: 1_000_000 };
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const tokens = TOKENS[new URL(request.url).pathname.split("/")[1]!] ?? 0;
    return Response.json({
      ...{ id: "c", object: "chat.completion", model: "m" },
      choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 },
    });
  },
});

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir();
  for (const name of Object.keys(TOKENS)) {
    const base_url = `http://127.0.0.1:${provider.port}/${name}/v1`;
    await api("POST", "/v1/credentials", { provider: "custom", name, api_key: "sk-x", base_url, private: true });
  }
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  await provider.stop(true);
});

async function api(method: string, path: string, body: object): Promise<Json> {
  const response = await callApi(weir, path, { method, body: JSON.stringify(body) });
  const { data, message } = (await response.json()) as Json;
  expect([response.status, message]).toEqual([200, undefined]);
  return data;
}

/** The target that a route asks first. */
async function first(route: string): Promise<Json> {
  return (await api("POST", "/v1/route/explain", { model: route })).targets[0];
}

test("fastest uses the recorded tokens, for each credential separately", async () => {
  await api("PUT", "/v1/routes/quick", { strategy: "fastest", targets: ["custom:far/m", "custom:near/m"] });
  await until(async () => {
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "quick", messages: [{ role: "user", content: "hello" }] }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return (await first("quick")).credential === "near";
  });
}, 300_000);

test("cheapest goes by a price as soon as it is set", async () => {
  await api("PUT", "/v1/routes/cheap", { strategy: "cheapest", targets: ["custom:far/dear", "custom:near/cheap"] });
  expect((await first("cheap")).model).toBe("dear");
  for (const [model, input] of [
    ["dear", 100],
    ["cheap", 1],
  ] as const)
    await api("PUT", "/v1/models/prices", { provider: "CUSTOM", model, input, output: input });
  await until(async () => (await first("cheap")).model === "cheap", 180_000);
}, 300_000);
