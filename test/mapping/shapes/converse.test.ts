import { describe, expect, test } from "bun:test";
import aws from "../../../providers/aws.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json, ModelFacts } from "../../../src/plugin-host/contract.ts";
import { send } from "./translation.ts";

const shape = SHAPES["converse"]!;
const said = { role: "user", content: "Hi" };
const chat = (body: Json, facts: ModelFacts = {}) =>
  send({ messages: [said], ...body }, { from: "chat-completions", to: "converse", facts });
const anthropic = (body: Json, facts: ModelFacts = {}) =>
  send(
    { messages: [said], max_tokens: 100, ...body },
    { from: "messages", to: "converse", facts, issuer: "anthropic" },
  );
const tool = (name: string, more = {}) => ({
  type: "function",
  function: { name, parameters: { type: "object" }, ...more },
});

describe("members of a request", () => {
  test.each<[string, Json, Json]>([
    [
      "what inferenceConfig has",
      { max_completion_tokens: 9, temperature: 0.5, top_p: 0.5, stop: ["x"] },
      { inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.5, stopSequences: ["x"] } },
    ],
    ["top_k is the model's own", { top_k: 4 }, { additionalModelRequestFields: { top_k: 4 } }],
    [
      "tools",
      { tools: [tool("f", { description: "d", strict: true })], tool_choice: "required" },
      {
        toolConfig: {
          tools: [
            {
              toolSpec: {
                name: "f",
                description: "d",
                inputSchema: { json: { type: "object", additionalProperties: false } },
                strict: true,
              },
            },
          ],
          toolChoice: { any: {} },
        },
      },
    ],
  ])("%s", (_name, body, expected) => {
    const { body: written, losses } = chat(body);
    expect(written).toEqual({ messages: [{ role: "user", content: [{ text: "Hi" }] }], ...expected });
    expect(losses).toEqual([]);
  });

  test.each<[string, Json, readonly string[]]>([
    ["seed", { seed: 1 }, ["dropped seed"]],
    [
      "penalties",
      { presence_penalty: 1, frequency_penalty: 1 },
      ["dropped presence_penalty", "dropped frequency_penalty"],
    ],
    ["logit_bias", { logit_bias: { 1: 1 } }, ["dropped logit_bias"]],
    ["n", { n: 2 }, ["refused n"]],
    ["logprobs", { logprobs: true, top_logprobs: 1 }, ["refused logprobs", "refused top_logprobs"]],
    ["verbosity", { verbosity: "low" }, ["dropped verbosity"]],
    ["user", { user: "u" }, ["dropped user"]],
    ["metadata", { metadata: { a: "b" } }, ["dropped metadata"]],
    ["a JSON object", { response_format: { type: "json_object" } }, ["approximated response_format"]],
    ["no tool", { tools: [tool("f")], tool_choice: "none" }, ["approximated tool_choice"]],
    ["one call at a time", { tools: [tool("f")], parallel_tool_calls: false }, ["dropped parallel_tool_calls"]],
    ["search", { tools: [tool("f")], web_search_options: {} }, ["dropped web_search_options"]],
    ["an effort that no fact knows", { reasoning_effort: "low" }, ["dropped reasoning_effort"]],
  ])("%s", (_name, body, expected) => {
    expect(chat(body).losses).toEqual(expected);
  });

  test("the effort has the form in the model's facts", () => {
    const nova = aws.models.flatMap((entry) =>
      "match" in entry && entry.match === "*amazon.nova-2*" ? [entry] : [],
    )[0]!;
    const { body, losses } = chat({ reasoning_effort: "low" }, nova);
    expect(body.additionalModelRequestFields).toEqual({
      reasoningConfig: { type: "enabled", maxReasoningEffort: "low" },
    });
    expect(losses).toEqual([]);
    expect(chat({ reasoning_effort: "none" }, nova).body.additionalModelRequestFields).toBeUndefined();
  });

  test("quirk 24: a schema goes by the model's own way, else by one tool", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const response_format = { type: "json_schema", json_schema: { name: "r", schema } };
    expect(chat({ response_format }, { jsonSchema: true }).body.outputConfig).toEqual({
      textFormat: { type: "json_schema", structure: { jsonSchema: { name: "r", schema: JSON.stringify(schema) } } },
    });
    const byTool = chat({ response_format });
    expect(byTool.body.toolConfig.toolChoice).toEqual({ tool: { name: "json_answer" } });
    const input = { a: "x" };
    const response = byTool.answer({
      output: {
        message: { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "json_answer", input } }] },
      },
      stopReason: "tool_use",
    });
    expect(response.choices[0].message.content).toBe('{"a":"x"}');
    expect(response.choices[0].finish_reason).toBe("stop");
  });

  test("quirk 25: marks become cache points after their part, and a lifetime goes where it is known", () => {
    const cache_control = { type: "ephemeral", ttl: "1h" };
    const request = {
      system: [{ type: "text", text: "S", cache_control }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] }],
      tools: [{ name: "f", input_schema: { type: "object" }, cache_control }],
    };
    const { body } = anthropic(request);
    const point = { cachePoint: { type: "default" } };
    expect(body.system).toEqual([{ text: "S" }, point]);
    expect(body.messages[0].content).toEqual([{ text: "Hi" }, point]);
    expect(body.toolConfig.tools[1]).toEqual(point);
    const prompt = SHAPES["messages"]!.readRequest!({ max_tokens: 9, ...request });
    const claude = shape.writeRequest(prompt, { model: "us.anthropic.claude-x", facts: {}, issuer: "anthropic" }).body;
    expect(claude.system[1]).toEqual({ cachePoint: { type: "default", ttl: "1h" } });
  });

  test("quirks 26 and 42: no marks that were not requested, no empty text", () => {
    const { body } = anthropic({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: " " },
            { type: "text", text: "Hi" },
          ],
        },
        { role: "assistant", content: "So " },
      ],
    });
    expect(body.messages).toEqual([
      { role: "user", content: [{ text: "Hi" }] },
      { role: "assistant", content: [{ text: "So" }] },
    ]);
  });
});

