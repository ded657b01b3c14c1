import { describe, expect, test } from "bun:test";
import { unpackState } from "../../../src/mapping/translate/state.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import {
  ask,
  askClaude,
  called,
  chatCall,
  chatChunk,
  chatToMessages,
  messagesToChat,
  messagesToResponses,
  send,
  user,
  weather,
} from "./translation.ts";

/** Places where gateways are known to break when they translate, each by its number. */

describe("turns", () => {
  test("quirk 7: all results of one turn's calls stand in one user turn, in the calls' order", () => {
    const { body } = send(
      ask({ messages: [...called(["a", "b", "c"], ["c", "a", "b"]), user("And?")], tools: [weather] }),
      chatToMessages,
    );
    expect(body.messages.map(({ role }: Json) => role)).toEqual(["user", "assistant", "user"]);
    expect(body.messages[2].content.map(({ type, tool_use_id }: Json) => tool_use_id ?? type)).toEqual([
      "a",
      "b",
      "c",
      "text",
    ]);
  });

  test("quirk 27: a system message in mid-conversation stays there, natively or as a marked text of the user", () => {
    const messages = [
      { role: "system", content: "A" },
      user("Hi"),
      { role: "assistant", content: "Yes" },
      { role: "system", content: "B" },
      user("Go"),
    ];
    const marked = send(ask({ messages }), chatToMessages).body;
    expect(marked.system).toEqual([{ type: "text", text: "A" }]);
    expect(marked.messages[2].content.map(({ text }: Json) => text)).toEqual(["<system>B</system>", "Go"]);
    const native = send(ask({ messages }), { ...chatToMessages, facts: { systemInPlace: true } }).body;
    expect(native.messages.map(({ role }: Json) => role)).toEqual(["user", "assistant", "system", "user"]);
  });

  test("quirk 28: an attribution line that changes with each request is left out", () => {
    const system = [
      { type: "text", text: "x-anthropic-billing-header: cc_version=1; cch=ab" },
      { type: "text", text: "Be kind." },
    ];
    expect(send(askClaude({ system }), messagesToChat).body.messages[0]).toEqual({
      role: "system",
      content: "Be kind.",
    });
  });

  test("quirk 42: empty text, and white space that a last assistant's turn ends with, are left out", () => {
    const messages = [
      user([
        { type: "text", text: "" },
        { type: "text", text: "Hi" },
      ]),
      { role: "assistant", content: "  " },
      user("Go"),
      { role: "assistant", content: "So: \n" },
    ];
    const { body } = send(ask({ messages }), chatToMessages);
    expect(body.messages).toEqual([
      user([
        { type: "text", text: "Hi" },
        { type: "text", text: "Go" },
      ]),
      { role: "assistant", content: "So:" },
    ]);
  });
});

