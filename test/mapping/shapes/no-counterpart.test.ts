import { describe, expect, test } from "bun:test";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { ask, askClaude, chatToMessages, messagesToChat, send, user, weather } from "./translation.ts";

/** Parts of a request that the target's API has no place for, or refuses. */

const PROVIDERS = ["chat-completions", "responses", "generate-content", "converse", "cohere-chat", "ollama-chat"];

describe("a client's own search for tools", () => {
  const look = { name: "look", input_schema: { type: "object", properties: {} } };
  const found = (content: Json) =>
    askClaude({
      tools: [look],
      messages: [
        user("Hi"),
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
        user([{ type: "tool_result", tool_use_id: "toolu_1", content }]),
      ],
    });
  const named = ["look", "find"].map((tool_name) => ({ type: "tool_reference", tool_name }));

  test.each(PROVIDERS)("its result names the tools in text towards %s, with a warning", (to) => {
    const { body, losses } = send(found(named), { from: "messages", to });
    const said = JSON.stringify(body).replaceAll("\\", "");
    for (const name of ["look", "find"]) expect(said).toContain(`<tool_reference name="${name}" />`);
    expect(losses).toEqual([0, 1].map((at) => `approximated messages[2].content[0].content[${at}]`));
  });

  test("it stays as it is towards Anthropic", () => {
    const { body, losses } = send(found(named), { from: "messages", to: "messages" });
    expect(body.messages[2].content[0].content).toEqual(named);
    expect(losses).toEqual([]);
  });
});

describe("a conversation that begins with the model", () => {
  const talk = (to: string, first: Json) =>
    send(ask({ messages: [{ role: "system", content: "Be brief." }, first, user("Hi")] }), {
      from: "chat-completions",
      to,
    });
  const said = { role: "assistant", content: "Welcome." };
  const called = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const cut = ask({
    messages: [
      { role: "assistant", content: null, tool_calls: [called] },
      { role: "tool", tool_call_id: "call_1", content: "seen" },
    ],
  });

  test("gets a turn of the user before it towards Converse, which refuses it otherwise", () => {
    const { body, losses } = talk("converse", said);
    expect(body.messages.map(({ role }: Json) => role)).toEqual(["user", "assistant", "user"]);
    expect(body.messages[0].content).toEqual([{ text: "(The conversation begins here.)" }]);
    expect(losses).toEqual(["approximated messages[1]"]);
  });

  test.each(["messages", "generate-content", "chat-completions", "responses", "cohere-chat", "ollama-chat"])(
    "is sent as it is towards %s",
    (to) => {
      const { body, losses } = talk(to, said);
      expect(JSON.stringify(body)).not.toContain("begins here");
      expect(losses).toEqual([]);
    },
  );

  test("gets one towards Gemini if it begins with a call", () => {
    const { body, losses } = send(cut, { from: "chat-completions", to: "generate-content" });
    expect(body.contents.map(({ role }: Json) => role)).toEqual(["user", "model", "user"]);
    expect(losses).toEqual(["approximated messages[0]"]);
  });
});

describe("empty texts", () => {
  const body = askClaude({
    messages: [
      user([
        { type: "text", text: "" },
        { type: "text", text: "mark" },
      ]),
    ],
  });
  /** Anthropic, Bedrock and Gemini refuse an empty text; the others take it. */
  const REFUSED = ["messages", "converse", "generate-content"];

  test.each(Object.keys(SHAPES).filter((name) => PROVIDERS.includes(name) || name === "messages"))(
    "are left out for %s only if it refuses them",
    (to) => {
      const sent = JSON.stringify(send(body, { from: "messages", to }).body);
      expect(sent).toContain("mark");
      const isKept = /"text":""|"\\nmark"/.test(sent);
      expect(isKept).toBe(!REFUSED.includes(to));
    },
  );

  const png = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" };
  const blank = { type: "input_text", text: " " };
  const resultOf = (output: Json) => ({
    model: "m",
    input: [
      { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output },
    ],
    tools: [{ type: "function", name: "look" }],
  });
  const contentOf = (to: string, output: Json) => {
    const [result] = send(resultOf(output), { from: "responses", to }).body.messages.at(-1).content;
    return to === "messages" ? result.content : result.toolResult.content;
  };

  test("are left out of results too", () => {
    expect(contentOf("messages", [blank, png])).toMatchObject([{ type: "image" }]);
    expect(contentOf("messages", [blank, blank])).toBeUndefined();
    expect(contentOf("messages", [blank, { type: "input_text", text: "mark" }])).toBe("mark");
    expect(contentOf("converse", [blank, png])).toMatchObject([{ image: { format: "png" } }]);
    expect(contentOf("converse", [blank])).toEqual([{ text: "(empty)" }]);
  });

  test("of later system messages are not marked", () => {
    const later = { role: "system", content: [{ type: "text", text: " " }] };
    const sent = send(ask({ messages: [user("Hi"), later, user("Go")] }), chatToMessages).body.messages;
    expect(sent).toEqual([
      user([
        { type: "text", text: "Hi" },
        { type: "text", text: "Go" },
      ]),
    ]);
  });
});

describe("web search", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const facts = { rejects: ["web_search_options"] };
  const look = { name: "look", input_schema: { type: "object", properties: {} } };

  test("is requested if nothing is known about the model", () => {
    const { body, losses } = send(askClaude({ tools: [look, search] }), messagesToChat);
    expect(body.web_search_options).toEqual({});
    expect(losses).toEqual([]);
  });

  test("is dropped with a warning if the model has none", () => {
    const { body, losses } = send(askClaude({ tools: [look, search] }), { ...messagesToChat, facts });
    expect(body).not.toHaveProperty("web_search_options");
    expect(losses).toEqual(["dropped tools[1]"]);
  });

  test("is refused if it is the only tool", () => {
    expect(send(askClaude({ tools: [search] }), { ...messagesToChat, facts }).losses).toEqual(["refused tools[0]"]);
  });

  test("is dropped in Messages if the model has none there", () => {
    const body = ask({ tools: [weather], web_search_options: {} });
    expect(send(body, chatToMessages).body.tools[1].name).toBe("web_search");
    const { body: sent, losses } = send(body, { ...chatToMessages, facts: { rejects: ["web_search"] } });
    expect(sent.tools).toHaveLength(1);
    expect(losses).toEqual(["dropped web_search_options"]);
  });

  test("is another member in Responses", () => {
    const { body, losses } = send(askClaude({ tools: [look, search] }), { from: "messages", to: "responses", facts });
    expect(body.tools[1]).toEqual({ type: "web_search" });
    expect(losses).toEqual([]);
  });
});
