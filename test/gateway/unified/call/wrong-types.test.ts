import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

/** A member of a wrong type would be lost in a translation: it is a 400 that names the member, and no provider is called. */

const provider = standIn(({ path }) => json(path.endsWith("/messages") ? messagesResponse("hi") : chatResponse("hi")));
let it: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  it = await startUnified({
    credentials: [
      at("ANTHROPIC", provider.origin),
      at("CUSTOM", provider.origin, { settings: { shape: "chat-completions" } }),
    ],
  });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const FUNCTION = { name: "look", description: "looks", parameters: { type: "object" }, strict: null };
const BODIES: Readonly<Record<string, Json>> = {
  "chat/completions": {
    model: "anthropic/claude-sonnet-4-5",
    stream: false,
    stream_options: null,
    messages: [
      { role: "user", content: "a", name: "ann" },
      {
        role: "assistant",
        content: null,
        refusal: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "r" },
    ],
    tools: [{ type: "function", function: FUNCTION }],
  },
  responses: {
    model: "anthropic/claude-sonnet-4-5",
    instructions: "s",
    input: [
      { role: "user", content: [{ type: "input_text", text: "a" }] },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "r" },
    ],
    tools: [{ type: "function", ...FUNCTION }],
    text: null,
    include: [],
  },
  messages: {
    model: "custom/m",
    max_tokens: 500,
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "r", is_error: false }] },
    ],
    tools: [{ name: "look", description: "looks", input_schema: { type: "object" } }],
    metadata: null,
  },
};

async function ask(endpoint: string, body: Json) {
  provider.received.length = 0;
  const response = await fetch(`${it.origin}/v1/${endpoint}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), received: provider.received.length };
}

/** The body with another value at a path. */
function put(body: Json, path: string, value: Json): Json {
  const changed = structuredClone(body);
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  const last = names.pop()!;
  names.reduce((inner: Json, name) => inner[name], changed)[last] = value;
  return changed;
}

test.each(Object.entries(BODIES))(
  "the %s request of this table is one that can be translated",
  async (endpoint, body) => {
    expect(await ask(endpoint, body)).toMatchObject({ status: 200, received: 1 });
  },
);

test.each([
  ["chat/completions", "stream", "x", "true or false"],
  ["chat/completions", "stream_options", 5, "an object"],
  ["chat/completions", "tools", 5, "a list"],
  ["chat/completions", "tools", { type: "function", function: FUNCTION }, "a list"],
  ["chat/completions", "tools[0].function", "x", "an object"],
  ["chat/completions", "tools[0].function.name", 5, "a name"],
  ["chat/completions", "tools[0].function.name", "", "a name"],
  ["chat/completions", "tools[0].function.description", [], "a text"],
  ["chat/completions", "tools[0].function.parameters", 5, "an object"],
  ["chat/completions", "tools[0].function.strict", "yes", "true or false"],
  ["chat/completions", "messages[0].name", 5, "a text"],
  ["chat/completions", "messages[1].tool_calls", 5, "a list"],
  ["chat/completions", "messages[1].tool_calls[0].id", 5, "a text"],
  ["chat/completions", "messages[1].tool_calls[0].function", [], "an object"],
  ["chat/completions", "messages[1].tool_calls[0].function.name", null, "a name"],
  ["chat/completions", "messages[2].tool_call_id", 5, "a text"],
  ["responses", "stream", 1, "true or false"],
  ["responses", "instructions", 5, "a text"],
  ["responses", "tools", 5, "a list"],
  ["responses", "tools[0].name", 5, "a text"],
  ["responses", "tools[0].parameters", [], "an object"],
  ["responses", "text", 5, "an object"],
  ["responses", "include", 5, "a list"],
  ["responses", "include", [5], "a text"],
  ["responses", "input[0].content", 5, "a text or a list"],
  ["responses", "input[1].call_id", 5, "a text"],
  ["responses", "input[1].name", {}, "a name"],
  ["responses", "input[1].arguments", 5, "a text or an object"],
  ["responses", "input[2].output", 5, "a text or a list"],
  ["messages", "stream", "x", "true or false"],
  ["messages", "tools", 5, "a list"],
  ["messages", "tools[0].name", 5, "a text"],
  ["messages", "tools[0].input_schema", 5, "an object"],
  ["messages", "metadata", "ann", "an object"],
  ["messages", "messages[1].content[0].name", 5, "a name"],
  ["messages", "messages[1].content[0].id", 5, "a text"],
  ["messages", "messages[1].content[0].input", 5, "a text or an object"],
  ["messages", "messages[2].content[0].tool_use_id", 5, "a text"],
  ["messages", "messages[2].content[0].is_error", "no", "true or false"],
])("%s with %s: %j is refused", async (endpoint, path, value, kind) => {
  const { status, text, received } = await ask(endpoint, put(BODIES[endpoint], path, value));
  expect({ status, received }).toEqual({ status: 400, received: 0 });
  const at = Array.isArray(value) && path === "include" ? `${path}[0]` : path;
  expect(text).toContain(at);
  expect(text).toContain(`must be ${kind}`);
});

test("arguments of a Responses call may be an object, as in chat", async () => {
  expect(await ask("responses", put(BODIES["responses"], "input[1].arguments", { path: "a" }))).toMatchObject({
    status: 200,
    received: 1,
  });
  expect(provider.received[0]!.json.messages[1].content).toMatchObject([{ type: "tool_use", input: { path: "a" } }]);
});

test("a body that is nested too deep to be written is a 400", async () => {
  const depth = 200_000;
  const schema = `{"type":"object","not":${'{"not":'.repeat(depth)}1${"}".repeat(depth)}}`;
  const response = await fetch(`${it.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: `{"model":"anthropic/claude-sonnet-4-5","messages":[{"role":"user","content":"x"}],
      "tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`,
  });
  const { error } = (await response.json()) as Json;
  expect([response.status, error.code, error.message]).toEqual([400, "invalid_body", "the body is nested too deep"]);
});
