import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import OpenAI from "openai";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../../chance.ts";
import { responsesGrammar } from "../../../mapping/shapes/grammar.ts";
import { route, target } from "../../../routing/things.ts";
import {
  at,
  chatResponse,
  events,
  json,
  KEY,
  messagesEvents,
  messagesResponse,
  type Respond,
  standIn,
  startUnified,
} from "../house.ts";

/** Places where gateways are known to break, each by its number, with whole requests. */

const post = (origin: string, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${origin}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const tool = (name: string, parameters: object = { type: "object", properties: {} }) => ({
  type: "function",
  function: { name, parameters },
});
const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });
const user = { role: "user", content: "go" };
const called = [
  user,
  { role: "assistant", content: null, tool_calls: [call("c1", "look"), call("c2", "find")] },
  { role: "tool", tool_call_id: "c2", content: '{"type":"object","properties":{"$ref":"x"}}' },
  { role: "tool", tool_call_id: "c1", content: "one" },
];
const gemini = (parts: readonly Json[], finishReason = "STOP") => ({
  candidates: [{ content: { role: "model", parts }, finishReason }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
});

describe("what is sent", () => {
  test("quirk 8: a history with calls and no tools gets a tool that nothing calls, at Bedrock", async () => {
    await using provider = standIn(() =>
      json({
        output: { message: { role: "assistant", content: [{ text: "hi" }] } },
        stopReason: "end_turn",
        usage: { inputTokens: 1, outputTokens: 1 },
      }),
    );
    await using gateway = await startUnified({
      credentials: [at("AWS", provider.origin, { settings: { region: "eu-central-1" } })],
    });
    const response = await post(gateway.origin, "chat/completions", {
      model: "aws/amazon.nova-lite-v1:0",
      messages: called,
    });
    expect(response.status).toBe(200);
    const { toolConfig, messages } = provider.received[0]!.json;
    expect(toolConfig.tools.map(({ toolSpec }: Json) => toolSpec.name)).toEqual(["no_tools_available"]);
    expect(messages[2].content.map(({ toolResult }: Json) => toolResult.toolUseId)).toEqual(["c1", "c2"]);
  });

  test.each([
    [{ tools: [tool("look")] }, "/v1/responses"],
    [{ tools: [tool("look")], reasoning_effort: "high" }, "/v1/responses"],
    [{ tools: [tool("look")], reasoning_effort: "none" }, "/v1/chat/completions"],
    [{ functions: [{ name: "look", parameters: {} }] }, "/v1/responses"],
    [{ tools: [] }, "/v1/chat/completions"],
    [{ reasoning_effort: "high" }, "/v1/chat/completions"],
  ])("quirk 16: function tools of a newer OpenAI model go out as Responses: %j", async (more, path) => {
    await using provider = standIn(({ path }) =>
      path === "/v1/responses"
        ? json({
            id: "r",
            status: "completed",
            output: [{ type: "function_call", call_id: "c", name: "look", arguments: "{}" }],
          })
        : json(chatResponse("hi")),
    );
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    const response = await post(gateway.origin, "chat/completions", {
      model: "openai/gpt-5.5",
      messages: [user],
      ...more,
    });
    expect([response.status, provider.received[0]!.path]).toEqual([200, path]);
    const { choices } = await response.json();
    expect(choices[0].finish_reason).toBe(
      path === "/v1/responses" ? ("functions" in more ? "function_call" : "tool_calls") : "stop",
    );
  });

  test.each([
    ["gemini-3-flash", "parametersJsonSchema", null],
    ["gemini-2.0-flash", "parameters", "approximated tools[0].parameters"],
  ])("quirk 22: %s gets a schema as it takes it", async (model, member, warning) => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        a: { $ref: "#/$defs/A" },
        b: { const: 1 },
        c: { type: ["string", "null"] },
        d: { type: "number", exclusiveMinimum: 0 },
      },
      additionalProperties: false,
      $defs: { A: { type: "string" } },
    };
    await using provider = standIn(() => json(gemini([{ text: "hi" }])));
    await using gateway = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
    const body = { model: `google/${model}`, messages: [user], tools: [tool("look", schema)] };
    const response = await post(gateway.origin, "chat/completions", body);
    expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, warning]);
    const [declared] = provider.received[0]!.json.tools[0].functionDeclarations;
    expect(Object.keys(declared)).toContain(member);
    if (warning === null) expect(declared[member]).toEqual(schema);
    else
      expect(JSON.stringify(declared)).not.toMatch(
        /"(?:\$ref|\$schema|\$defs|const|additionalProperties|exclusiveMinimum)":/,
      );
  });

  test("quirks 23 and 43: results are opaque text, under the name of their call and its id", async () => {
    await using provider = standIn(() => json(gemini([{ text: "hi" }])));
    await using gateway = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
    const tools = [tool("look"), tool("find")];
    await post(gateway.origin, "chat/completions", { model: "google/gemini-3-flash", messages: called, tools });
    expect(provider.received[0]!.json.contents[2].parts).toEqual([
      { functionResponse: { id: "c1", name: "look", response: { output: "one" } } },
      { functionResponse: { id: "c2", name: "find", response: { output: called[2]!.content } } },
    ]);
  });
});

