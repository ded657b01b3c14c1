import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { toLlmSchema } from "../../src/mapping/to-llm-schema.ts";
import type { Json, WireSchemaName } from "../../src/plugin-host/contract.ts";
import { LlmSchema } from "../../src/record/llm-schema.ts";

const claude = (...content: Json[]) => ({ type: "message", role: "assistant", content });
const gpt = (...output: Json[]) => ({ object: "response", output });
const gemini = (...parts: Json[]) => ({ candidates: [{ content: { role: "model", parts } }] });

const HOSTED: readonly (readonly [string, WireSchemaName, Json, Json])[] = [
  [
    "Anthropic's search",
    "messages",
    claude({ type: "server_tool_use", id: "s1", name: "web_search", input: { query: "weather" } }),
    { type: "server_tool_use", name: "web_search", content: "weather", id: "s1" },
  ],
  [
    "what Anthropic's search found",
    "messages",
    claude({ type: "web_search_tool_result", tool_use_id: "s1", content: [{ url: "https://a.test" }] }),
    { type: "web_search_tool_result", content: '[{"url":"https://a.test"}]', id: "s1" },
  ],
  [
    "Anthropic's code",
    "messages",
    claude({ type: "server_tool_use", id: "s2", name: "code_execution", input: { code: "1+1" } }),
    { type: "server_tool_use", name: "code_execution", content: "1+1", id: "s2" },
  ],
  [
    "Anthropic's call of an MCP server",
    "messages",
    claude({ type: "mcp_tool_use", id: "m1", name: "echo", server_name: "x", input: { a: 1 } }),
    { type: "mcp_tool_use", name: "echo", content: '{"a":1}', id: "m1" },
  ],
  [
    "OpenAI's search",
    "responses",
    gpt({ type: "web_search_call", id: "w1", status: "completed", action: { type: "search", query: "weather" } }),
    { type: "web_search_call", content: "weather", id: "w1" },
  ],
  [
    "OpenAI's search of files",
    "responses",
    gpt({ type: "file_search_call", id: "f1", queries: ["a", "b"], results: null }),
    { type: "file_search_call", content: '["a","b"]', id: "f1" },
  ],
  [
    "OpenAI's code",
    "responses",
    gpt({ type: "code_interpreter_call", id: "c1", code: "1+1", outputs: null }),
    { type: "code_interpreter_call", content: "1+1", id: "c1" },
  ],
  [
    "OpenAI's call of an MCP server",
    "responses",
    gpt({ type: "mcp_call", id: "m1", name: "echo", arguments: '{"a":1}', output: "1" }),
    { type: "mcp_call", name: "echo", content: '{"a":1}', id: "m1" },
  ],
  [
    "Gemini's code",
    "generate-content",
    gemini({ executableCode: { code: "1+1" } }),
    { type: "executable_code", content: "1+1" },
  ],
  [
    "what came of Gemini's code",
    "generate-content",
    gemini({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }),
    { type: "code_execution_result", content: "2" },
  ],
];

const readCalls = (wireSchema: WireSchemaName, responseBody: Json) => {
  const schema = toLlmSchema({
    wireSchema,
    provider: "P",
    model: "m",
    path: "/",
    requestBody: {},
    responseBody,
    status: 200,
    mapping: undefined,
  });
  expect(Value.Check(LlmSchema, schema)).toBe(true);
  return [...(schema?.response.messages ?? []), ...(schema?.response.responses ?? [])];
};

test.each(HOSTED)("%s is shown, and is no call", (_name, wireSchema, response, shown) => {
  const said: Json[] = readCalls(wireSchema, response);
  expect(said.flatMap(({ tool_calls = [] }) => tool_calls)).toEqual([]);
  expect(said.flatMap(({ contentArray = [] }) => contentArray)).toEqual([expect.objectContaining(shown)]);
});

test.each<[string, WireSchemaName, Json]>([
  ["Anthropic", "messages", claude({ type: "tool_use", id: "t", name: "f", input: {} })],
  ["OpenAI", "responses", gpt({ type: "function_call", call_id: "t", name: "f", arguments: "{}" })],
  ["Gemini", "generate-content", gemini({ functionCall: { name: "f", args: {} } })],
])("a call that the client executes is a client tool: %s", (_name, wireSchema, response) => {
  const said: Json[] = readCalls(wireSchema, response);
  expect(said.flatMap(({ tool_calls = [] }) => tool_calls)).toEqual([expect.objectContaining({ name: "f" })]);
});