describe("content", () => {
  test("quirk 41: documents have valid names, each once, and a text with them", () => {
    const file = (filename: string) => ({
      type: "file",
      file: { filename, file_data: "data:application/pdf;base64,JVBE" },
    });
    const { body, losses } = chat({
      messages: [{ role: "user", content: [file("a_b.pdf"), file("a_b.pdf"), file("名")] }],
    });
    expect(body.messages[0].content).toEqual([
      { document: { format: "pdf", name: "a-b-pdf", source: { bytes: "JVBE" } } },
      { document: { format: "pdf", name: "a-b-pdf (2)", source: { bytes: "JVBE" } } },
      { document: { format: "pdf", name: "-", source: { bytes: "JVBE" } } },
      { text: "(See the document.)" },
    ]);
    expect(losses).toEqual(["approximated messages[0].content[0]"]);
  });

  test("pictures are bytes of a known form", () => {
    const image = (url: string) => ({ role: "user", content: [{ type: "image_url", image_url: { url } }] });
    expect(chat({ messages: [image("data:image/jpg;base64,AAAA")] }).body.messages[0].content).toEqual([
      { image: { format: "jpeg", source: { bytes: "AAAA" } } },
    ]);
    expect(chat({ messages: [image("data:image/tiff;base64,AAAA")] }).losses).toEqual([
      "refused messages[0].content[0]",
    ]);
    expect(chat({ messages: [image("https://x.test/a.png")] }).losses).toEqual(["refused messages[0].content[0]"]);
  });

  const history = {
    messages: [
      said,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm", signature: "sig" },
          { type: "redacted_thinking", data: "cmVk" },
          { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
          { type: "tool_use", id: "t2", name: "f", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t2", content: [], is_error: true },
          {
            type: "tool_result",
            tool_use_id: "t1",
            content: [
              { type: "text", text: "ok" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            ],
          },
        ],
      },
    ],
  };

  test("quirks 7, 8, 40: results in one turn, pictures inside, a tool that nothing calls", () => {
    const { body } = anthropic(history);
    expect(body.messages[2]).toEqual({
      role: "user",
      content: [
        {
          toolResult: {
            toolUseId: "t1",
            content: [{ text: "ok" }, { image: { format: "png", source: { bytes: "iVBO" } } }],
          },
        },
        { toolResult: { toolUseId: "t2", content: [{ text: "(empty)" }], status: "error" } },
      ],
    });
    expect(body.toolConfig.tools).toHaveLength(1);
    expect(body.toolConfig.tools[0].toolSpec.name).toBe("no_tools_available");
  });

  test("reasoning goes back to its issuer as it came, and to no one else", () => {
    expect(anthropic(history).body.messages[1].content.slice(0, 2)).toEqual([
      { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } },
      { reasoningContent: { redactedContent: "cmVk" } },
    ]);
    const elsewhere = send({ max_tokens: 9, ...history }, { from: "messages", to: "converse", issuer: "aws" });
    expect(elsewhere.body.messages[1].content.map((block: Json) => Object.keys(block)[0])).toEqual([
      "toolUse",
      "toolUse",
    ]);
  });
});
