import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { exchangeRaw } from "../../raw-http.ts";
import { keySnapshot } from "../harness.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "./house.ts";

const CHAT = JSON.stringify({ model: "openai/gpt-test", messages: [{ role: "user", content: "x" }] });

describe("the address says what it is", () => {
  test("GET and HEAD / on the port and at the host, without a key", async () => {
    await using gateway = await startUnified({ config: { gateway_domain: "weir.test" } });
    const port = gateway.unifiedPort!;
    for (const [where, host] of [
      [port, "127.0.0.1"],
      [gateway.port, "ai.weir.test:80"],
      [gateway.port, "AI-gateway.weir.test"],
    ] as const) {
      const ask = (method: string, path = "/", more = "") =>
        exchangeRaw(where, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
      expect(await ask("GET")).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n\{"name":"weir","unified":true\}$/);
      expect(await ask("GET", "/?x=1")).toStartWith("HTTP/1.1 200");
      expect(await ask("HEAD")).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n$/);
      expect(await ask("POST")).toStartWith("HTTP/1.1 401");
      const key = `Authorization: Bearer ${KEY}\r\n`;
      expect(await ask("GET", "/", `${key}Gateway-Target-Url: https://api.example.com\r\n`)).toMatch(
        /^HTTP\/1\.1 400[\s\S]*"invalid_header"/,
      );
      const upgrade = `${key}Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n`;
      const refused = await exchangeRaw(
        where,
        `GET /v1/responses HTTP/1.1\r\nHost: ${host}\r\n${upgrade}Connection: Upgrade\r\n\r\n`,
      );
      expect(refused).toMatch(/^HTTP\/1\.1 404[\s\S]*"unknown_endpoint"/);
    }
    expect(gateway.spool.exchanges.size).toBeGreaterThan(0);
    for (const { head } of gateway.spool.exchanges.values()) expect(head!.status).toBeGreaterThanOrEqual(400);
  });

  test("the generic address is no unified one without a key", async () => {
    await using gateway = await startUnified({});
    const response = await fetch(`${gateway.origin}/`);
    expect([response.status, (await response.json()).error.code]).toEqual([401, "missing_gateway_auth"]);
  });
});

