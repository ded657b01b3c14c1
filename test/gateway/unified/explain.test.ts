import { expect, test } from "bun:test";
import type { Route } from "../../../src/routing/route.ts";
import type { RouteQuestion } from "../../../src/threads.ts";
import { route, target } from "../../routing/things.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "./house.ts";

const key: RouteQuestion["key"] = { id: "", name: "", organizationId: "org-1", models: null, credentials: null };

const question = (model: string, more: Partial<RouteQuestion> = {}): RouteQuestion => ({
  ...{ key, model, shape: "chat-completions", body: undefined, user: undefined, session: undefined, properties: {} },
  ...more,
});

const BODY = { model: "x", messages: [{ role: "user", content: "hello" }], seed: 7 };
const FAST: Route = route("fast", [
  target("anthropic/claude-sonnet-4-5"),
  target("openai/gpt-4o-mini", { body: { seed: 9 } }),
  target("groq/llama-3.3-70b", { when: { needs: ["tools"] } as never }),
]);

async function house(more: object = {}) {
  const provider = standIn(({ path }) => json(path.endsWith("/messages") ? messagesResponse("a") : chatResponse("b")));
  const credentials = [
    at("ANTHROPIC", provider.origin),
    at("OPENAI", provider.origin, more),
    at("OPENAI", provider.origin, { name: "locked", secrets: undefined }),
    at("GROQ", provider.origin),
    at("MISTRAL", provider.origin, { name: "foreign", organizationId: "org-2" }),
  ];
  const gateway = await startUnified({ credentials, routes: [FAST] });
  const close = async () => {
    await gateway[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { provider, gateway, [Symbol.asyncDispose]: close };
}

test("an explanation shows the targets in order, with what each would get, and calls nothing", async () => {
  await using it = await house();
  const found = await it.gateway.explainRoute(question("fast", { body: JSON.stringify(BODY) }));
  expect(found.resolved_by).toBe("route fast");
  expect(found.targets.map(({ credential, state, skipped }) => [credential, state, skipped])).toEqual([
    ["anthropic", "ready", null],
    ["openai", "ready", null],
    ["locked", "locked", "its secrets are locked"],
    ["groq", "ready", "when: needs tools"],
  ]);
  const [claude, gpt] = found.targets;
  expect(claude).toMatchObject({
    ...{ provider: "ANTHROPIC", model: "claude-sonnet-4-5", shape: "messages", same_shape: false, reason: "order" },
    url: `${it.provider.origin}/v1/messages`,
    dropped: ["seed"],
    refused: [],
    request: { model: "claude-sonnet-4-5", messages: [{ role: "user" }] },
  });
  expect(claude!.estimated_cost).toBeGreaterThan(0);
  expect(gpt).toMatchObject({ shape: "chat-completions", same_shape: true, dropped: [] });
  expect(gpt!.request).toEqual({ ...BODY, model: "gpt-4o-mini", seed: 9 });
  expect(it.provider.received).toEqual([]);
  expect(JSON.stringify(found)).not.toContain("secret-of");
});

test("a nested route is explained by the name that the client writes", async () => {
  const routes = [FAST, route("outer", ["fast"])];
  await using gateway = await startUnified({ credentials: [at("OPENAI", "http://127.0.0.1:1")], routes });
  expect((await gateway.explainRoute(question("outer"))).resolved_by).toBe("route outer");
});

test("the explained request is the one that goes out", async () => {
  await using it = await house();
  const found = await it.gateway.explainRoute(question("fast", { body: JSON.stringify(BODY) }));
  const response = await fetch(`${it.gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ ...BODY, model: "fast" }),
  });
  expect(response.status).toBe(200);
  expect(it.provider.received[0]!.json).toEqual(found.targets[0]!.request);
  expect(it.provider.origin + it.provider.received[0]!.path).toBe(found.targets[0]!.url!);
});

test("without a body there are no losses and no request", async () => {
  await using it = await house();
  for (const shape of ["chat-completions", "responses", "messages"] as const) {
    const { targets } = await it.gateway.explainRoute(question("anthropic/claude-sonnet-4-5", { shape }));
    expect(targets).toMatchObject([{ shape: "messages", same_shape: shape === "messages", skipped: null }]);
    expect(targets[0]).toMatchObject({ request: null, dropped: [], approximated: [] });
  }
});

test("a target that cannot take the request has a reason; a wrong body is refused as in a request", async () => {
  await using it = await house();
  const { targets } = await it.gateway.explainRoute(question("anthropic/claude-sonnet-4-5", { shape: "embeddings" }));
  expect(targets).toMatchObject([{ shape: null, url: null, request: null }]);
  expect(targets[0]!.skipped).toBeString();
  const wrong = it.gateway.explainRoute(question("fast", { body: "[]" }));
  expect(await wrong.catch(({ code }) => code)).toBe("invalid_body");
  const unknown = it.gateway.explainRoute(question("nothing/at-all"));
  expect(await unknown.catch(({ code }) => code)).toBe("model_not_found");
  const bound = { ...key, models: ["openai/*"] };
  const forbidden = it.gateway.explainRoute(question("anthropic/claude-sonnet-4-5", { key: bound }));
  expect(await forbidden.catch(({ code }) => code)).toBe("model_forbidden");
});

test("a refused credential rests: shown to callers that may use it, and passed over", async () => {
  await using provider = standIn(({ path }) =>
    path.endsWith("/messages") ? json({ error: { message: "no" } }, 401) : json(chatResponse("b")),
  );
  const credentials = [at("ANTHROPIC", provider.origin), at("OPENAI", provider.origin)];
  await using gateway = await startUnified({ credentials, routes: [FAST] });
  expect(gateway.routeHealth("org-1")).toEqual([]);
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ ...BODY, model: "fast" }),
  });
  expect(response.headers.get("gateway-provider")).toBe("OPENAI");
  expect(gateway.routeHealth("org-1")).toMatchObject([
    { provider: "ANTHROPIC", credential: "anthropic", model: null, state: "resting", failures: 1 },
  ]);
  expect(gateway.routeHealth("org-2")).toEqual([]);
  const { targets } = await gateway.explainRoute(question("fast"));
  expect(targets[0]!.state).toStartWith("resting until ");
  expect(targets.map(({ skipped }) => skipped).slice(0, 2)).toEqual(["it rests", null]);
  // It is called regardless if there is nothing else.
  const alone = await gateway.explainRoute(question("anthropic/claude-sonnet-4-5"));
  expect(alone.targets).toMatchObject([{ skipped: null }]);
});

test("an address that would be fetched is not, and its target is ready", async () => {
  await using provider = standIn(() => json({}));
  await using gateway = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
  const picture = [{ type: "image_url", image_url: { url: `${provider.origin}/a.png` } }];
  const body = JSON.stringify({ messages: [{ role: "user", content: picture }] });
  const { targets } = await gateway.explainRoute(question("google/gemini-3-pro", { body }));
  expect(targets[0]).toMatchObject({ skipped: null, shape: "generate-content", refused: [], request: null });
  expect(provider.received).toHaveLength(0);
});

test("cheapest goes by the organization's own prices, then the configuration's", async () => {
  await using provider = standIn(() => json(chatResponse("b")));
  const credentials = [
    at("OPENAI", provider.origin),
    at("CUSTOM", provider.origin, { name: "near" }),
    at("GROQ", provider.origin),
  ];
  const routes = [route("cheap", ["openai/gpt-4o-mini", "groq/own-model", "custom/m"], { strategy: "cheapest" })];
  const prices = [{ provider: "CUSTOM", model: "*", price: { input: 0.001, output: 0.001 } }];
  const config = { prices: [{ provider: "groq", model: "own-model", input: 900, output: 900 }] };
  await using gateway = await startUnified({ credentials, routes, prices, config });
  const { targets } = await gateway.explainRoute(question("cheap", { body: JSON.stringify(BODY) }));
  expect(targets.map(({ provider: name }) => name)).toEqual(["CUSTOM", "OPENAI", "GROQ"]);
  expect(targets[0]!.estimated_cost).toBeGreaterThan(0);
  expect(targets[2]!.estimated_cost).toBeGreaterThan(0.9);
});
