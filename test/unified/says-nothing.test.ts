import { expect, test } from "bun:test";
import { writeOutbound } from "../../src/unified/outbound.ts";

const write = (to: string, members: object) => {
  const body = { model: "m", messages: [{ role: "user", content: "hi" }], ...members };
  const written = writeOutbound({
    ...{ body: Buffer.from(JSON.stringify(body)), from: "chat-completions", changes: {}, routing: [], stream: false },
    ...{ call: { model: "m", facts: {}, issuer: "x" }, shapes: [{ shape: to as "messages" }], sameOnly: false },
    ...{ refuseLosses: true, hasState: false, hasInput: false, askUsage: false, states: {}, betas: [], without: [] },
  });
  if (written.kind !== "translated") throw new Error(JSON.stringify(written));
  return JSON.parse(Buffer.from(written.body).toString("utf8"));
};

const DEFAULTS = { n: 1, logprobs: false, top_logprobs: 0, presence_penalty: 0, frequency_penalty: 0 };
const SHAPES = ["messages", "converse", "cohere-chat", "ollama-chat", "generate-content", "responses"];

test.each(SHAPES)("members that say nothing are no loss towards %s, even where every loss is a refusal", (to) => {
  const unknown = { mcp_servers: [], safety_identifier: "", container: {} };
  const written = write(to, { ...DEFAULTS, ...unknown, tool_choice: "none", tools: [] });
  expect(JSON.stringify(written)).toContain("hi");
  expect(JSON.stringify(written)).not.toContain("tool");
});

test.each([
  ["no schema", undefined, { type: "object", properties: {} }],
  ["an empty one", {}, { type: "object", properties: {} }],
  ["no type", { properties: { a: { type: "string" } } }, { type: "object", properties: { a: { type: "string" } } }],
  ["a type", { type: "object", required: [] }, { type: "object", required: [] }],
])("a tool with %s is one of an object where the API wants to hear it", (_name, parameters, expected) => {
  const tools = [{ type: "function", function: { name: "f", parameters } }];
  expect(write("messages", { tools }).tools[0].input_schema).toEqual(expected);
  expect(write("converse", { tools }).toolConfig.tools[0].toolSpec.inputSchema.json).toEqual(expected);
});
