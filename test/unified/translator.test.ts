import { afterAll, expect, test } from "bun:test";
import { ToolNames } from "../../src/mapping/translate/tool-names.ts";
import { SHAPES } from "../../src/mapping/wire/shapes.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import type { ResponseContext } from "../../src/unified/response.ts";
import { Translator } from "../../src/unified/translator.ts";

const translator = new Translator();
afterAll(() => translator.close());

/** More than is read where streams are relayed. */
const LARGE = "water ".repeat(80_000);
const bytesOf = (value: Json) => Buffer.from(JSON.stringify(value));
const jsonOf = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString("utf8"));

const prompt = SHAPES["chat-completions"]!.readRequest!({ model: "m", messages: [{ role: "user", content: "hi" }] });
const context = (names = new ToolNames(/^[\w-]{1,64}$/)): ResponseContext => ({
  outbound: { shape: SHAPES["messages"]!, prompt, names },
  to: "chat-completions",
  issuer: "anthropic",
  requestId: "01900000-0000-7000-8000-000000000000",
  model: "claude-1",
  startedAt: 0,
  inputTokens: 7,
});
const message = (text: string, tool: string) => ({
  type: "message",
  role: "assistant",
  content: [
    { type: "text", text },
    { type: "tool_use", id: "toolu_1", name: tool, input: { text } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 3, output_tokens: 4 },
});

test.each([
  ["small", "water"],
  ["large", LARGE],
])("a %s response has the tool's own name, whichever thread translates it", async (size, text) => {
  const names = new ToolNames(/^[\w-]{1,64}$/);
  const sent = names.send({ name: "files.read", namespace: "mcp" });
  const given = translator.whole(bytesOf(message(text, sent)), context(names), undefined);
  expect(given instanceof Promise).toBe(size === "large");
  const whole = await given;
  if (whole.kind !== "answer") throw new Error(`it is ${whole.kind}`);
  const [choice] = jsonOf(whole.body).choices;
  expect(choice.message.content).toBe(text);
  expect(choice.message.tool_calls[0].function.name).toBe("files.read");
  expect(JSON.parse(choice.message.tool_calls[0].function.arguments)).toEqual({ text });
  expect(whole.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 });
});

test("an unrequested large stream, and a large error inside a success, are read there as well", async () => {
  const event = (data: Json) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const stream = [
    { type: "message_start", message: { usage: { input_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: LARGE } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ].map(event);
  const whole = await translator.whole(Buffer.from(stream.join("")), context(), "sse");
  expect(whole.kind === "answer" && jsonOf(whole.body).choices[0].message.content).toBe(LARGE);
  const failed = await translator.whole(bytesOf({ type: "error", error: { message: LARGE } }), context(), undefined);
  expect(failed).toMatchObject({ kind: "error", error: { message: LARGE } });
  expect(await translator.whole(Buffer.from(LARGE), context(), undefined)).toEqual({ kind: "malformed" });
});

test.each([
  ["small", 2, "water"],
  ["large", 3, LARGE],
])("a %s request for embeddings, and its response", async (size, texts, text) => {
  const written = translator.embeddings({
    body: bytesOf({ model: "x", input: Array(texts).fill(text), encoding_format: "base64" }),
    changes: {},
    path: "/v1beta/models/embed-1:batchEmbedContents",
    model: "embed-1",
    refuseLosses: false,
  });
  expect(written instanceof Promise).toBe(size === "large");
  const converted = await written;
  if (converted.kind !== "converted") throw new Error(`it is ${converted.kind}`);
  expect(jsonOf(converted.body).requests).toHaveLength(texts);
  const vector = Array.from({ length: size === "large" ? 20_000 : 3 }, (_, at) => at / 4);
  const response = bytesOf({ embeddings: Array(texts).fill({ values: vector }) });
  const reading = translator.converted(response, [], converted.reading);
  expect(reading instanceof Promise).toBe(size === "large");
  const { body, estimated } = (await reading)!;
  const last = jsonOf(body).data.at(-1);
  const floats = Buffer.from(last.embedding, "base64");
  expect([last.index, floats.byteLength, floats.readFloatLE(8)]).toEqual([texts - 1, vector.length * 4, 0.5]);
  expect(estimated).toBe(true);
});

test.each([
  ["small", "water"],
  ["large", LARGE],
])("a %s request to be counted is sent without members that tune the response", async (_size, text) => {
  const place = { shape: "messages", path: "/v1/messages/count_tokens", model: "claude-1" };
  const body = { model: "claude-1", max_tokens: 5, messages: [{ role: "user", content: text }] };
  const counted = await translator.counted(bytesOf(body), place);
  expect(jsonOf(counted!)).toEqual({ model: "claude-1", messages: body.messages });
  expect(await translator.counted(bytesOf(body), { ...place, shape: "cohere-chat" })).toBeUndefined();
});

test.each([
  [":batchEmbedContents", "water", "here"],
  [":batchEmbedContents", LARGE, "there"],
  // Of these each byte is looked at, and nothing is parsed.
  ["/moderations", LARGE, "here"],
])("a request for %s that is not translated whose size is looked at", async (endpoint, text, where) => {
  const body = { model: "models/x", requests: [{ model: "models/x", content: { parts: [{ text }] } }] };
  const given = translator.sameOnly({
    body: bytesOf(body),
    contentType: "application/json",
    endpoint,
    model: "embed-1",
    changes: {},
    routing: [],
  });
  expect(given instanceof Promise).toBe(where === "there");
  const named = endpoint === "/moderations" ? "embed-1" : "models/embed-1";
  const written = jsonOf((await given)!);
  expect(written.model).toBe(named);
  expect(written.requests[0].model).toBe(endpoint === "/moderations" ? "models/x" : named);
});

test("a response that a drop-in's shape reads stays in this thread", () => {
  const own = { ...SHAPES["messages"]! };
  const { outbound } = context();
  const whole = translator.whole(
    bytesOf(message(LARGE, "f")),
    { ...context(), outbound: { ...outbound, shape: own } },
    undefined,
  );
  expect(whole).toMatchObject({ kind: "answer" });
});
