import { describe, expect, test } from "bun:test";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { ask, askClaude, called, chatToMessages, messagesToChat, send, user, weather } from "./translation.ts";

/** Requests that every API refuses: translated, the error names the client's member. */

const PROVIDERS = Object.keys(SHAPES).filter((name) => !["completions", "chat-completions", "messages"].includes(name));
const named = (name: string) => ({ type: "function", function: { name } });
const tool = (name: string): Json => ({
  ...named(name),
  function: { name, parameters: { type: "object", properties: {} } },
});
const refusals = (losses: readonly string[]) => losses.filter((loss) => loss.startsWith("refused"));

describe.each(["messages", ...PROVIDERS])("from chat completions to %s", (to) => {
  const refused = (body: Json) => refusals(send(ask(body), { from: "chat-completions", to }).losses);

  test.each<[string, Json, string]>([
    ["two tools with one name", { tools: [tool("a"), tool("b"), tool("a")] }, "refused tools[2]"],
    ["a choice of a tool that is not there", { tools: [tool("a")], tool_choice: named("b") }, "refused tool_choice"],
    ["a choice of one without tools", { tool_choice: named("b") }, "refused tool_choice"],
    ["a required call without tools", { tool_choice: "required" }, "refused tool_choice"],
    [
      "an allowed tool that is not there",
      {
        tools: [tool("a")],
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [named("a"), named("b")] } },
      },
      "refused tool_choice",
    ],
    [
      "a result without a call",
      { messages: [user("Hi"), { role: "tool", tool_call_id: "x", content: "1" }] },
      "refused messages[1]",
    ],
    ["a second result of one call", { messages: called(["a"], ["a", "a"]) }, "refused messages[3]"],
  ])("%s is refused by its path", (_what, body, wanted) => {
    expect(refused(body)).toContain(wanted);
  });

  test.each<[string, Json]>([
    ["auto without tools", { tool_choice: "auto" }],
    ["none without tools", { tool_choice: "none" }],
    ["a call without a result", { messages: called(["a", "b"], ["a"]) }],
    ["results in another order", { messages: called(["a", "b"], ["b", "a"]) }],
  ])("%s is not", (_what, body) => {
    expect(refused(body)).toEqual([]);
  });
});

test("a result in the wrong place is refused in every client's words", () => {
  const result = { type: "tool_result", tool_use_id: "x", content: "1" };
  const messages = [user("Hi"), { role: "assistant", content: "Yes?" }, user([result])];
  expect(refusals(send(askClaude({ messages }), messagesToChat).losses)).toEqual(["refused messages[2].content[0]"]);
  const input = [user("Hi"), { type: "function_call_output", call_id: "x", output: "1" }];
  expect(refusals(send({ model: "m", input }, { from: "responses", to: "messages" }).losses)).toEqual([
    "refused input[1]",
  ]);
});

