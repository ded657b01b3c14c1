import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { route } from "../../../routing/things.ts";
import {
  at,
  chatResponse,
  events,
  json,
  KEY,
  messagesEvents,
  messagesResponse,
  standIn,
  startUnified,
} from "../house.ts";

const openai = (origin: string, more: object = {}) =>
  new OpenAI({ baseURL: `${origin}/v1`, apiKey: KEY, maxRetries: 0, ...more });
const anthropic = (origin: string) => new Anthropic({ baseURL: origin, apiKey: KEY, maxRetries: 0 });

describe("an SDK with nothing but base URL and key", () => {
  test("OpenAI's asks an OpenAI model: the same shape, byte for byte but the model", async () => {
    await using provider = standIn(() => json(chatResponse("hi")));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const { data, response } = await openai(gateway.origin)
      .chat.completions.create({ model: "openai/gpt-test", messages: [{ role: "user", content: "hello" }], seed: 7 })
      .withResponse();
    expect(data.choices[0]!.message.content).toBe("hi");
    const [request] = provider.received;
    expect(request!.path).toBe("/v1/chat/completions");
    expect(request!.json).toEqual({ model: "gpt-test", messages: [{ role: "user", content: "hello" }], seed: 7 });
    expect(request!.headers.get("authorization")).toBe("Bearer secret-of-openai");
    expect(response.headers.get("gateway-provider")).toBe("OPENAI");
    expect(response.headers.get("gateway-model")).toBe("gpt-test");
    expect(response.headers.get("gateway-attempts")).toBe("1");
    const recorded = await gateway.spool.ended(response.headers.get("gateway-id")!);
    expect(recorded.head).toMatchObject({
      status: 200,
      provider: "OPENAI",
      routing: { credential: "openai", mapping: "NO_MAPPING", routedModel: "gpt-test" },
    });
    expect(JSON.parse(recorded.requestBody.toString()).model).toBe("openai/gpt-test");
    expect(JSON.parse(recorded.provider.request!.toString()).model).toBe("gpt-test");
    expect(JSON.stringify([...gateway.spool.exchanges.values()])).not.toContain("secret-of-openai");
  });

  test("OpenAI's asks Claude: translated, whole", async () => {
    await using provider = standIn(() => json(messagesResponse("bonjour")));
    await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
    const { data, response } = await openai(gateway.origin)
      .chat.completions.create({
        model: "claude-sonnet-4-5",
        messages: [
          { role: "system", content: "be brief" },
          { role: "user", content: "hello" },
        ],
        seed: 7,
      })
      .withResponse();
    expect(data.choices[0]).toMatchObject({
      message: { role: "assistant", content: "bonjour" },
      finish_reason: "stop",
    });
    expect(data.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
    const [request] = provider.received;
    expect(request!.path).toBe("/v1/messages");
    expect(request!.headers.get("x-api-key")).toBe("secret-of-anthropic");
    expect(request!.headers.get("anthropic-version")).toBe("2023-06-01");
    expect(request!.headers.get("authorization")).toBeNull();
    expect(request!.json).toMatchObject({
      model: "claude-sonnet-4-5",
      max_tokens: 64_000,
      messages: [{ role: "user" }],
    });
    expect(response.headers.get("gateway-warning")).toBe("dropped seed");
    expect(response.headers.get("x-request-id")).toBe(response.headers.get("gateway-id"));
    const recorded = await gateway.spool.ended(response.headers.get("gateway-id")!);
    expect(JSON.parse(recorded.provider.response!.toString())).toEqual(messagesResponse("bonjour"));
    expect(JSON.parse(recorded.responseBody.toString()).choices[0].message.content).toBe("bonjour");
  });

  test("OpenAI's streams Claude", async () => {
    await using provider = standIn(() => events(messagesEvents("hello")));
    await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
    const stream = await openai(gateway.origin).chat.completions.create({
      model: "anthropic/claude-sonnet-4-5",
      messages: [{ role: "user", content: "hello" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let finish: string | null = null;
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    expect([text, finish]).toEqual(["hello", "stop"]);
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
  });

  test("Anthropic's asks an OpenAI model, whole and streamed", async () => {
    await using provider = standIn((request) =>
      request.json.stream === true
        ? events([
            ...["he", "llo"].map((content) => ({
              data: {
                id: "c",
                object: "chat.completion.chunk",
                created: 1,
                model: "g",
                choices: [{ index: 0, delta: { content }, finish_reason: null }],
              },
            })),
            {
              data: {
                id: "c",
                object: "chat.completion.chunk",
                created: 1,
                model: "g",
                choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
              },
            },
            "[DONE]",
          ])
        : json(chatResponse("hello")),
    );
    await using gateway = await startUnified({ credentials: [at("GROQ", provider.origin)] });
    const client = anthropic(gateway.origin);
    const ask = { model: "groq/llama", max_tokens: 100, messages: [{ role: "user" as const, content: "hi" }] };
    const whole = await client.messages.create(ask);
    expect(whole).toMatchObject({
      type: "message",
      content: [{ type: "text", text: "hello" }],
      stop_reason: "end_turn",
    });
    expect(provider.received[0]!.path).toBe("/openai/v1/chat/completions");
    const streamed = await client.messages.stream(ask).finalMessage();
    expect(streamed).toMatchObject({ content: [{ type: "text", text: "hello" }], stop_reason: "end_turn" });
  });
});

describe("failing over", () => {
  test("the next target is called after a failure, and the failure is a record", async () => {
    await using broken = standIn(() => json({ error: { message: "busy" } }, 503));
    await using works = standIn(() => json(messagesResponse("from claude")));
    await using gateway = await startUnified({
      credentials: [at("OPENAI", broken.origin), at("ANTHROPIC", works.origin)],
    });
    const { data, response } = await openai(gateway.origin)
      .chat.completions.create({
        model: "openai/gpt-test,anthropic/claude-sonnet-4-5",
        messages: [{ role: "user", content: "x" }],
      })
      .withResponse();
    expect(data.choices[0]!.message.content).toBe("from claude");
    expect(response.headers.get("gateway-attempts")).toBe("2");
    const id = response.headers.get("gateway-id")!;
    const recorded = await gateway.spool.ended(id);
    expect(recorded.head!.routing!.reason).toBe("fallback from openai/gpt-test: 503");
    const failed = [...gateway.spool.exchanges.values()].find(({ begin }) => begin.attemptOf === id)!;
    expect(failed).toMatchObject({ begin: { attempt: 1, provider: "OPENAI" }, head: { status: 503 } });
  });

  test("a stream that fails before content falls over; after content it does not", async () => {
    await using broken = standIn(() => events([{ data: { error: { message: "overloaded", type: "server_error" } } }]));
    await using works = standIn(() => events(messagesEvents("ok")));
    await using gateway = await startUnified({
      credentials: [at("OPENAI", broken.origin), at("ANTHROPIC", works.origin)],
    });
    const stream = await openai(gateway.origin).chat.completions.create({
      model: "openai/gpt-test,anthropic/claude-sonnet-4-5",
      messages: [{ role: "user", content: "x" }],
      stream: true,
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("ok");
  });

  test("a stored credential's 401 is a 502 that names it", async () => {
    await using provider = standIn(() => json({ error: { message: "bad key" } }, 401));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const error = await openai(gateway.origin)
      .chat.completions.create({ model: "openai/x", messages: [] })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 502, code: "credential_rejected" });
    expect(String(error)).toContain('"openai"');
  });

  test("on the same shape the last failure is the provider's, byte for byte", async () => {
    const body = '{"error": {"message":"no such thing",  "code":null}}';
    await using provider = standIn(
      () => new Response(body, { status: 422, headers: { "content-type": "application/json", "x-own": "1" } }),
    );
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "openai/x", messages: [] }),
    });
    expect([response.status, await response.text(), response.headers.get("x-own")]).toEqual([422, body, "1"]);
  });
});

describe("errors have the client's shape", () => {
  test.each([
    ["no such model", "nope/nothing", 404, "model_not_found"],
    ["no credential", "anthropic/claude", 400, "no_credential"],
  ])("%s", async (_what, model, status, code) => {
    await using gateway = await startUnified({});
    const chat = await openai(gateway.origin)
      .chat.completions.create({ model, messages: [] })
      .catch((error: unknown) => error);
    expect(chat).toMatchObject({ status, code, type: "gateway_error" });
    const messages = await anthropic(gateway.origin)
      .messages.create({ model, max_tokens: 1, messages: [] })
      .catch((error: unknown) => error);
    expect(messages).toMatchObject({ status, error: { type: "error", error: { code } } });
  });

  test("an unknown path is a 404", async () => {
    await using gateway = await startUnified({});
    const response = await fetch(`${gateway.origin}/v1/files`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}` },
      body: "{}",
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "unknown_endpoint" } });
  });
});

test("the models are listed for every client", async () => {
  await using gateway = await startUnified({ credentials: [at("OPENAI", "http://127.0.0.1:1")] });
  const list = await openai(gateway.origin).models.list();
  expect(list.data.map(({ id }) => id)).toContain("openai/gpt-5-mini");
  const one = await fetch(`${gateway.origin}/v1/models/openai/gpt-5-mini`, { headers: { "x-api-key": KEY } });
  expect(await one.json()).toMatchObject({
    id: "openai/gpt-5-mini",
    object: "model",
    type: "model",
    context_length: 400_000,
    pricing: { prompt: "0.00000025" },
  });
});

test("a page of models is the requested one, or none", async () => {
  await using gateway = await startUnified({ credentials: [at("OPENAI", "http://127.0.0.1:1")] });
  const list = async (query: string) => {
    const response = await fetch(`${gateway.origin}/v1/models?${query}`, { headers: { "x-api-key": KEY } });
    return { status: response.status, json: (await response.json()) as Json };
  };
  const { json: first } = await list("limit=2");
  expect(first).toMatchObject({ has_more: true, first_id: first.data[0].id, last_id: first.data[1].id });
  const { json: second } = await list(`limit=5000&after_id=${encodeURIComponent(first.last_id)}`);
  expect(second.data.map(({ id }: { id: string }) => id)).not.toContain(first.last_id);
  for (const [query, param] of [
    ["limit=0", "limit"],
    ["limit=1.5", "limit"],
    ["limit=", "limit"],
    ["limit=2&after_id=nobody", "after_id"],
  ] as const)
    expect(await list(query)).toMatchObject({ status: 400, json: { error: { code: "invalid_body", param } } });
});

test("a key of some models is shown the routes that lead to one of them", async () => {
  await using gateway = await startUnified({
    credentials: [at("OPENAI", "http://127.0.0.1:1"), at("ANTHROPIC", "http://127.0.0.1:1")],
    routes: [route("mixed", ["openai/gpt-4o", "anthropic/claude-x"]), route("other", ["anthropic/claude-x"])],
  });
  const key = { id: "", name: "", organizationId: "org-1", models: ["openai/gpt-4o"], credentials: null };
  const listed = gateway.listModels(key);
  expect(listed.map(({ id }) => id)).toEqual(["mixed", "openai/gpt-4o"]);
  // What its only target supports, not what the other one does as well.
  expect(listed[0]!.supported_parameters).toEqual(listed[1]!.supported_parameters);
});

// The SDK's version 3 has `v1` by default.
test.each(["v1beta", "v1"])(
  "Google's SDK lists the models that it can reach, and describes one: %s",
  async (apiVersion) => {
    await using gateway = await startUnified({
      credentials: [at("OPENAI", "http://127.0.0.1:1"), at("GOOGLE", "http://127.0.0.1:1")],
      routes: [route("fast", ["openai/gpt-5-mini"])],
    });
    const google = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: gateway.origin, apiVersion } });
    const names: (string | undefined)[] = [];
    for await (const { name } of await google.models.list()) names.push(name);
    expect(names).toContain("models/gemini-2.5-flash");
    expect(names.filter((name) => /gpt|fast/.test(name ?? ""))).toEqual([]);
    expect(await google.models.get({ model: "gemini-2.5-flash" })).toMatchObject({
      name: "models/gemini-2.5-flash",
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedActions: ["generateContent", "countTokens"],
    });
    // Other clients read a list without Google's form.
    expect(await openai(gateway.origin).models.list()).not.toHaveProperty("body.models");
  },
);

test("the list of models names the parameter for the maximum output as the model takes it, and for a route as all of its targets do", async () => {
  await using gateway = await startUnified({
    credentials: [at("OPENAI", "http://127.0.0.1:1"), at("ANTHROPIC", "http://127.0.0.1:1")],
    routes: [
      route("small", ["openai/gpt-5-mini", "openai/gpt-4o"]),
      route("mixed", ["openai/gpt-5-mini", "anthropic/claude-sonnet-4-5"]),
      route("strange", ["openai/gpt-5-mini", "openai/nobody-knows"]),
    ],
  });
  const parametersOf = async (id: string) => {
    const response = await fetch(`${gateway.origin}/v1/models/${id}`, { headers: { "x-api-key": KEY } });
    return ((await response.json()) as { supported_parameters: readonly string[] | null }).supported_parameters;
  };
  const sampling = ["temperature", "top_p"];
  expect(await parametersOf("openai/gpt-5-mini")).toContain("max_completion_tokens");
  expect(await parametersOf("openai/gpt-5-mini")).not.toContain("max_tokens");
  expect(await parametersOf("anthropic/claude-sonnet-4-5")).toContain("max_tokens");
  expect(await parametersOf("small")).toContain("max_completion_tokens");
  expect(await parametersOf("small")).not.toEqual(expect.arrayContaining(sampling));
  expect(await parametersOf("mixed")).toEqual(expect.not.arrayContaining(["max_tokens", "max_completion_tokens"]));
  expect(await parametersOf("mixed")).toContain("tools");
  expect(await parametersOf("strange")).toBeNull();
});
