import { expect, test } from "bun:test";
import { readCount, writeCount } from "../../../src/mapping/wire/count.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";

const place = (path: string, model = "m") => ({ path, model });
const turns = [{ role: "user", content: "Hi" }];

test.each<[string, string, Json, string, Json]>([
  [
    "Anthropic's knows nothing of what tunes an answer",
    "messages",
    {
      model: "m",
      max_tokens: 9,
      stream: true,
      temperature: 1,
      messages: turns,
      tools: [],
      thinking: { type: "adaptive" },
    },
    "/v1/messages/count_tokens",
    { model: "m", messages: turns, tools: [], thinking: { type: "adaptive" } },
  ],
  [
    "Vertex counts Claude at one path for all models",
    "messages",
    { anthropic_version: "vertex-2023-10-16", max_tokens: 9, messages: turns },
    "/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict",
    { anthropic_version: "vertex-2023-10-16", messages: turns, model: "m" },
  ],
  [
    "OpenAI's takes what is input",
    "responses",
    { model: "m", input: "Hi", store: false, include: [], stream: true, max_output_tokens: 9, tools: [] },
    "/v1/responses/input_tokens",
    { model: "m", input: "Hi", tools: [] },
  ],
  [
    "AI Studio's has the whole request inside",
    "generate-content",
    { contents: [], systemInstruction: { parts: [] } },
    "/v1beta/models/m:countTokens",
    { generateContentRequest: { model: "models/m", contents: [], systemInstruction: { parts: [] } } },
  ],
  [
    "Vertex's has its members",
    "generate-content",
    { contents: [], tools: [], toolConfig: {}, generationConfig: {} },
    "/v1/projects/p/locations/global/publishers/google/models/m:countTokens",
    { contents: [], tools: [], generationConfig: {} },
  ],
  [
    "Bedrock's has a conversation",
    "converse",
    { messages: [], system: [], toolConfig: {}, inferenceConfig: { maxTokens: 9 } },
    "/model/m/count-tokens",
    { input: { converse: { messages: [], system: [], toolConfig: {} } } },
  ],
])("%s", (_name, shape, body, path, expected) => {
  expect(writeCount(shape, body, place(path))).toEqual(expected);
});

test("Bedrock counts Claude's invocation, whole and in base64", () => {
  const body = writeCount("messages", { model: "m", stream: true, messages: turns }, place("/model/m/count-tokens"));
  expect(JSON.parse(Buffer.from(body.input.invokeModel.body, "base64").toString("utf8"))).toEqual({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 1,
    messages: turns,
  });
});

test("a shape without a tokenizer, and an invalid body", () => {
  expect(writeCount("ollama-chat", {}, place("/api/chat"))).toBeUndefined();
  expect(writeCount("messages", null, place("/v1/messages/count_tokens"))).toBeUndefined();
  expect(writeCount("constructor", {}, place("/"))).toBeUndefined();
});

test.each<[Json, number | undefined]>([
  [{ input_tokens: 3 }, 3],
  [{ object: "response.input_tokens", input_tokens: 4 }, 4],
  [{ totalTokens: 5, promptTokensDetails: [] }, 5],
  [{ inputTokens: 6 }, 6],
  [{ error: {} }, undefined],
  [null, undefined],
])("the count in %j is %p", (body, tokens) => {
  expect(readCount(body)).toBe(tokens);
});
