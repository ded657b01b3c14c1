import { expect, test } from "bun:test";
import rateLimits from "../../../../plugins/rate-limits.ts";
import type { Hooks } from "../../../../src/plugin-host/hooks/hooks.ts";
import type { Credential } from "../../../../src/routing/credential.ts";
import { type Opened, type OpenOptions, openPlugin } from "../../../policies/open.ts";
import { route, target } from "../../../routing/things.ts";
import {
  at,
  builtInHooks,
  chatResponse,
  json,
  KEY,
  messagesResponse,
  type Respond,
  standIn,
  startUnified,
} from "../house.ts";

const TOKENS = 8;

/** A gateway with two credentials of one provider and one of another, and the plugin that counts. */
async function house(
  { first, second, other }: { first?: string; second?: string; other?: Partial<Credential> },
  { respond, from }: { respond?: Respond; from?: OpenOptions["from"] } = {},
) {
  const received: string[] = [];
  const provider = standIn((one, place) => {
    received.push(one.headers.get("authorization")?.slice("Bearer ".length) ?? one.headers.get("x-api-key") ?? "");
    if (respond !== undefined) return respond(one, place);
    return json(one.path.endsWith("/messages") ? messagesResponse("a") : chatResponse("b"));
  });
  let ended = (_id: string): boolean => false;
  const plugin: Opened = await openPlugin(rateLimits, {
    // As the recorder says it: what a request that got a response has used.
    usageOf: async (ids) => ids.filter(ended).map((requestId) => ({ requestId, cost: 0.01, totalTokens: TOKENS })),
    ...(from !== undefined && { from }),
  });
  const hooks = builtInHooks("rate-limits", plugin.hooks);
  const limited = (name: string, limit: string | undefined) =>
    at("OPENAI", provider.origin, { name, limit, secrets: { api_key: name } });
  const credentials = [
    limited("first", first),
    ...(second === undefined ? [] : [limited("second", second)]),
    ...(other === undefined ? [] : [at("ANTHROPIC", provider.origin, { secrets: { api_key: "other" }, ...other })]),
  ];
  const routes = [route("both", [target("openai:first/gpt-test"), target("anthropic/claude-test")])];
  const gateway = await startUnified({ credentials, routes, hooks, config: { data_dir: plugin.path } });
  ended = (id) => gateway.spool.exchanges.get(id)?.head?.status === 200;
  const close = async () => {
    await gateway[Symbol.asyncDispose]();
    await plugin[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  const send = async (model: string, path = "/v1/chat/completions", headers: Record<string, string> = {}) => {
    const response = await fetch(gateway.origin + path, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, ...headers },
      body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "x" }] }),
    });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  return { received, plugin, hooks, gateway, send, [Symbol.asyncDispose]: close };
}

const used = ({ hooks }: { readonly hooks: Hooks }, name: string, limit: string) =>
  hooks.limitsOf({ name, organizationId: "org-1", limit }).map((use) => use.used);

test("a credential whose limit is spent is passed over, and with nothing else left the client gets a 429", async () => {
  await using it = await house({ first: "1;w=60", other: { limit: "1;w=3600" } });
  expect((await it.send("both")).headers.get("gateway-provider")).toBe("OPENAI");
  const second = await it.send("both");
  expect([second.status, second.headers.get("gateway-provider")]).toEqual([200, "ANTHROPIC"]);
  expect(second.headers.get("gateway-attempts")).toBe("1");
  const third = await it.send("both");
  expect(third).toMatchObject({
    status: 429,
    json: { error: { type: "gateway_error", code: "rate_limited", message: expect.stringContaining('"first"') } },
  });
  // The one that has room first.
  expect(Number(third.headers.get("retry-after"))).toBeWithin(1, 61);
  const messages = await it.send("both", "/v1/messages");
  expect(messages).toMatchObject({ status: 429, json: { type: "error", error: { code: "rate_limited" } } });
  expect(it.received).toEqual(["first", "other"]);
  // What a credential may spend is not the client's to know.
  expect([...third.headers.keys()].filter((name) => name.startsWith("gateway-ratelimit"))).toEqual([]);
});

test("a spent limit is not a pause; explanations and health show it", async () => {
  await using it = await house({ first: "1;w=60", other: {} });
  const key = { id: "", name: "", organizationId: "org-1", models: null, credentials: null };
  const question = { key, model: "both", shape: "chat-completions", properties: {} } as const;
  const explain = () => it.gateway.explainRoute({ ...question, body: undefined, user: undefined, session: undefined });
  expect((await explain()).targets).toMatchObject([{ state: "ready", skipped: null }, { state: "ready" }]);
  await it.send("both");
  expect((await explain()).targets).toMatchObject([
    { credential: "first", state: "limit spent", skipped: "its limit is spent" },
    { credential: "anthropic", state: "ready", skipped: null },
  ]);
  expect(it.gateway.routeHealth("org-1")).toMatchObject([
    { provider: "OPENAI", credential: "first", model: null, state: "limit spent", failures: 0 },
  ]);
  expect(it.gateway.routeHealth("org-1")[0]!.until).toBeWithin(Date.now(), Date.now() + 61_000);
  expect(it.gateway.routeHealth("org-2")).toEqual([]);
});