describe("where the service key stands", () => {
  const PLACES: readonly (readonly [string, Record<string, string>, string])[] = [
    ["Gateway-Auth", { "Gateway-Auth": `Bearer ${KEY}` }, ""],
    ["Authorization", { Authorization: `Bearer ${KEY}` }, ""],
    ["x-api-key", { "x-api-key": KEY }, ""],
    ["x-goog-api-key", { "x-goog-api-key": KEY }, ""],
    ["the query", {}, `?key=${KEY}`],
  ];
  test.each(PLACES)(
    "%s: at the host, on the port and, but for Gateway-Auth, at the generic address",
    async (name, headers, query) => {
      await using provider = standIn(() => json(chatResponse("hi")));
      await using gateway = await startUnified({
        config: { gateway_domain: "weir.test" },
        credentials: [at("OPENAI", provider.origin)],
      });
      const ask = (origin: string, more: Record<string, string> = {}) =>
        fetch(`${origin}/v1/chat/completions${query}`, {
          method: "POST",
          headers: { ...headers, ...more, "content-type": "application/json" },
          body: CHAT,
        });
      const own = await ask(`http://127.0.0.1:${gateway.unifiedPort}`);
      expect(own.status).toBe(200);
      expect((await ask(gateway.origin, { Host: "ai.weir.test" })).status).toBe(200);
      const generic = await ask(gateway.origin);
      expect(generic.status).toBe(name === "Gateway-Auth" ? 400 : 200);
      for (const { path, headers: sent } of provider.received) {
        expect(path).toBe("/v1/chat/completions");
        expect([...sent.values()].join()).not.toContain(KEY);
        expect(sent.get("authorization")).toBe("Bearer secret-of-openai");
      }
      const recorded = await gateway.spool.ended(own.headers.get("gateway-id")!);
      const { path, headers: shown, gateway: settings } = recorded.begin;
      expect(JSON.stringify([path, shown, settings, recorded.provider])).not.toContain(KEY);
    },
  );

  test("the key is cut out of a query, and the rest of it stays", async () => {
    await using provider = standIn(() => json({ candidates: [{ content: { parts: [{ text: "hi" }] } }] }));
    await using gateway = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
    for (const method of ["generateContent", "streamGenerateContent"]) {
      const response = await fetch(
        `${gateway.origin}/v1beta/models/gemini-2.5-flash:${method}?alt=sse&key=${KEY}&fields=a%2Cb`,
        { method: "POST", body: JSON.stringify({ contents: [] }) },
      );
      await response.text();
    }
    expect(provider.received.map(({ path }) => path)).toEqual([
      "/v1beta/models/gemini-2.5-flash:generateContent?alt=sse&fields=a%2Cb",
      "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&fields=a%2Cb",
    ]);
  });

  test("a key whose name is written with escapes is cut out as well", async () => {
    await using provider = standIn(() => json(chatResponse("hi")));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const url = `${gateway.origin}/v1/chat/completions?a=1&k%65y=${KEY}&b`;
    expect((await fetch(url, { method: "POST", body: CHAT })).status).toBe(200);
    expect(provider.received.map(({ path }) => path)).toEqual(["/v1/chat/completions?a=1&b"]);
  });

  test("at the generic address a key of another deployment is none", async () => {
    await using gateway = await startUnified({});
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: "Bearer sk-weir-us-nope" },
      body: CHAT,
    });
    expect([response.status, (await response.json()).error]).toEqual([
      401,
      expect.objectContaining({
        code: "missing_gateway_auth",
        message: "the Weir key in Authorization is no service key of this gateway; create one with: weir keys create",
      }),
    ]);
  });

  test("the address of a provider stays pass-through: a service key in Authorization is none for the gateway", async () => {
    await using gateway = await startUnified({ config: { gateway_domain: "weir.test" } });
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Host: "openai.weir.test", Authorization: `Bearer ${KEY}` },
      body: CHAT,
    });
    expect([response.status, (await response.json()).error.code]).toEqual([401, "missing_gateway_auth"]);
  });

  test("on the port Gateway-Target-Url has no meaning", async () => {
    await using gateway = await startUnified({});
    const response = await fetch(`http://127.0.0.1:${gateway.unifiedPort}/v1/messages`, {
      method: "POST",
      headers: { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": "https://api.example.com" },
      body: CHAT,
    });
    expect([response.status, (await response.json()).error.code]).toEqual([400, "invalid_header"]);
  });
});

test.each([
  [{ "Gateway-Target-Provider": "nope" }, 'Gateway-Target-Provider names no provider: "nope"'],
  [{ "Gateway-Model": "" }, "Gateway-Model is empty"],
  [{ "Gateway-Model": "  " }, "Gateway-Model is empty"],
])("a header that leads to no target is refused, whatever the body has: %p", async (headers, says) => {
  await using gateway = await startUnified({});
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, ...(headers as Record<string, string>) },
    body: JSON.stringify({ model: "openai/gpt-5-mini", messages: [{ role: "user", content: "Hi" }] }),
  });
  expect([response.status, (await response.json()).error]).toEqual([
    400,
    expect.objectContaining({ code: "invalid_header", message: expect.stringContaining(says) }),
  ]);
});

test.each([
  ["zzz", Buffer.from('{"model":"openai/m"}')],
  ["gzip", Buffer.from('{"model":"openai/m"}')],
  ["gzip", Bun.gzipSync(Buffer.from('{"model":"openai/m","messages":[]}')).subarray(0, 20)],
])("a body that contradicts its Content-Encoding %s is refused with that reason", async (coding, body) => {
  await using provider = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-encoding": coding },
    body,
  });
  const { code, message } = ((await response.json()) as Json).error;
  expect([response.status, code]).toEqual([400, "invalid_body"]);
  expect(message).toStartWith(`the body cannot be decompressed as its Content-Encoding "${coding}" says: `);
});

