import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, KEY, queryIds, recordOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

type Address = Pick<Weir, "gateway" | "api"> & { readonly unified: string };

let upstream: Upstream;
let weir: Weir;
let us: Address;
let eu: Address;

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir({
    env: {
      ...{ WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0", WEIR_UNIFIED_PORT: "0", WEIR_EU_UNIFIED_PORT: "0" },
      WEIR_GATEWAY_THREADS: "2",
    },
  });
  const said = weir
    .log()
    .split("\n")
    .filter((line) => line.includes('"weir is serving"'));
  const ports = JSON.parse(said[0]!);
  us = { gateway: weir.gateway, api: weir.api, unified: ports.unified };
  eu = { gateway: ports.eu_gateway, api: ports.eu_api, unified: ports.eu_unified };
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

async function api(at: Address, method: string, path: string, body?: object, key?: string) {
  const response = await callApi(at, path, { method, ...(body && { body: JSON.stringify(body) }) }, key);
  return { status: response.status, json: (await response.json()) as Json };
}

const add = (at: Address, name: string, provider: string, more: object = {}) =>
  api(at, "POST", "/v1/credentials", {
    ...{ name, provider, api_key: `sk-${name}-0123456789`, base_url: upstream.origin, private: true },
    ...more,
  });

/** Asks a model until the tables of that region know it, and gives the response. */
async function ask(origin: string, model: string, more: { readonly key?: string; readonly until?: number } = {}) {
  let response: Response | undefined;
  await until(
    async () => {
      response = await fetch(`${origin}/v1/chat/completions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${more.key ?? KEY}`, "Content-Type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
        keepalive: false,
      });
      if (response.status === (more.until ?? 200)) return true;
      await response.text();
      return false;
    },
    180_000,
    () => `${model} at ${origin} is ${response?.status}`,
  );
  const { headers } = response!;
  return { json: (await response!.json()) as Json, id: headers.get("gateway-id")!, headers };
}

test("a credential that is stored at either API pays at both addresses; each region records its own", async () => {
  expect((await add(eu, "made-in-europe", "groq")).status).toBe(200);
  expect((await add(us, "made-in-america", "anthropic")).status).toBe(200);
  for (const [at, other] of [
    [us, eu],
    [eu, us],
  ] as const) {
    upstream.forget();
    const same = await ask(at.unified, "groq/m-1");
    const translated = await ask(at.unified, "anthropic/claude-sonnet-4-5");
    expect(upstream.seen.map(({ path, headers }) => [path, headers.authorization ?? headers["x-api-key"]])).toEqual([
      ["/openai/v1/chat/completions", "Bearer sk-made-in-europe-0123456789"],
      ["/v1/messages", "sk-made-in-america-0123456789"],
    ]);
    expect(translated.json.choices[0].message.content).toBeString();
    expect(await recordOf(at, same.id)).toMatchObject({
      ...{ provider: "GROQ", credential: "made-in-europe", routed_model: "m-1", response_status: 200 },
    });
    expect(await recordOf(at, translated.id)).toMatchObject({
      ...{ credential: "made-in-america", ai_gateway_body_mapping: "OPENAI", response_status: 200 },
    });
    expect(await queryIds(other, [same.id, translated.id])).toEqual([]);
  }
});

test("credentials are listed, changed and removed at either API", async () => {
  const names = async (at: Address) => {
    const { json } = await api(at, "GET", "/v1/credentials");
    return json.data.map(({ name }: Json) => name).sort();
  };
  expect((await add(us, "short-lived", "mistral")).status).toBe(200);
  for (const at of [us, eu]) expect(await names(at)).toContain("short-lived");
  await ask(eu.unified, "mistral/m-2");
  expect((await api(eu, "PUT", "/v1/credentials/short-lived", { models: ["m-3"] })).status).toBe(200);
  await ask(us.unified, "mistral/m-2", { until: 400 });
  await ask(us.unified, "mistral/m-3");
  expect((await api(us, "POST", "/v1/credentials/short-lived/test", {})).status).toBe(200);
  expect((await api(eu, "POST", "/v1/credentials/short-lived/test", {})).status).toBe(200);
  expect((await api(eu, "DELETE", "/v1/credentials/short-lived")).status).toBe(200);
  for (const at of [us, eu]) {
    expect(await names(at)).not.toContain("short-lived");
    await ask(at.unified, "mistral/m-3", { until: 400 });
  }
});

test("a route that is stored at either API leads at both addresses, with its fallback and its explanation", async () => {
  const fast = { targets: ["groq/m-1", "anthropic/claude-sonnet-4-5"] };
  expect((await api(eu, "PUT", "/v1/routes/fast", fast)).status).toBe(200);
  for (const at of [us, eu]) {
    const { id, headers } = await ask(at.unified, "fast");
    expect(headers.get("gateway-route")).toBe("fast");
    expect(await recordOf(at, id)).toMatchObject({ route: "fast", route_reason: "order", routed_model: "m-1" });
    const { json } = await api(at, "POST", "/v1/route/explain", { model: "fast" });
    expect(json.data.targets.map(({ provider }: Json) => provider)).toEqual(["GROQ", "ANTHROPIC"]);
    expect((await api(at, "GET", "/v1/routes")).json.data.map(({ name }: Json) => name)).toContain("fast");
  }
  expect((await api(us, "PUT", "/v1/routes/fast", { targets: ["anthropic/claude-sonnet-4-5"] })).status).toBe(200);
  await until(
    async () => (await ask(eu.unified, "fast")).headers.get("gateway-provider") === "ANTHROPIC",
    180_000,
    () => "the route did not change in Europe",
  );
  expect((await api(eu, "DELETE", "/v1/routes/fast")).status).toBe(200);
  for (const at of [us, eu]) await ask(at.unified, "fast", { until: 404 });
});

test("a key's models and credentials hold at both addresses, and a revoked key is none at either", async () => {
  const made = await api(eu, "POST", "/v1/keys", {
    ...{ name: "scoped", scopes: ["gateway"], models: ["groq/*"], credentials: ["made-in-*"] },
  });
  const { key, id } = made.json.data;
  for (const at of [us, eu]) {
    await ask(at.unified, "groq/m-1", { key });
    const refused = await ask(at.unified, "anthropic/claude-sonnet-4-5", { key, until: 403 });
    expect(refused.json.error.code).toBe("model_forbidden");
    // The key is enough at the generic address, and beside the other region's host.
    await ask(at.gateway, "groq/m-1", { key });
  }
  expect((await api(us, "DELETE", `/v1/keys/${id}`)).status).toBe(200);
  for (const at of [us, eu]) await ask(at.unified, "groq/m-1", { key, until: 401 });
});

test("the command line stores a credential once for both, and rotation keeps both paying", async () => {
  const env = { ...weir.env, WEIR_API_KEY: KEY, WEIR_API_URL: us.api, WEIR_EU_API_URL: eu.api };
  const listed = await runCommand(env, "credentials", "list", "--json");
  expect(JSON.parse(listed.stdout).map(({ name }: Json) => name)).toContain("made-in-europe");
  const rotated = await runCommand(env, "credentials", "rotate");
  expect(rotated.status).toBe(0);
  for (const at of [us, eu]) await ask(at.unified, "groq/m-1");
});

test("unified listeners of both regions are targets of neither", async () => {
  for (const at of [us, eu]) {
    for (const own of [us.unified, eu.unified]) {
      const response = await fetch(`${at.gateway}/v1/x`, { headers: gatewayHeaders(own), keepalive: false });
      expect([own, response.status]).toEqual([own, 403]);
    }
  }
});