test("tokens and cents are charged to the credential that paid, failed calls to the one that failed", async () => {
  const respond: Respond = (one) =>
    one.path.endsWith("/messages") ? json(messagesResponse("a")) : json({ error: { message: "busy" } }, 503);
  const limit = "5;w=60,1000;w=60;u=tokens,100;w=60;u=cents";
  await using it = await house({ first: limit, other: { limit } }, { respond });
  const { headers } = await it.send("both");
  expect(headers.get("gateway-provider")).toBe("ANTHROPIC");
  await it.gateway.spool.ended(headers.get("gateway-id")!);
  await it.gateway.spool.until(() => used(it, "anthropic", limit)[1]! > 0);
  expect(used(it, "anthropic", limit)).toEqual([1, TOKENS, 1]);
  // Called once; a failed call costs nothing.
  expect(used(it, "first", limit)).toEqual([1, 0, 0]);
});

test("a spent credential behind a failure leaves the failure as the client's", async () => {
  const respond: Respond = (one) =>
    one.path.endsWith("/messages") ? json(messagesResponse("a")) : json({ error: { message: "busy" } }, 503);
  await using it = await house({ first: "9;w=60", other: { limit: "1;w=60" } }, { respond });
  expect((await it.send("anthropic/claude-test")).status).toBe(200);
  const failed = await it.send("both");
  expect([failed.status, failed.headers.get("gateway-attempts")]).toEqual([503, "1"]);
  const records = [...it.gateway.spool.exchanges.values()].filter(({ begin }) => begin.attemptOf !== undefined);
  expect(records).toEqual([]);
  expect(it.received).toEqual(["other", "first"]);
});

test("the next credential of the provider pays where the first one's limit is spent", async () => {
  await using it = await house({ first: "2;w=60", second: "2;w=60" });
  const responses = await Promise.all(Array.from({ length: 6 }, () => it.send("openai/gpt-test")));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(it.received.toSorted()).toEqual(["first", "first", "second", "second"]);
});

test("the client's own limits count a request once, whatever it took, and their headers are the client's", async () => {
  const respond: Respond = (one) =>
    one.path.endsWith("/messages") ? json(messagesResponse("a")) : json({ error: { message: "busy" } }, 503);
  await using it = await house({ first: "9;w=60", other: {} }, { respond });
  const policy = { "Gateway-RateLimit-Policy": "2;w=60" };
  const first = await it.send("both", undefined, policy);
  expect([first.status, first.headers.get("gateway-ratelimit-remaining")]).toEqual([200, "1"]);
  expect((await it.send("both", undefined, policy)).status).toBe(200);
  expect((await it.send("both", undefined, policy)).status).toBe(429);
});

test("the counts of a credential survive a restart, whatever the quota is then", async () => {
  await using before = await house({ first: "2;w=3600" });
  await before.send("openai/gpt-test");
  await before.plugin.kill();
  await using it = await house({ first: "2;w=3600" }, { from: before.plugin });
  expect((await it.send("openai/gpt-test")).status).toBe(200);
  expect((await it.send("openai/gpt-test")).status).toBe(429);
  expect(used(it, "first", "5;w=3600")).toEqual([2]);
});

test("a cache hit uses no credential, and is served when the limit is used up", async () => {
  await using it = await house({ first: "1;w=60" });
  const cached = { "Gateway-Cache-Enabled": "true" };
  const responses = [
    await it.send("openai/gpt-test", undefined, cached),
    await it.send("openai/gpt-test", undefined, cached),
  ];
  expect(responses.map(({ status, headers }) => [status, headers.get("gateway-cache")])).toEqual([
    [200, "MISS"],
    [200, "HIT"],
  ]);
  expect(used(it, "first", "1;w=60")).toEqual([1]);
  expect((await it.send("openai/gpt-other", undefined, cached)).status).toBe(429);
});

test("a request for embeddings that is split counts as many calls, and needs room for all of them", async () => {
  await using provider = standIn(() => json({ embedding: [1], inputTextTokenCount: 1 }));
  await using plugin = await openPlugin(rateLimits, { usageOf: async () => [] });
  const hooks = builtInHooks("rate-limits", plugin.hooks);
  const limit = "4;w=60";
  const aws = at("AWS", provider.origin, {
    settings: { region: "eu-west-1" },
    secrets: { access_key_id: "AKIA1", secret_access_key: "secret-1" },
    limit,
  });
  await using gateway = await startUnified({ credentials: [aws], hooks, config: { data_dir: plugin.path } });
  const embed = async (count: number) => {
    const response = await fetch(`${gateway.origin}/v1/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "aws/amazon.titan-embed-text-v2:0", input: Array(count).fill("text") }),
    });
    await response.arrayBuffer();
    return [
      response.status,
      ...hooks.limitsOf({ name: "aws", organizationId: "org-1", limit }).map(({ used }) => used),
    ];
  };
  expect(await embed(3)).toEqual([200, 3]);
  expect(await embed(2)).toEqual([429, 3]);
  expect(await embed(1)).toEqual([200, 4]);
  expect(provider.received.length).toBe(4);
});
