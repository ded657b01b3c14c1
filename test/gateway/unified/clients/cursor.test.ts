import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { chatCompletions } from "../../../../src/mapping/wire/chat-completions/schema.ts";
import type { Json } from "../../../../src/plugin-host/contract.ts";
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

/** What Cursor's agent sends: an OpenAI client's chat, in which tools and turns may have the form of another API. */

const SCHEMA = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const CALLED = {
  content: [
    { type: "text", text: "I look." },
    { type: "tool_use", id: "toolu_1", name: "look", input: { path: "a" } },
    { type: "tool_use", id: "toolu_2", name: "find", input: {} },
  ],
  stop_reason: "tool_use",
};
const OF_RESPONSES = {
  id: "resp_1",
  status: "completed",
  output: [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
    { type: "function_call", call_id: "call_9", name: "look", arguments: '{"path":"b"}' },
  ],
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
};

const provider = standIn(({ path, json: body }) => {
  const isFirst = !JSON.stringify(body).includes("toolu_1");
  if (path.endsWith("/responses")) return json(OF_RESPONSES);
  if (path.endsWith("/chat/completions")) return json(chatResponse("done"));
  if (body.stream === true) return events(messagesEvents("done"));
  return json({ ...messagesResponse("done"), ...(isFirst && body.tools !== undefined && CALLED) });
});
let it: Awaited<ReturnType<typeof startUnified>>;