test.each([
  ["Model", "openai/gpt-5-mini", "openai/gpt-5"],
  ["Fallbacks", '[{"model":"openai/a"}]', '[{"model":"openai/b"}]'],
  ["Unsupported", "drop", "refuse"],
  ["Body-Mapping", "OPENAI", "NO_MAPPING"],
  ["Provider-Key", "key-one", "key-two"],
  ["Provider-Key-OpenAI", "key-one", "key-two"],
])("%s that is sent twice must be the same", async (setting, one, two) => {
  await using provider = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({
    credentials: [at("OPENAI", provider.origin)],
    config: { header_aliases: ["Acme"] },
  });
  const ask = async (acme: string) => {
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, [`Gateway-${setting}`]: one, [`Acme-${setting}`]: acme },
      body: JSON.stringify({ model: "openai/m", messages: [{ role: "user", content: "Hi" }] }),
    });
    const { code, message } = ((await response.json()) as Json).error ?? {};
    return [response.status, code, message];
  };
  const what = new RegExp(`^(?:Acme|Gateway)-${setting} was sent twice with different values$`, "i");
  expect(await ask(two)).toEqual([400, "invalid_header", expect.stringMatching(what)]);
  expect((await ask(one))[1]).not.toBe("invalid_header");
});

describe("a key that does not fit", () => {
  const expired = keySnapshot("sk-weir-us-old", { expiresAt: 1 });
  test.each([
    ["none", {}, "missing_gateway_auth", /Authorization: Bearer, x-api-key or x-goog-api-key/],
    [
      "another one",
      { Authorization: "Bearer sk-weir-us-nope" },
      "invalid_gateway_auth",
      /no service key of this gateway/,
    ],
    ["an expired one", { "x-api-key": "sk-weir-us-old" }, "expired_gateway_auth", /has expired/],
  ])("%s, in every client's shape", async (_what, headers, code, text) => {
    await using gateway = await startUnified({ keys: [keySnapshot(KEY), expired] });
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${gateway.unifiedPort}${path}`, {
        method: "POST",
        headers: headers as Record<string, string>,
        body: "{}",
      });
      return { status: response.status, body: await response.json() };
    };
    for (const path of ["/v1/chat/completions", "/v1/responses"]) {
      const chat = await ask(path);
      expect(chat).toMatchObject({ status: 401, body: { error: { code, message: expect.stringMatching(text) } } });
    }
    expect(await ask("/v1/messages")).toMatchObject({
      status: 401,
      body: { type: "error", error: { type: "authentication_error", code, message: expect.stringMatching(text) } },
    });
  });
});

describe("where the model stands", () => {
  test.each([
    ["/openai/deployments/openai/a/chat/completions", {}, "a"],
    ["/openai/deployments/openai%2Fa/chat/completions?api-version=2024-10-21", {}, "a"],
    ["/openai/deployments/openai/a/chat/completions", { model: "openai/b" }, "b"],
    ["/v1/chat/completions", { models: ["openai/c", "openai/d"] }, "c"],
    ["/v1/chat/completions", { model: "openai/e", fallbacks: ["openai/f"] }, "e"],
  ])("%s with %j: %s", async (path, members, model) => {
    await using provider = standIn(() => json(chatResponse("hi")));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const response = await fetch(gateway.origin + path, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ ...members, messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(response.status).toBe(200);
    expect(provider.received[0]!.json).toEqual({ model, messages: [{ role: "user", content: "Hi" }] });
  });

  test("an entry of Gateway-Fallbacks without a target is left out and named, unless losses are refused", async () => {
    await using provider = standIn((_request, nth) => (nth === 0 ? json({}, 503) : json(chatResponse("hi"))));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const ask = (headers: Record<string, string>) =>
      fetch(`${gateway.origin}/v1/chat/completions`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${KEY}`,
          "Gateway-Fallbacks": '[{"model":"groq/x"},{"model":"openai/b","body":{"seed":1}},{"model":"gpt-nonsense"}]',
          ...headers,
        },
        body: JSON.stringify({ model: "openai/a", messages: [{ role: "user", content: "Hi" }] }),
      });
    const response = await ask({});
    const warning = "dropped Gateway-Fallbacks[0], dropped Gateway-Fallbacks[2]";
    expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, warning]);
    expect(provider.received.map(({ json: { model, seed } }) => [model, seed])).toEqual([
      ["a", undefined],
      ["b", 1],
    ]);
    const recorded = await gateway.spool.ended(response.headers.get("gateway-id")!);
    expect(recorded.head!.routing!.warnings).toEqual(warning.split(", "));
    const strict = await ask({ "Gateway-Unsupported": "refuse" });
    expect([strict.status, (await strict.json()).error.code]).toEqual([400, "no_credential"]);
  });

  test("models and fallbacks that are no lists of names are the provider's business", async () => {
    await using provider = standIn(({ path }) =>
      json(path.endsWith("messages") ? messagesResponse("hi") : chatResponse("hi")),
    );
    await using gateway = await startUnified({
      credentials: [at("OPENAI", provider.origin), at("ANTHROPIC", provider.origin)],
    });
    const members = { fallbacks: [{ model: "x" }], models: "y" };
    const ask = (model: string) =>
      fetch(`${gateway.origin}/v1/chat/completions`, {
        method: "POST",
        headers: { Authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ model, ...members, messages: [{ role: "user", content: "Hi" }] }),
      });
    await ask("openai/a");
    expect(provider.received[0]!.json).toMatchObject(members);
    expect((await ask("anthropic/claude-x")).headers.get("gateway-warning")).toBe("dropped fallbacks, dropped models");
  });
});