describe("state", () => {
  const thought = (signature: string) => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm", signature },
      { type: "text", text: "Yes" },
    ],
  });
  const later = (signature: string) => askClaude({ messages: [user("Hi"), thought(signature), user("Go")] });

  test("quirk 10: an id that a target does not take becomes a hash of itself, in call and result alike", () => {
    const long = `call_${"x".repeat(900)}.sig/+=`;
    for (const to of ["messages", "chat-completions"]) {
      const { body } = send(ask({ messages: called([long]), tools: [weather] }), { from: "chat-completions", to });
      const id = to === "messages" ? body.messages[1].content[0].id : body.messages[1].tool_calls[0].id;
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
      expect(to === "messages" ? body.messages[2].content[0].tool_use_id : body.messages[2].tool_call_id).toBe(id);
    }
    const { body } = send(ask({ messages: called(["call_a"]), tools: [weather] }), chatToMessages);
    expect(body.messages[1].content[0].id).toBe("call_a");
  });

  test("quirks 9, 10: a signature of a call travels with the id, and returns to its issuer", () => {
    const signed = chatCall(0, {
      id: "call_a",
      type: "function",
      function: { name: "get_weather", arguments: "{}" },
      extra_content: { google: { thought_signature: "c2lnbmF0dXJl" } },
    });
    const way = { ...messagesToChat, issuer: "google" };
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const events = send(askClaude({ stream: true, thinking, max_tokens: 4096 }), way).stream([
      signed,
      chatChunk({}, "tool_calls"),
      "[DONE]",
    ]);
    const signature = events.find(({ delta }) => delta?.type === "signature_delta").delta.signature;
    expect(unpackState(signature)).toMatchObject({ issuer: "google", value: "c2lnbmF0dXJl" });
    const turn = [
      { type: "thinking", thinking: "", signature },
      { type: "tool_use", id: "call_a", name: "get_weather", input: {} },
    ];
    const next = askClaude({
      messages: [
        user("Hi"),
        { role: "assistant", content: turn },
        user([{ type: "tool_result", tool_use_id: "call_a", content: "7" }]),
      ],
    });
    expect(send(next, way).body.messages[1].tool_calls[0].extra_content.google.thought_signature).toBe("c2lnbmF0dXJl");
    expect(send(next, messagesToChat).body.messages[1].tool_calls[0].extra_content).toBeUndefined();
  });

  test("quirk 11: a thought's signature comes as signature_delta before its block stops", () => {
    const events = send(
      askClaude({ stream: true, thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 4096 }),
      messagesToResponses,
    ).stream([
      { type: "response.created", response: { id: "r", model: "m" } },
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm" },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "Hm" }],
          encrypted_content: "gAAA",
        },
      },
      {
        type: "response.completed",
        response: { id: "r", status: "completed", usage: { input_tokens: 1, output_tokens: 2 } },
      },
    ]);
    expect(events.map(({ type, delta }) => delta?.type ?? type)).toEqual([
      ...["message_start", "ping", "content_block_start", "thinking_delta", "signature_delta", "content_block_stop"],
      ...[undefined, "message_stop"].map((type) => type ?? "message_delta"),
    ]);
    const { signature } = events.find(({ delta }) => delta?.type === "signature_delta").delta;
    expect(unpackState(signature)).toMatchObject({ kind: "encrypted", value: "gAAA" });
  });

  test("quirk 12: state goes only to its issuer; elsewhere its loss is noted", () => {
    const packed = `weir1.acme.${Buffer.from('{"k":"signature","v":"own"}').toString("base64url")}`;
    const way = { from: "messages", to: "messages", issuer: "anthropic" };
    const elsewhere = send(later(packed), way);
    expect(JSON.stringify(elsewhere.body)).not.toContain("thinking");
    expect(elsewhere.losses).toEqual(["dropped messages[1].content[0]"]);
    expect(send(later(packed), { ...way, issuer: "acme" }).body.messages[1].content[0].signature).toBe("own");
    expect(send(later("c2ln"), way).body.messages[1].content[0].signature).toBe("c2ln");
  });

  test("quirk 13: an unsigned thought has an empty signature for the client, and is left out towards Anthropic", () => {
    const sent = send(
      askClaude({ thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 4096 }),
      messagesToChat,
    );
    const whole = {
      choices: [{ index: 0, finish_reason: "stop", message: { reasoning_content: "Hm", content: "Yes" } }],
    };
    expect(sent.answer(whole).content).toEqual([
      { type: "thinking", thinking: "Hm", signature: "" },
      { type: "text", text: "Yes" },
    ]);
    expect(send(later(""), { from: "messages", to: "messages", issuer: "anthropic" }).body.messages[1].content).toBe(
      "Yes",
    );
  });

  test("quirk 14: another maker's state is carried in encrypted_content, and taken out again", () => {
    const client = { model: "m", input: "Hi", store: false, include: ["reasoning.encrypted_content"] };
    const way = { from: "responses", to: "messages", issuer: "anthropic" };
    const response = send(client, way).answer({
      content: [
        { type: "thinking", thinking: "Hm", signature: "c2ln" },
        { type: "text", text: "Yes" },
      ],
      stop_reason: "end_turn",
      usage: {},
    });
    const [reasoning, message] = response.output;
    expect(reasoning).toMatchObject({ type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] });
    expect(reasoning.encrypted_content).toStartWith("weir1.anthropic.");
    const next = { ...client, input: [user("Hi"), reasoning, message, user("Go")] };
    expect(send(next, way).body.messages[1].content[0]).toEqual({
      type: "thinking",
      thinking: "Hm",
      signature: "c2ln",
    });
  });

  test("quirk 15: encrypted state goes only to the credential that issued it", () => {
    const item = (encrypted_content: string) => ({ type: "reasoning", id: "rs_1", summary: [], encrypted_content });
    const packed = `weir1.openai%3Aa.${Buffer.from('{"k":"encrypted","v":"gAAA","i":"rs_9"}').toString("base64url")}`;
    const way = { from: "responses", to: "responses" };
    const input = [user("Hi"), item(packed), { role: "assistant", content: "Yes" }, user("Go")];
    expect(send({ model: "m", input }, { ...way, issuer: "openai:a" }).body.input[1]).toEqual({
      ...item("gAAA"),
      id: "rs_9",
    });
    const other = send({ model: "m", input }, { ...way, issuer: "openai:b" });
    expect(JSON.stringify(other.body)).not.toContain("reasoning");
    expect(other.losses).toEqual(["dropped input[1]"]);
  });
});
