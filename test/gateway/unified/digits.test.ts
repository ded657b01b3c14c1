import { describe, expect, test } from "bun:test";
import { at, events, json, KEY, standIn, startUnified } from "./house.ts";

/** Whole numbers beyond 2^53, such as ids in a call's arguments, keep their digits through every translation. */

const LONG = "12345678901234567890";
const ARGUMENTS = `{"id":${LONG},"list":[-${LONG}]}`;
const call = { id: "call_1", type: "function", function: { name: "f", arguments: ARGUMENTS } };
const chat = {
  messages: [
    { role: "user", content: "x" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "1" },
  ],
  tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
};

/** A response that calls with these arguments, and the place for its text in JSON. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  messages: {
    content: [{ type: "tool_use", id: "call_1", name: "f", input: "HERE" }],
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  generateContent: {
    candidates: [
      { content: { role: "model", parts: [{ functionCall: { name: "f", args: "HERE" } }] }, finishReason: "STOP" },
    ],
  },
  converse: {
    output: {
      message: { role: "assistant", content: [{ toolUse: { toolUseId: "call_1", name: "f", input: "HERE" } }] },
    },
    stopReason: "tool_use",
  },
  chat: {
    message: { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: "HERE" } }] },
    done: true,
  },
};
const responseOf = (kind: string) => JSON.stringify(ANSWERS[kind]).replace('"HERE"', ARGUMENTS);

async function ask(origin: string, path: string, body: string) {
  const response = await fetch(`${origin}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe.each([
  ["ANTHROPIC", "claude-sonnet-4-5", "messages"],
  ["GOOGLE", "gemini-2.5-flash", "generateContent"],
  ["AWS", "amazon.nova-lite-v1:0", "converse"],
  ["OLLAMA", "m", "chat"],
])("a chat client at %s", (provider, model, kind) => {
  test("sends and gets every digit", async () => {
    await using there = standIn(
      () => new Response(responseOf(kind), { headers: { "content-type": "application/json" } }),
    );
    await using gateway = await startUnified({
      credentials: [at(provider, there.origin, { settings: { region: "eu-central-1" } })],
    });
    const { status, text } = await ask(
      gateway.origin,
      "chat/completions",
      JSON.stringify({ model: `${provider.toLowerCase()}/${model}`, ...chat }),
    );
    expect(there.received[0]!.text).toContain(ARGUMENTS);
    expect(status).toBe(200);
    expect(JSON.parse(text).choices[0].message.tool_calls[0].function.arguments).toBe(ARGUMENTS);
  });
});

test("a client of Messages does, small and large, in its schemas too", async () => {
  const choice = { messages: { role: "assistant", content: null, tool_calls: [call] }, finish_reason: "tool_calls" };
  await using there = standIn(() =>
    json({ choices: [{ index: 0, message: choice.messages, finish_reason: choice.finish_reason }] }),
  );
  await using gateway = await startUnified({ credentials: [at("MISTRAL", there.origin)] });
  for (const size of [1, 200_000]) {
    const body = `{"model":"mistral/m","max_tokens":10,"top_p":0.5,"metadata":{"x":${LONG}},"messages":[{"role":"user","content":"${"x".repeat(size)}"},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"f","input":${ARGUMENTS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"1"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"id":{"maximum":${LONG}}}}}]}`;
    const { status, text } = await ask(gateway.origin, "messages", body);
    expect(status).toBe(200);
    const sent = there.received.at(-1)!;
    expect(sent.json.messages[1].tool_calls[0].function.arguments).toBe(ARGUMENTS);
    expect(sent.text).toContain(`"properties":{"id":{"maximum":${LONG}}}`);
    expect(sent.text).not.toContain("rawJSON");
    expect(text).toContain(`"input":${ARGUMENTS}`);
  }
});

test("a stream of objects does, and a seed", async () => {
  const chunk = (value: unknown) => JSON.stringify(value).replace('"HERE"', ARGUMENTS);
  await using there = standIn(() => events([chunk(ANSWERS["generateContent"])]));
  await using gateway = await startUnified({ credentials: [at("GOOGLE", there.origin)] });
  const { text } = await ask(
    gateway.origin,
    "chat/completions",
    `{"model":"google/gemini-2.5-flash","stream":true,"seed":${LONG},"messages":[{"role":"user","content":"x"}]}`,
  );
  expect(there.received[0]!.text).toContain(`"seed":${LONG}`);
  const found = [...text.matchAll(/^data: (\{.*\})$/gm)].flatMap(
    ([, data]) => JSON.parse(data!).choices[0]?.delta.tool_calls ?? [],
  );
  expect(found.map((each: { function: { arguments: string } }) => each.function.arguments).join("")).toBe(ARGUMENTS);
});

test.each([1, 200_000])("schemas and metadata of a chat of %d bytes do, out and back", async (size) => {
  await using there = standIn(() => json({ id: "r", object: "response", output: [], status: "completed" }));
  await using gateway = await startUnified({
    credentials: [at("CUSTOM", there.origin, { settings: { shape: "responses" } })],
  });
  const schema = `{"type":"object","properties":{"id":{"const":${LONG}}}}`;
  const tools = `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
  const format = `{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}`;
  const messages = JSON.stringify([{ role: "user", content: "x".repeat(size) }]);
  const body = `{"model":"custom/m","messages":${messages},"tools":${tools},"response_format":${format},"metadata":{"n":${LONG}}}`;
  expect((await ask(gateway.origin, "chat/completions", body)).status).toBe(200);
  const { text } = there.received[0]!;
  expect(text.split(schema).length).toBe(3);
  expect(text).toContain(`"metadata":{"n":${LONG}}`);
  expect(text).not.toContain("rawJSON");
});

test.each([1, 200_000])("a client of Responses, %d bytes, gets its metadata back as a number", async (size) => {
  await using there = standIn(() => json({ choices: [{ index: 0, message: { role: "assistant", content: "hi" } }] }));
  await using gateway = await startUnified({ credentials: [at("MISTRAL", there.origin)] });
  const body = `{"model":"mistral/m","input":"${"x".repeat(size)}","metadata":{"n":${LONG}}}`;
  const { status, text } = await ask(gateway.origin, "responses", body);
  expect(status).toBe(200);
  expect(JSON.parse(text).metadata).toEqual({ n: Number(LONG) });
});
