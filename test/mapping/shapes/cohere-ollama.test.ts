import { describe, expect, test } from "bun:test";
import type { Json, ModelFacts } from "../../../src/plugin-host/contract.ts";
import { send } from "./translation.ts";

const said = { role: "user", content: "Hi" };
const tool = (name: string, more = {}) => ({
  type: "function",
  function: { name, parameters: { type: "object" }, ...more },
});
const to =
  (name: string) =>
  (body: Json, facts: ModelFacts = {}) =>
    send({ messages: [said], ...body }, { from: "chat-completions", to: name, facts });
const cohere = to("cohere-chat");
const ollama = to("ollama-chat");
const schema = { type: "object", properties: { a: { type: "string" } } };
const response_format = { type: "json_schema", json_schema: { name: "r", schema } };

const calls = {
  tools: [tool("f")],
  messages: [
    { role: "system", content: "S" },
    said,
    {
      role: "assistant",
      content: "So",
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "" } }],
    },
    {
      role: "tool",
      tool_call_id: "c1",
      content: [
        { type: "text", text: "ok" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } },
      ],
    },
    { role: "system", content: "Later" },
  ],
};

describe("cohere-chat", () => {
  test.each<[string, Json, Json]>([
    [
      "settings have Cohere's names",
      {
        max_tokens: 9,
        temperature: 0.3,
        top_p: 0.5,
        top_k: 3,
        stop: ["x"],
        seed: 7,
        presence_penalty: 1,
        frequency_penalty: 0.5,
        logprobs: true,
      },
      {
        max_tokens: 9,
        temperature: 0.3,
        p: 0.5,
        k: 3,
        stop_sequences: ["x"],
        seed: 7,
        presence_penalty: 1,
        frequency_penalty: 0.5,
        logprobs: true,
      },
    ],
    ["a JSON object", { response_format: { type: "json_object" } }, { response_format: { type: "json_object" } }],
    ["a schema", { response_format }, { response_format: { type: "json_object", json_schema: schema } }],
    ["a forced tool", { tools: [tool("f")], tool_choice: "required" }, { tools: [tool("f")], tool_choice: "REQUIRED" }],
    ["no tool", { tools: [tool("f")], tool_choice: "none" }, { tools: [tool("f")], tool_choice: "NONE" }],
    ["strict tools", { tools: [tool("f", { strict: true })] }, { tools: [tool("f")], strict_tools: true }],
    ["thinking off", { reasoning_effort: "none" }, { thinking: { type: "disabled" } }],
    [
      "thinking",
      { reasoning_effort: "medium", max_tokens: 10_000 },
      { max_tokens: 10_000, thinking: { type: "enabled", token_budget: 5000 } },
    ],
  ])("%s", (_name, body, expected) => {
    const { body: written, losses } = cohere(body);
    expect(written).toEqual({ model: "m", messages: [said], ...expected, stream: false });
    expect(losses).toEqual([]);
  });

  test("values beyond its ranges are the nearest within, with a warning", () => {
    const { body, losses } = cohere({ top_p: 1, presence_penalty: -1, frequency_penalty: 1.5 });
    expect(body).toMatchObject({ p: 0.99, presence_penalty: 0, frequency_penalty: 1 });
    expect(losses).toEqual(["approximated top_p", "approximated presence_penalty", "approximated frequency_penalty"]);
  });

  test.each<[string, Json, readonly string[]]>([
    [
      "one tool: the others are left out",
      { tools: [tool("f"), tool("g")], tool_choice: { type: "function", function: { name: "g" } } },
      ["approximated tool_choice"],
    ],
    ["strict for some", { tools: [tool("f", { strict: true }), tool("g")] }, ["dropped tools[0].function.strict"]],
    ["top_logprobs", { logprobs: true, top_logprobs: 2 }, ["dropped top_logprobs"]],
    [
      "logit_bias, user, verbosity",
      { logit_bias: { 1: 1 }, user: "u", verbosity: "low" },
      ["dropped logit_bias", "dropped user", "dropped verbosity"],
    ],
    ["n", { n: 2 }, ["refused n"]],
    [
      "a PDF",
      {
        messages: [
          { role: "user", content: [{ type: "file", file: { file_data: "data:application/pdf;base64,JVBE" } }] },
        ],
      },
      ["refused messages[0].content[0]"],
    ],
    [
      "sound",
      {
        messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "UklG", format: "wav" } }] }],
      },
      ["refused messages[0].content[0]"],
    ],
  ])("%s", (_name, body, expected) => {
    expect(cohere(body).losses.map((loss) => loss.replace(/tools\[0\]\.strict/, "tools[0].function.strict"))).toEqual([
      ...expected,
    ]);
  });

  test("quirk 40: calls, results, pictures after them, system texts in place", () => {
    expect(cohere(calls).body.messages).toEqual([
      { role: "system", content: "S" },
      said,
      {
        role: "assistant",
        content: "So",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "ok" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }] },
      { role: "system", content: "Later" },
    ]);
  });

  test("a response is read: plan, text, sources, calls, counts", () => {
    const response = cohere({}).answer({
      id: "a1",
      message: {
        role: "assistant",
        tool_plan: "Look",
        content: [{ type: "text", text: "Hello" }],
        citations: [
          {
            start: 0,
            end: 5,
            text: "Hello",
            sources: [{ type: "document", document: { url: "https://a.test", title: "A" } }],
          },
        ],
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
      finish_reason: "COMPLETE",
      usage: { tokens: { input_tokens: 5, output_tokens: 2 } },
    });
    expect(response.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Hello",
        reasoning_content: "Look",
        annotations: [{ type: "url_citation", url_citation: { url: "https://a.test", start_index: 0, end_index: 5 } }],
        tool_calls: [{ id: "c1", function: { name: "f", arguments: '{"a":1}' } }],
      },
    });
    expect(response.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 });
  });

  test.each([
    [{ error: "broken", finish_reason: "ERROR" }, "broken"],
    [{ finish_reason: "ERROR" }, "the provider reported that the generation failed"],
    [{ finish_reason: "TIMEOUT" }, "the provider reported that the generation took too long"],
  ])("an error that ends a stream is one: %j", (delta, message) => {
    const content = { message: { content: { text: "Hi" } } };
    const sent = cohere({ stream: true }).stream([
      { type: "message-start", id: "a" },
      { type: "content-delta", index: 0, delta: content },
      { type: "message-end", delta },
    ]);
    expect(sent.at(-1).error).toMatchObject({ message });
  });
});