describe("the response", () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    data: {
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "g",
      choices: [{ index: 0, delta, finish_reason }],
    },
  });
  const STREAMS: readonly (readonly [string, string, Respond])[] = [
    [
      "GROQ",
      "groq/m",
      () =>
        events([
          chunk({ reasoning_content: "hm" }),
          chunk({ content: "hi" }),
          chunk({ tool_calls: [{ index: 0, ...call("c", "look") }] }),
          chunk({}, "tool_calls"),
          "[DONE]",
        ]),
    ],
    ["ANTHROPIC", "anthropic/claude-opus-5", () => events(messagesEvents("hi"))],
    [
      "GOOGLE",
      "google/gemini-3-flash",
      () =>
        events([
          {
            data: gemini([{ text: "hm", thought: true }, { text: "hi" }, { functionCall: { name: "look", args: {} } }]),
          },
        ]),
    ],
  ];
  // Groq speaks Responses itself: a chat-only provider is called in its own shape.
  test.each(STREAMS)(
    "quirk 35: a stream of %s has the whole grammar of Responses",
    async (provider, model, respond) => {
      await using upstream = standIn(respond);
      const more = provider === "GROQ" ? { settings: { shape: "chat-completions" } } : {};
      const credential = at(provider === "GROQ" ? "CUSTOM" : provider, upstream.origin, more);
      await using gateway = await startUnified({ credentials: [credential] });
      const response = await post(gateway.origin, "responses", {
        model: provider === "GROQ" ? "custom/m" : model,
        input: "go",
        stream: true,
        reasoning: { effort: "low" },
      });
      const text = await response.text();
      const sent = text
        .split("\n\n")
        .filter(Boolean)
        .map((block) => {
          const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block)!;
          return { event: event!, data: JSON.parse(data!) };
        });
      expect(responsesGrammar(sent)).toBeUndefined();
      expect(sent.at(-1)!.data.response.output.map(({ type }: Json) => type)).toContain("message");
    },
  );

  test.each([false, true])(
    "quirk 44: a call that Google could not read is a failed attempt (stream: %p)",
    async (stream) => {
      const malformed = gemini([], "MALFORMED_FUNCTION_CALL");
      await using broken = standIn(() => (stream ? events([{ data: malformed }]) : json(malformed)));
      await using works = standIn(() => (stream ? events(messagesEvents("good")) : json(messagesResponse("good"))));
      await using gateway = await startUnified({
        credentials: [at("GOOGLE", broken.origin), at("ANTHROPIC", works.origin)],
      });
      const body = { messages: [user], stream };
      const alone = await post(gateway.origin, "chat/completions", { model: "google/gemini-3-flash", ...body });
      expect(alone.status).toBe(502);
      expect((await alone.json()).error.code).toBe("upstream_malformed");
      const both = await post(gateway.origin, "chat/completions", {
        model: "google/gemini-3-flash,anthropic/claude-opus-5",
        ...body,
      });
      expect([both.status, both.headers.get("gateway-attempts")]).toEqual([200, "2"]);
      expect((await both.text()).match(/good|"content":"g"/)).not.toBeNull();
      const id = both.headers.get("gateway-id")!;
      await gateway.spool.ended(id);
      const failed = [...gateway.spool.exchanges.values()].filter(({ begin }) => begin.attemptOf === id);
      expect(failed.map(({ end }) => end!.status)).toEqual([502]);
    },
  );

  test.each([
    [
      "OPENAI",
      400,
      { error: { message: "Too long.", type: "invalid_request_error", code: "context_length_exceeded" } },
    ],
    [
      "ANTHROPIC",
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      },
    ],
    [
      "GOOGLE",
      400,
      {
        error: {
          code: 400,
          message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    ["AWS", 400, { message: "Input is too long for requested model." }],
    ["COHERE", 400, { message: "too many tokens: total number of tokens in the prompt exceeds the limit" }],
    [
      "TOGETHER",
      422,
      { error: { message: "This model's maximum context length is 8193 tokens.", type: "invalid_request_error" } },
    ],
  ])("quirk 47: coding tools know that a prompt is too long for %s", async (name, status, body) => {
    await using provider = standIn(() => json(body, status));
    const settings = { settings: { region: "eu-central-1" } };
    await using gateway = await startUnified({
      credentials: [at(name, provider.origin, name === "AWS" ? settings : {})],
    });
    const model = `${name.toLowerCase()}/${name === "AWS" ? "amazon.nova-lite-v1:0" : name === "GOOGLE" ? "gemini-3-flash" : "m"}`;
    const messages = await post(gateway.origin, "messages", { model, max_tokens: 100, messages: [user] });
    expect([messages.status, (await messages.json()).error.message]).toEqual([
      status,
      expect.stringMatching(/^prompt is too long/),
    ]);
    const responses = await post(gateway.origin, "responses", { model, input: "go" });
    const { error } = await responses.json();
    expect([responses.status, error.code]).toEqual([status, "context_length_exceeded"]);
  });
});

