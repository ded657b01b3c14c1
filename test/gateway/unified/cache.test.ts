import { describe, expect, test } from "bun:test";
import models from "../../../plugins/models.ts";
import type { Route } from "../../../src/routing/route.ts";
import { temporaryDirectory } from "../../directory.ts";
import { route } from "../../routing/things.ts";
import {
  at,
  chatResponse,
  events,
  hooksOf,
  json,
  KEY,
  messagesEvents,
  messagesResponse,
  standIn,
  startUnified,
  type UnifiedOptions,
} from "./house.ts";

const CACHED = { "Gateway-Cache-Enabled": "true" };

async function ask(origin: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, ...CACHED, ...headers },
    body: JSON.stringify({ messages: [{ role: "user", content: "x" }], ...body }),
  });
  const of = (name: string) => response.headers.get(`gateway-${name}`);
  return {
    status: response.status,
    text: await response.text(),
    type: response.headers.get("content-type"),
    requestId: response.headers.get("x-request-id"),
    id: of("id")!,
    cache: of("cache"),
    provider: of("provider"),
    model: of("model"),
    route: of("route"),
    attempts: of("attempts"),
    warning: of("warning"),
  };
}

/** A gateway with a cache of its own, and a provider that numbers its responses. */
async function house(options: (origin: string) => UnifiedOptions) {
  const directory = temporaryDirectory("unified-cache");
  const provider = standIn(({ path, json: body }, number) => {
    if (body?.model === "down") return json({ error: { message: "down" } }, 503);
    const text = `answer ${number}`;
    if (!path.endsWith("/messages")) return json(chatResponse(text));
    return body.stream === true ? events(messagesEvents(text)) : json(messagesResponse(text));
  });
  const start = () => {
    const { config, ...more } = options(provider.origin);
    return startUnified({ ...more, config: { data_dir: directory.path, ...config } });
  };
  return {
    provider,
    start,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

const BOTH = (origin: string): UnifiedOptions => ({ credentials: [at("OPENAI", origin), at("ANTHROPIC", origin)] });

describe.each([
  ["on the same shape", { model: "openai/gpt-test" }, null],
  ["translated", { model: "anthropic/claude-test", seed: 1 }, "dropped seed"],
  ["translated, as a stream", { model: "anthropic/claude-test", seed: 1, stream: true }, "dropped seed"],
])("%s", (_name, body, warning) => {
  test("the second request gets what the first got, after a restart as well", async () => {
    await using home = await house(BOTH);
    let first: Awaited<ReturnType<typeof ask>>;
    {
      await using gateway = await home.start();
      first = await ask(gateway.origin, body);
      expect(first).toMatchObject({ status: 200, cache: "MISS", attempts: "1", warning });
      const second = await ask(gateway.origin, body);
      expect(second).toEqual({ ...first, id: second.id, requestId: expectedId(second), cache: "HIT", attempts: "0" });
      const record = await gateway.spool.ended(second.id);
      const miss = await gateway.spool.ended(first.id);
      expect(record.head!.cacheReferenceId).toBe(first.id);
      expect(record.head!.provider).toBe(first.provider!);
      const { reason: _1, credential: _2, stored: _3, ...same } = miss.head!.routing!;
      expect(record.head!.routing).toEqual(same);
      expect(record.responseBody.toString()).toBe(first.text);
      expect(record.provider.request).toBeUndefined();
    }
    await using gateway = await home.start();
    const third = await ask(gateway.origin, body);
    expect(third).toEqual({ ...first, id: third.id, requestId: expectedId(third), cache: "HIT", attempts: "0" });
    expect(home.provider.received).toHaveLength(1);
  });

  const expectedId = ({ id }: { id: string }) => (warning === null ? null : id);
});

test("requests that are not the same in body, targets, endpoint or key get their own responses", async () => {
  const routes = (model: string) => [route("fast", [model])] as Route[];
  let model = "openai/gpt-test";
  await using home = await house((origin) => ({ ...BOTH(origin), routes: routes(model) }));
  const requests: [object, Record<string, string>?][] = [
    [{ model: "fast" }],
    [{ model: "fast", temperature: 0 }],
    [{ model: "fast" }, { "Gateway-Cache-Seed": "a" }],
    [{ model: "fast" }, { "Gateway-Model": "anthropic/claude-test" }],
    [{ model: "fast" }, { "Gateway-Unsupported": "refuse" }],
  ];
  {
    await using gateway = await home.start();
    for (const expected of ["MISS", "HIT"])
      for (const [body, headers] of requests) expect((await ask(gateway.origin, body, headers)).cache).toBe(expected);
    const other = await fetch(`${gateway.origin}/v1/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, ...CACHED },
      body: JSON.stringify({ model: "fast", messages: [{ role: "user", content: "x" }] }),
    });
    expect(other.headers.get("gateway-cache")).toBe("MISS");
  }
  model = "openai/gpt-other";
  await using gateway = await home.start();
  expect((await ask(gateway.origin, { model: "fast" })).cache).toBe("MISS");
});

test("a client's own key has its own responses", async () => {
  await using home = await house((origin) => ({
    credentials: [at("OWN", origin)],
    providers: [{ apiVersion: 1, name: "OWN", extends: "OPENAI", target: origin }],
    config: { allow_private_targets: [new URL(origin).host] },
  }));
  await using gateway = await home.start();
  const own = (key?: string) =>
    ask(gateway.origin, { model: "own/m" }, key === undefined ? {} : { "Gateway-Provider-Key": key });
  const seen = [];
  for (const key of [undefined, "a", "b", undefined, "a", "b"]) seen.push((await own(key)).cache);
  expect(seen).toEqual(["MISS", "MISS", "MISS", "HIT", "HIT", "HIT"]);
  expect(home.provider.received.map(({ headers }) => headers.get("authorization"))).toEqual([
    "Bearer secret-of-own",
    "Bearer a",
    "Bearer b",
  ]);
});

test("a fallback's response is not stored, and a later one of the first target is", async () => {
  let first = "openai/down";
  await using home = await house((origin) => ({ ...BOTH(origin), routes: [route("fast", [first, "openai/up"])] }));
  {
    await using gateway = await home.start();
    for (const _ of [1, 2]) {
      const response = await ask(gateway.origin, { model: "fast" });
      expect(response).toMatchObject({ status: 200, cache: "MISS", model: "up", route: "fast", attempts: "2" });
    }
  }
  first = "openai/better";
  await using gateway = await home.start();
  expect(await ask(gateway.origin, { model: "fast" })).toMatchObject({ cache: "MISS", model: "better" });
  expect(await ask(gateway.origin, { model: "fast" })).toMatchObject({ cache: "HIT", model: "better", route: "fast" });
});

test.each([
  ["a response", () => json(messagesResponse("one")), 200],
  ["a failure of the provider's", () => json({ error: { message: "no" } }, 500), 500],
  ["a failure in the gateway's words", () => new Response("{"), 502],
])("equal requests in flight share one call: %s", async (_name, respond, status) => {
  const go = Promise.withResolvers<void>();
  await using provider = standIn(async () => {
    await go.promise;
    return respond();
  });
  using directory = temporaryDirectory("unified-cache");
  await using gateway = await startUnified({
    credentials: [at("ANTHROPIC", provider.origin)],
    config: { data_dir: directory.path },
  });
  const pending = [1, 2, 3].map(() => ask(gateway.origin, { model: "anthropic/claude-test" }));
  const read = () => [...gateway.spool.exchanges.values()].filter(({ requestBody }) => requestBody.length > 0);
  await gateway.spool.until(() => read().length === 3);
  go.resolve();
  const responses = await Promise.all(pending);
  expect(provider.received).toHaveLength(1);
  expect(responses.map((each) => [each.status, each.provider])).toEqual([1, 2, 3].map(() => [status, "ANTHROPIC"]));
  const hits = responses.filter(({ cache }) => cache === "HIT");
  expect(hits).toHaveLength(status === 200 ? 2 : 0);
  for (const { id } of responses) expect((await gateway.spool.ended(id)).end).toBeDefined();
  expect(gateway.spool.problems).toEqual([]);
});

test("a plugin's refusal is not outlived by a stored response", async () => {
  let deny: string[] = [];
  using directory = temporaryDirectory("unified-cache");
  await using provider = standIn(() => json(chatResponse("hi")));
  const start = async () =>
    startUnified({
      credentials: [at("OPENAI", provider.origin)],
      hooks: await hooksOf(models, { deny }),
      config: { data_dir: directory.path },
    });
  deny = ["openai/other"];
  {
    await using gateway = await start();
    expect((await ask(gateway.origin, { model: "openai/gpt-test" })).cache).toBe("MISS");
    expect((await ask(gateway.origin, { model: "openai/gpt-test" })).cache).toBe("HIT");
  }
  deny = ["openai/gpt-test"];
  await using gateway = await start();
  expect((await ask(gateway.origin, { model: "openai/gpt-test" })).status).toBe(403);
  expect(provider.received).toHaveLength(1);
});