describe("calls with one id", () => {
  const blocks = (body: Json, type: string): Json[] =>
    body.messages
      .flatMap(({ content }: Json) => (Array.isArray(content) ? content : []))
      .filter((each: Json) => each.type === type);

  test("in one turn they get two, and the results follow in order", () => {
    const { body, losses } = send(
      ask({ messages: called(["a", "a", "b"], ["a", "b", "a"]), tools: [weather] }),
      chatToMessages,
    );
    expect(losses).toEqual([]);
    const ids = blocks(body, "tool_use").map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect([ids[0], ids[2]]).toEqual(["a", "b"]);
    expect(blocks(body, "tool_result").map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
  });

  test("from turn to turn, as of providers that count from 0, each turn has its own", () => {
    const messages = [...called(["call_0"]), ...called(["call_0"]), ...called(["call_0"])];
    const { body, losses } = send(ask({ messages, tools: [weather] }), chatToMessages);
    expect(losses).toEqual([]);
    const ids = blocks(body, "tool_use").map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(blocks(body, "tool_result").map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
    // What is before a turn stays as it is, for the provider's cache.
    const shorter = send(ask({ messages: messages.slice(0, -3), tools: [weather] }), chatToMessages).body;
    expect(body.messages.slice(0, 4)).toEqual(shorter.messages.slice(0, 4));
  });

  test("a call that was interrupted does not take the result of a later one", () => {
    const messages = [...called(["a"], []), ...called(["a"])];
    const { body } = send(ask({ messages, tools: [weather] }), chatToMessages);
    const [, later] = blocks(body, "tool_use").map(({ id }) => id);
    expect(blocks(body, "tool_result").map(({ tool_use_id }) => tool_use_id)).toEqual([later]);
  });

  test("100,000 of them take no longer than as many others", () => {
    const one = { id: "a", type: "function", function: { name: "get_weather", arguments: "{}" } };
    const messages = [user("Hi"), { role: "assistant", tool_calls: Array<Json>(100_000).fill(one) }];
    const { body } = send(ask({ messages, tools: [weather] }), chatToMessages);
    expect(new Set(blocks(body, "tool_use").map(({ id }) => id)).size).toBe(100_000);
  });
});

describe("names of tools", () => {
  test("a client's own json_answer stays its own next to a schema", () => {
    const response_format = {
      type: "json_schema",
      json_schema: { name: "x", schema: { type: "object", properties: {} } },
    };
    const sent = send(ask({ tools: [tool("json_answer")], response_format }), chatToMessages);
    expect(sent.losses.filter((loss) => loss.startsWith("refused"))).toEqual([]);
    expect(sent.body.tools.map(({ name }: Json) => name)).toEqual(["json_answer", "json_answer_2"]);
    const responseWith = (name: string) =>
      sent.answer({
        content: [{ type: "tool_use", id: "a", name, input: { b: 1 } }],
        stop_reason: "tool_use",
        usage: {},
      }).choices[0].message;
    expect(responseWith("json_answer").tool_calls[0].function.name).toBe("json_answer");
    expect(responseWith("json_answer_2").content).toBe('{"b":1}');
  });

  const long = "x".repeat(80);
  const toResponses = { from: "responses", to: "messages" };
  test("a choice does not change what a tool is: custom, of a namespace", () => {
    const custom = send(
      { model: "m", input: "Hi", tools: [{ type: "custom", name: long }], tool_choice: { type: "custom", name: long } },
      { from: "responses", to: "chat-completions" },
    );
    const [{ function: declared }] = custom.body.tools;
    expect(custom.body.tool_choice.function.name).toBe(declared.name);
    const call = { id: "a", type: "function", function: { name: declared.name, arguments: '{"input":"ls"}' } };
    const { output } = custom.answer({
      choices: [{ index: 0, finish_reason: "tool_calls", message: { tool_calls: [call] } }],
    });
    expect(output[0]).toMatchObject({ type: "custom_tool_call", name: long, input: "ls" });

    const tools = [{ type: "namespace", name: "files", tools: [{ type: "function", name: "read" }] }];
    const choice = (members: Json) =>
      send({ model: "m", input: "Hi", tools, tool_choice: members }, toResponses).body.tool_choice;
    for (const more of [{}, { namespace: "files" }])
      expect(choice({ type: "function", name: "read", ...more })).toEqual({ type: "tool", name: "files__read" });
  });

  test("two tools that become one name at the target are refused", () => {
    const tools = [
      { type: "namespace", name: "a", tools: [{ type: "function", name: "b__c" }] },
      { type: "namespace", name: "a__b", tools: [{ type: "function", name: "c" }] },
    ];
    expect(refusals(send({ model: "m", input: "Hi", tools }, toResponses).losses)).toEqual([
      "refused tools[1].tools[0]",
    ]);
    expect(refusals(send({ model: "m", input: "Hi", tools }, { from: "responses", to: "responses" }).losses)).toEqual(
      [],
    );
  });
});

describe("a forced web search", () => {
  const tools = [{ type: "web_search_preview" }, { type: "function", name: "f" }];
  const forced = (to: string) =>
    send({ model: "m", input: "Hi", tools, tool_choice: { type: "web_search_preview" } }, { from: "responses", to });

  test("has the name that the API has for it", () => {
    expect(forced("messages").body.tool_choice).toEqual({ type: "tool", name: "web_search" });
    expect(forced("responses").body.tool_choice).toEqual({ type: "web_search" });
  });

  test("is approximated where it cannot be forced, and refused where there is none", () => {
    expect(forced("chat-completions").body.tool_choice).toBeUndefined();
    expect(forced("chat-completions").losses).toContain("approximated tool_choice");
    for (const to of ["converse", "cohere-chat", "ollama-chat", "generate-content"])
      expect(refusals(forced(to).losses)).toContain("refused tools[0]");
  });

  test("another hosted tool keeps its type at its own API", () => {
    const hosted = [
      { type: "file_search", vector_store_ids: ["v"] },
      { type: "function", name: "f" },
    ];
    const body = { model: "m", input: "Hi", tools: hosted, tool_choice: { type: "file_search" } };
    expect(send(body, { from: "responses", to: "responses" }).body.tool_choice).toEqual({ type: "file_search" });
  });
});