describe("quirk 45: counts", () => {
  test("are the provider's, with system text and tools, and never a completion", async () => {
    await using provider = standIn(() => json({ input_tokens: 42 }));
    await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
    const body = {
      model: "anthropic/m",
      system: "s",
      messages: [user],
      tools: [{ name: "look", input_schema: { type: "object" } }],
    };
    expect(await (await post(gateway.origin, "messages/count_tokens", body)).json()).toEqual({ input_tokens: 42 });
    expect(provider.received.map(({ path }) => path)).toEqual(["/v1/messages/count_tokens"]);
    expect(provider.received[0]!.json).toEqual({ ...body, model: "m" });
  });

  test("without a provider are not below what a tokenizer counts, of prose, code, numbers and any script", async () => {
    await using provider = standIn(() => json({}));
    await using gateway = await startUnified({ credentials: [at("TOGETHER", provider.origin)] });
    const words = fc.constantFrom(
      "1 2 3 4 ",
      '{"a":1,"b":[2,{}]}',
      "if (x) { y[0] = z; }\n",
      "日本語 ",
      "Hello there, ",
      "\t\t!!??",
      "é😀",
    );
    const texts = fc.array(words, { minLength: 1, maxLength: 60 }).map((list) => list.join(""));
    await assertProperty(
      fc.asyncProperty(texts, texts, async (system, content) => {
        const tools = [{ name: "look", description: content, input_schema: { type: "object" } }];
        const body = { model: "together/m", system, messages: [{ role: "user", content }], tools };
        const { input_tokens } = await (await post(gateway.origin, "messages/count_tokens", body)).json();
        const actual = [system, content, JSON.stringify(tools)].reduce((sum, text) => sum + countTokens(text), 0);
        expect(input_tokens).toBeGreaterThanOrEqual(actual);
        expect(input_tokens).toBeLessThan(actual * 3 + 20);
      }),
      { numRuns: 30 },
    );
    expect(provider.received).toEqual([]);
  });
});