describe("ollama-chat", () => {
  test.each<[string, Json, Json]>([
    [
      "settings are options",
      {
        max_tokens: 9,
        temperature: 0.3,
        top_p: 0.5,
        top_k: 3,
        stop: ["x"],
        seed: 7,
        presence_penalty: 1,
        frequency_penalty: 0.5,
      },
      {
        options: {
          num_predict: 9,
          temperature: 0.3,
          top_p: 0.5,
          top_k: 3,
          stop: ["x"],
          seed: 7,
          presence_penalty: 1,
          frequency_penalty: 0.5,
        },
      },
    ],
    ["a JSON object", { response_format: { type: "json_object" } }, { format: "json" }],
    ["a schema", { response_format }, { format: schema }],
    ["thinking", { reasoning_effort: "high" }, { think: true }],
    ["thinking off", { reasoning_effort: "none" }, { think: false }],
    [
      "pictures",
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }] },
        ],
      },
      { messages: [{ role: "user", content: "", images: ["iVBO"] }] },
    ],
  ])("%s", (_name, body, expected) => {
    const { body: written, losses } = ollama(body);
    expect(written).toEqual({ model: "m", messages: [said], ...expected, stream: false });
    expect(losses).toEqual([]);
  });

  test.each<[string, Json, readonly string[]]>([
    ["no tool", { tools: [tool("f")], tool_choice: "none" }, ["approximated tool_choice"]],
    ["any tool", { tools: [tool("f")], tool_choice: "required" }, ["approximated tool_choice"]],
    ["logprobs", { logprobs: true }, ["refused logprobs"]],
    ["n", { n: 2 }, ["refused n"]],
    ["logit_bias", { logit_bias: { 1: 1 } }, ["dropped logit_bias"]],
    [
      "an address that was not fetched",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://x.test/a.png" } }] }] },
      ["refused messages[0].content[0]"],
    ],
  ])("%s", (_name, body, expected) => {
    expect(ollama(body).losses).toEqual([...expected]);
  });

  test("quirks 3, 40, 43: arguments are an object, results have their tool's name, pictures come after", () => {
    expect(ollama(calls).body.messages).toEqual([
      { role: "system", content: "S" },
      said,
      {
        role: "assistant",
        content: "So",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: {} } }],
      },
      { role: "tool", content: "ok", tool_name: "f", tool_call_id: "c1" },
      { role: "user", content: "", images: ["iVBO"] },
      { role: "system", content: "Later" },
    ]);
  });

  test("quirks 4, 6: whole calls in lines are calls, though Ollama says stop", () => {
    const call = (name: string) => ({ function: { name, arguments: { a: 1 } } });
    const sent = ollama({ stream: true }).stream([
      {
        model: "m",
        created_at: "t",
        message: { role: "assistant", content: "", tool_calls: [call("f"), call("f")] },
        done: false,
      },
      {
        model: "m",
        message: { role: "assistant", content: "" },
        done: true,
        done_reason: "stop",
        prompt_eval_count: 3,
        eval_count: 2,
      },
    ]);
    const deltas = sent.flatMap((chunk) => chunk.choices?.[0]?.delta.tool_calls ?? []);
    const begun = deltas.filter(({ id }: Json) => id !== undefined);
    expect(begun.map(({ index }: Json) => index)).toEqual([0, 1]);
    expect(new Set(begun.map(({ id }: Json) => id)).size).toBe(2);
    expect(sent.find((chunk) => chunk.choices?.[0]?.finish_reason)?.choices[0].finish_reason).toBe("tool_calls");
  });

  test("text after reasoning and after calls arrives", () => {
    const message = (members: Json) => ({ model: "m", message: { role: "assistant", content: "", ...members } });
    const call = { function: { name: "f", arguments: {} } };
    const chunks = ollama({}).stream([
      message({ content: "One " }),
      message({ thinking: "Hm." }),
      message({ content: "two" }),
      message({ tool_calls: [call] }),
      message({ content: " three." }),
      { ...message({}), done: true, done_reason: "stop" },
    ]);
    const deltas = chunks.flatMap(({ choices }) => choices ?? []).map(({ delta }) => delta);
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe("One two three.");
    expect(deltas.map(({ reasoning_content: text }) => text ?? "").join("")).toBe("Hm.");
    expect(deltas.flatMap(({ tool_calls: calls }) => calls ?? [])).toMatchObject([
      { index: 0, function: { name: "f" } },
      { index: 0, function: { arguments: "{}" } },
    ]);
  });

  test("an error in a line is one", () => {
    const sent = ollama({ stream: true }).stream([{ error: "model runner has unexpectedly stopped" }]);
    expect(sent.at(-1).error).toMatchObject({ message: "model runner has unexpectedly stopped" });
  });
});