test("a client of Gemini that asks for no events gets the stream as a JSON list, also after a failure", async () => {
  const text = (parts: string, more: object = {}) => ({
    candidates: [{ content: { parts: [{ text: parts }] }, ...more }],
  });
  const list = [text("h"), text("i", { finishReason: "STOP" })];
  await using provider = standIn(({ path }) =>
    json(path.includes("flash") ? [{ error: { code: 503, message: "busy", status: "UNAVAILABLE" } }] : list),
  );
  await using gateway = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
  const response = await fetch(
    `${gateway.origin}/v1beta/models/gemini-2.5-flash,gemini-2.5-pro:streamGenerateContent?key=${KEY}`,
    { method: "POST", body: JSON.stringify({ contents: [] }) },
  );
  expect([response.status, await response.json()]).toEqual([200, list]);
  expect(provider.received.map(({ path }) => path)).toEqual([
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
  ]);
});

test.each([
  ["an unknown endpoint", "/v1/files", {}, 404],
  ["a header that cannot be read", "/v1/chat/completions", { "Gateway-Fallbacks": "[" }, 400],
  [
    "a target's address",
    "/v1/chat/completions",
    { "Gateway-Auth": `Bearer ${KEY}`, "Gateway-Target-Url": "https://a.test" },
    400,
  ],
])("the record of a refusal has no provider: %s", async (_what, path, headers, status) => {
  await using gateway = await startUnified({});
  const response = await fetch(`http://127.0.0.1:${gateway.unifiedPort}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, ...(headers as Record<string, string>) },
    body: CHAT,
  });
  expect(response.status).toBe(status);
  const recorded = await gateway.spool.ended(response.headers.get("gateway-id")!);
  expect([recorded.begin.provider, recorded.begin.target]).toEqual(["", ""]);
});