test("quirk 46: one list of models serves every client", async () => {
  await using gateway = await startUnified({
    credentials: ["OPENAI", "ANTHROPIC"].map((name) => at(name, "http://127.0.0.1:1")),
  });
  const { origin } = gateway;
  const openai = await new OpenAI({ baseURL: `${origin}/v1`, apiKey: KEY }).models.list();
  expect(openai.data[0]).toMatchObject({
    object: "model",
    id: expect.any(String),
    owned_by: expect.any(String),
  });
  const anthropic = await new Anthropic({ baseURL: origin, authToken: KEY, apiKey: null }).models.list({ limit: 5 });
  expect(anthropic.data).toHaveLength(5);
  expect(anthropic.data[0]).toMatchObject({
    type: "model",
    display_name: expect.any(String),
  });
  // What is not known of a model is null, for every client.
  const [first] = openai.data;
  const members = "context_length created created_at display_name id input_modalities lifecycle max_input_tokens";
  const others = "max_output_tokens max_tokens object owned_by pricing supported_parameters type";
  expect(Object.keys(first!).sort().join(" ")).toBe(`${members} ${others}`);
  const claude = openai.data.find(({ id }) => id === "anthropic/claude-opus-4-7");
  expect(claude).toMatchObject({ max_input_tokens: expect.any(Number), max_tokens: 128_000 });
  expect(first).toMatchObject({ created: null, created_at: null });
  let pages = 0;
  for await (const { id } of anthropic) if (id !== "" && ++pages > 12) break;
  expect(pages).toBe(13);
  // Claude Code keeps ids that begin so; Codex asks with its version.
  expect(openai.data.some(({ id }) => /^(?:claude|anthropic)/.test(id))).toBe(true);
  const codex = await fetch(`${origin}/v1/models?client_version=0.63.0`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  expect((await codex.json()).models).toEqual([]);
});

test("quirk 50: requests of one session stay with one target and one credential, others spread", async () => {
  await using one = standIn(() => json(chatResponse("hi")));
  await using two = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({
    credentials: [
      at("GROQ", one.origin, { name: "groq-1" }),
      at("GROQ", one.origin, { name: "groq-2" }),
      at("TOGETHER", two.origin),
    ],
    routes: [route("r", [target("groq/m"), target("together/m")], { strategy: "weighted" })],
  });
  const seen = new Map<string, Set<string>>();
  for (const session of [...Array(16).keys()].map(String)) {
    for (const named of [
      { "gateway-session-id": session },
      { "x-claude-code-session-id": session },
      { session_id: session },
    ]) {
      const response = await post(gateway.origin, "chat/completions", { model: "r", messages: [user] }, named);
      await response.text();
      const { head, begin } = await gateway.spool.ended(response.headers.get("gateway-id")!);
      const { credential } = (begin.routing ?? head!.routing)!;
      seen.set(session, (seen.get(session) ?? new Set()).add(credential!));
    }
  }
  expect([...seen.values()].map(({ size }) => size)).toEqual(Array(16).fill(1));
  expect(new Set([...seen.values()].flatMap((set) => [...set]))).toEqual(new Set(["groq-1", "groq-2", "together"]));
});

test("quirk 51: a locked credential is passed over, and alone it is a 503 that says so", async () => {
  await using provider = standIn(() => json(chatResponse("hi")));
  const locked = at("OPENAI", provider.origin, { name: "old", secrets: undefined as never });
  await using gateway = await startUnified({ credentials: [locked, at("GROQ", provider.origin)] });
  const alone = await post(gateway.origin, "chat/completions", { model: "openai/m", messages: [user] });
  expect([alone.status, (await alone.json()).error.code]).toEqual([503, "credential_locked"]);
  // Weir could not serve it: an error, not a refusal of the request.
  expect((await gateway.spool.ended(alone.headers.get("gateway-id")!)).end).toMatchObject({ outcome: "failed" });
  expect(provider.received).toEqual([]);
  const both = await post(gateway.origin, "chat/completions", { model: "openai/m,groq/m", messages: [user] });
  expect([both.status, both.headers.get("gateway-provider")]).toEqual([200, "GROQ"]);
});
