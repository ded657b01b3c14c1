import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { responsesGrammar } from "./grammar.ts";
import {
  ask,
  askClaude,
  chatCall,
  chatChunk,
  chatToMessages,
  messagesToChat,
  messagesToResponses,
  responsesToChat,
  send,
  user,
} from "./translation.ts";

/** Places where gateways are known to break when they translate, each by its number. */

describe("tools", () => {
  test("members of a tool that only its own API has are kept there, and dropped elsewhere", () => {
    const own = { defer_loading: true, input_examples: [{ city: "Rome" }], eager_input_streaming: true };
    const tool = { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} }, ...own };
    const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }], tools: [tool] };
    const again = send(body, { from: "messages", to: "messages" });
    expect(again.body.tools).toEqual([tool]);
    expect(again.losses).toEqual([]);
    const elsewhere = send(body, messagesToChat);
    expect(Object.keys(elsewhere.body.tools[0].function)).toEqual(["name", "description", "parameters"]);
    expect(elsewhere.losses.toSorted()).toEqual(
      ["defer_loading", "input_examples"].map((name) => `dropped tools[0].${name}`),
    );
  });

  test("quirk 37: a custom tool is sent as a function with one text, and returned with its raw input", () => {
    const tool = {
      type: "custom",
      name: "apply_patch",
      description: "Patches.",
      format: { type: "grammar", syntax: "lark", definition: "start: x" },
    };
    const history = [
      { type: "custom_tool_call", call_id: "a", name: "apply_patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "a", output: "ok" },
    ];
    const sent = send(
      { model: "m", input: [user("Hi"), ...history, user("Go")], tools: [tool], stream: true },
      responsesToChat,
    );
    expect(sent.body.tools[0].function).toMatchObject({
      name: "apply_patch",
      description: "Patches.\n\nThe input must follow this lark grammar:\nstart: x",
      parameters: { required: ["input"] },
    });
    expect(sent.body.messages[1].tool_calls[0].function.arguments).toBe('{"input":"*** Begin"}');
    const call = {
      id: "b",
      type: "function",
      function: { name: "apply_patch", arguments: JSON.stringify({ input: 'x = "1"\n' }) },
    };
    const whole = sent.answer({ choices: [{ message: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
    expect(whole.output[0]).toMatchObject({
      type: "custom_tool_call",
      call_id: "b",
      name: "apply_patch",
      input: 'x = "1"\n',
    });
    const events = sent.stream([
      chatCall(0, { ...call, function: { name: "apply_patch", arguments: '{"input":"x = ' } }),
      chatCall(0, { function: { arguments: '\\"1\\"\\n"}' } }),
      chatChunk({}, "tool_calls"),
      "[DONE]",
    ]);
    expect(responsesGrammar(events.map((data) => ({ event: data.type, data })))).toBeUndefined();
    expect(events.at(-1).response.output[0]).toMatchObject({ type: "custom_tool_call", input: 'x = "1"\n' });
  });

  test("quirk 38: tools of a namespace are flattened, and returned with namespace and name", () => {
    const tools = [
      {
        type: "namespace",
        name: "mcp__docs",
        description: "Docs",
        tools: [{ type: "function", name: "search", parameters: { type: "object" } }],
      },
    ];
    const history = [
      { type: "function_call", call_id: "a", namespace: "mcp__docs", name: "search", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "7" },
    ];
    const sent = send({ model: "m", input: [user("Hi"), ...history], tools }, responsesToChat);
    expect(sent.body.tools[0].function.name).toBe("mcp__docs__search");
    expect(sent.body.messages[1].tool_calls[0].function.name).toBe("mcp__docs__search");
    const call = { id: "b", type: "function", function: { name: "mcp__docs__search", arguments: "{}" } };
    expect(sent.answer({ choices: [{ message: { tool_calls: [call] } }] }).output[0]).toMatchObject({
      type: "function_call",
      namespace: "mcp__docs",
      name: "search",
    });
    const events = sent.stream([chatCall(0, call), chatChunk({}, "tool_calls"), "[DONE]"]);
    const called = { type: "function_call", namespace: "mcp__docs", name: "search", call_id: "b" };
    for (const type of ["response.output_item.added", "response.output_item.done"])
      expect(events.find((each) => each.type === type).item).toMatchObject(called);
    expect(events.at(-1).response.output[0]).toMatchObject({ ...called, arguments: "{}" });
    expect(
      send({ model: "m", input: "Hi", tools }, { from: "responses", to: "responses" }).body.tools[0],
    ).toMatchObject({ type: "namespace", name: "mcp__docs" });
  });

  test("quirk 39: a name that is too long or has dots is shortened with a hash, and restored", () => {
    for (const name of ["server.tool.with.dots", `mcp__${"long_".repeat(20)}name`]) {
      const tool = { type: "function", function: { name, parameters: { type: "object" } } };
      const sent = send(ask({ tools: [tool], tool_choice: { type: "function", function: { name } } }), {
        from: "chat-completions",
        to: "responses",
      });
      const short = sent.body.tools[0].name;
      expect(short).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(short).toMatch(/_[0-9a-f]{8}$/);
      expect(sent.body.tool_choice.name).toBe(short);
      const response = sent.answer({
        output: [{ type: "function_call", call_id: "a", name: short, arguments: "{}" }],
        status: "completed",
      });
      expect(response.choices[0].message.tool_calls[0].function.name).toBe(name);
    }
  });

  test("quirk 40: images in results stand there natively, else in a user turn right after all results", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const results = [
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "See" }, image] },
      { type: "tool_result", tool_use_id: "b", content: "2" },
    ];
    const uses = ["a", "b"].map((id) => ({ type: "tool_use", id, name: "get_weather", input: {} }));
    const body = askClaude({ messages: [user("Hi"), { role: "assistant", content: uses }, user(results)] });
    const chat = send(body, messagesToChat).body.messages;
    expect(chat.map(({ role }: Json) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(chat[4].content[0].image_url.url).toBe("data:image/png;base64,AAAA");
    expect(send(body, messagesToResponses).body.input[3].output[1]).toMatchObject({
      type: "input_image",
      image_url: "data:image/png;base64,AAAA",
    });
  });

  test("quirk 41: files are mapped; what cannot be said is refused by its path", () => {
    const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } };
    const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    const { body, losses } = send(ask({ messages: [user([file, audio])] }), chatToMessages);
    expect(body.messages[0].content[0]).toEqual({
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
      title: "a.pdf",
    });
    expect(losses).toEqual(["refused messages[0].content[1]"]);
    expect(
      send(ask({ messages: [user([{ type: "file", file: { file_id: "file-1" } }])] }), chatToMessages).losses,
    ).toEqual(["refused messages[0].content[0]"]);
  });
});

describe("tools that only their own provider runs", () => {
  const search = { type: "web_search" };
  const files = { type: "file_search", vector_store_ids: ["v"] };
  const own = { type: "function", name: "f", parameters: { type: "object" } };
  test.each([
    ["one alone", [files], {}, ["refused tools[0]"]],
    ["several, and no other", [files, search], {}, ["refused tools[0]", "refused tools[1]"]],
    ["several with a function", [files, own, search], {}, ["dropped tools[0]", "dropped tools[2]"]],
    [
      "several, where the function is not allowed",
      [files, own],
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [files] } },
      ["refused tools[0]"],
    ],
    ["a chosen one with a function", [own, search], { tool_choice: search }, ["refused tools[1]"]],
  ])("%s", (_what, tools, more, expected) => {
    const body = { model: "m", input: "Hi", tools, ...more };
    const { losses } = send(body, { from: "responses", to: "converse" });
    expect(losses.filter((loss) => / tools\[/.test(loss))).toEqual(expected);
  });
});