beforeAll(async () => {
  it = await startUnified({
    credentials: [
      at("ANTHROPIC", provider.origin),
      at("OPENAI", provider.origin),
      at("CUSTOM", provider.origin, { settings: { shape: "chat-completions" } }),
    ],
  });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const CLAUDE = "anthropic/claude-sonnet-4-5";
const user = { role: "user", content: "go" };

/** @returns the client's response, and the provider's request. */
async function ask(body: object) {
  provider.received.length = 0;
  const response = await fetch(`${it.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const sent = provider.received[0];
  return { status: response.status, text, warning: response.headers.get("gateway-warning"), sent };
}

describe("a chat request with tools of another form", () => {
  const tool = (name: string, parameters: object) => ({ type: "function", function: { name, parameters } });
  const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });

  test("flat, as Responses has them: names and schemas are kept over two turns", async () => {
    const patch = { id: "c3", type: "custom", custom: { name: "patch", input: "*** Begin" } };
    const results = ["c1", "c2", "c3"].map((id) => ({ role: "tool", tool_call_id: id, content: "ok" }));
    const assistant = { role: "assistant", content: null, tool_calls: [call("c1", "look"), call("c2", "find"), patch] };
    const tools = [
      tool("look", SCHEMA),
      { type: "function", name: "find", description: "Finds.", parameters: SCHEMA },
      { type: "custom", name: "patch", description: "Patches.", format: { type: "text" } },
    ];
    const first = await ask({ model: CLAUDE, messages: [user], tools });
    const second = await ask({ model: CLAUDE, messages: [user, assistant, ...results], tools });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.sent!.json.tools).toMatchObject([
      { name: "look", input_schema: SCHEMA },
      { name: "find", description: "Finds.", input_schema: SCHEMA },
      { name: "patch", input_schema: { properties: { input: { type: "string" } }, required: ["input"] } },
    ]);
    expect(second.sent!.json.tools).toEqual(first.sent!.json.tools);
    expect(second.sent!.json.messages[1].content).toMatchObject([
      { type: "tool_use", id: "c1", name: "look", input: {} },
      { type: "tool_use", id: "c2", name: "find", input: {} },
      { type: "tool_use", id: "c3", name: "patch", input: { input: "*** Begin" } },
    ]);
  });

  const OF_ANTHROPIC = [
    { name: "look", description: "Looks.", input_schema: SCHEMA, cache_control: { type: "ephemeral" } },
    { type: "custom", name: "find", input_schema: SCHEMA },
    tool("done", SCHEMA),
  ];
  test("of Anthropic's form, with its blocks as the second turn: means the same as a chat request", async () => {
    const { status, text, sent, warning } = await ask({ model: CLAUDE, messages: [user], tools: OF_ANTHROPIC });
    expect([status, warning]).toEqual([200, null]);
    expect(sent!.json.tools).toMatchObject([
      { name: "look", description: "Looks.", input_schema: SCHEMA, cache_control: { type: "ephemeral" } },
      { name: "find", input_schema: SCHEMA },
      { name: "done", input_schema: SCHEMA },
    ]);
    const { message, finish_reason } = (JSON.parse(text) as Json).choices[0];
    expect([finish_reason, message.tool_calls.map(({ id }: Json) => id)]).toEqual([
      "tool_calls",
      ["toolu_1", "toolu_2"],
    ]);

    const results = [
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "A" }] },
      { type: "tool_result", tool_use_id: "toolu_2", content: "B", is_error: true },
      { type: "text", text: "and now?" },
    ];
    const messages = [user, { role: "assistant", content: CALLED.content }, { role: "user", content: results }];
    const choice = { type: "any", disable_parallel_tool_use: true };
    const again = await ask({ model: CLAUDE, messages, tools: OF_ANTHROPIC, tool_choice: choice });
    expect([again.status, again.warning]).toEqual([200, null]);
    expect(again.sent!.json.tool_choice).toEqual(choice);
    expect(again.sent!.json.messages.slice(1)).toMatchObject([
      { role: "assistant", content: CALLED.content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "A" },
          { type: "tool_result", tool_use_id: "toolu_2", content: "B", is_error: true },
          { type: "text", text: "and now?" },
        ],
      },
    ]);
  });

  test("of Anthropic's form reach Responses as functions", async () => {
    const choice = { type: "tool", name: "look" };
    const body = { model: "openai/gpt-5.5", messages: [user], tools: OF_ANTHROPIC, tool_choice: choice };
    const { status, sent } = await ask(body);
    expect([status, sent!.path]).toEqual([200, "/v1/responses"]);
    expect(sent!.json.tools.map(({ type, name, parameters }: Json) => [type, name, parameters])).toEqual(
      ["look", "find", "done"].map((name) => ["function", name, SCHEMA]),
    );
    expect(sent!.json.tool_choice).toEqual({ type: "function", name: "look" });
  });

  test("that are none of these are refused by their path", async () => {
    const { status, text } = await ask({ model: CLAUDE, messages: [user], tools: [{ description: "what?" }] });
    expect([status, (JSON.parse(text) as Json).error.param]).toEqual([400, "tools[0]"]);
  });
});

describe("a chat request with the input of Responses", () => {
  const TOOLS = [
    { type: "function", name: "look", description: "Looks.", parameters: SCHEMA, strict: false },
    { type: "function", name: "find", parameters: SCHEMA },
  ];
  const START = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: "go" }] },
  ];
  const requestOf = (model: string, more: object = {}) => ({
    model,
    input: START,
    tools: TOOLS,
    tool_choice: "auto",
    ...more,
  });
  const TURNS: readonly (readonly [string, readonly Json[]])[] = [
    [
      "items",
      [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
        { type: "function_call", call_id: "toolu_1", name: "look", arguments: '{"path":"a"}' },
        { type: "function_call", call_id: "toolu_2", name: "find", arguments: "{}" },
        { type: "function_call_output", call_id: "toolu_1", output: "A" },
        { type: "function_call_output", call_id: "toolu_2", output: "B" },
      ],
    ],
    [
      "messages of chat",
      [
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [
            { id: "toolu_1", type: "function", function: { name: "look", arguments: '{"path":"a"}' } },
            { id: "toolu_2", type: "function", function: { name: "find", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "toolu_1", content: "A" },
        { role: "tool", tool_call_id: "toolu_2", content: "B" },
      ],
    ],
    [
      "blocks of Anthropic's",
      [
        { role: "assistant", content: CALLED.content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "A" },
            { type: "tool_result", tool_use_id: "toolu_2", content: "B" },
          ],
        },
      ],
    ],
  ];

  test.each(TURNS)("gets a chat response, and a second turn with calls as %s", async (_form, turn) => {
    const first = await ask(requestOf(CLAUDE));
    expect([first.status, first.warning]).toEqual([200, null]);
    expect(first.sent!.json).toMatchObject({
      system: [{ type: "text", text: "Be brief." }],
      messages: [user],
      tools: [
        { name: "look", description: "Looks.", input_schema: SCHEMA },
        { name: "find", input_schema: SCHEMA },
      ],
      tool_choice: { type: "auto" },
    });
    const response: Json = JSON.parse(first.text);
    expect([response.object, response.choices[0].finish_reason]).toEqual(["chat.completion", "tool_calls"]);

    const second = await ask(requestOf(CLAUDE, { input: [...START, ...turn] }));
    expect([second.status, second.warning]).toEqual([200, null]);
    expect(second.sent!.json.messages.slice(1)).toMatchObject([
      { role: "assistant", content: CALLED.content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "A" },
          { type: "tool_result", tool_use_id: "toolu_2", content: "B" },
        ],
      },
    ]);
    expect((JSON.parse(second.text) as Json).choices[0].message.content).toBe("done");
  });

  test("and a stream gets chunks of chat, which OpenAI's SDK reads, with the usage that it requested", async () => {
    const client = new OpenAI({ baseURL: `${it.origin}/v1`, apiKey: KEY, maxRetries: 0 });
    const more = { stream: true, stream_options: { include_usage: true }, instructions: "Be kind.", max_tokens: 50 };
    const stream = (await client.chat.completions.create(
      requestOf(CLAUDE, more) as never,
    )) as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>;
    let text = "";
    let total: number | undefined;
    for await (const chunk of stream) {
      expect(chunk.object).toBe("chat.completion.chunk");
      text += chunk.choices[0]?.delta.content ?? "";
      total = chunk.usage?.total_tokens ?? total;
    }
    expect([text, total]).toEqual(["done", 8]);
    const { json: sent } = provider.received.at(-1)!;
    expect([sent.max_tokens, sent.stream]).toEqual([50, true]);
    expect(sent.system.map(({ text }: Json) => text)).toEqual(["Be kind.", "Be brief."]);
  });

  test("is sent as Responses to a provider with it, and the response is one of chat", async () => {
    const more = { reasoning: { effort: "low" }, text: { verbosity: "low" }, max_output_tokens: 50 };
    const { status, sent, text, warning } = await ask(requestOf("openai/gpt-5.5", more));
    expect([status, warning, sent!.path]).toEqual([200, null, "/v1/responses"]);
    expect(sent!.json).toMatchObject({ ...more, instructions: "Be brief.", store: false });
    const { message, finish_reason } = (JSON.parse(text) as Json).choices[0];
    expect([message.content, finish_reason]).toEqual(["done", "tool_calls"]);
    expect(message.tool_calls[0]).toMatchObject({
      id: "call_9",
      function: { name: "look", arguments: '{"path":"b"}' },
    });
  });

  test("is written as messages for a provider that has only chat, and what chat lacks is named", async () => {
    const more = { max_output_tokens: 50, truncation: "auto", reasoning: { effort: "low" } };
    const { status, sent, text, warning } = await ask(requestOf("custom/m", more));
    expect([status, warning, sent!.path]).toEqual([200, "dropped truncation", "/v1/chat/completions"]);
    expect(sent!.json).toMatchObject({
      messages: [{ role: "system", content: "Be brief." }, user],
      tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }, { type: "function" }],
      max_tokens: 50,
      reasoning_effort: "low",
    });
    expect(sent!.json).not.toHaveProperty("input");
    expect((JSON.parse(text) as Json).choices[0].message.content).toBe("done");
  });

  test("is recorded with its conversation", () => {
    const { llmRequest, promptText } = chatCompletions;
    const body = requestOf(CLAUDE, { input: [...START, ...TURNS[0]![1]] });
    expect(llmRequest(body).messages?.map(({ role }) => role)).toContain("tool");
    expect([promptText(requestOf(CLAUDE)), promptText({ messages: [user] })]).toEqual(["go", "go"]);
  });

  test("passes unchanged where the client forbids every mapping", async () => {
    const body = requestOf("custom/m");
    await fetch(`${it.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "Gateway-Body-Mapping": "NO_MAPPING" },
      body: JSON.stringify(body),
    });
    expect(provider.received.at(-1)!.json).toEqual({ ...body, model: "m" });
  });

  test.each([
    ["input is neither a text nor a list", { input: 5 }, "messages"],
    ["an item has no form", { input: [user, 7] }, "input[1]"],
    ["a message between items has no role", { input: [user, { role: "robot", tool_calls: [] }] }, "input[1].role"],
    ["neither is there", {}, "messages"],
  ])("is a 400 with a path when %s", async (_what, body, param) => {
    const { status, text } = await ask({ model: CLAUDE, ...body });
    expect([status, (JSON.parse(text) as Json).error.param]).toEqual([400, param]);
  });
});
