import { expect, test } from "bun:test";
import type { Shape } from "../../src/plugin-host/contract.ts";
import { endpointOf } from "../../src/unified/endpoints.ts";

const own = { name: "talk", endpoint: /\/talk$/ } as Shape;

test.each([
  ["POST", "/v1/talk", "talk"],
  ["POST", "/talk?x=/messages", "talk"],
  ["GET", "/v1/talk", undefined],
  ["POST", "/v1/talks", undefined],
  ["POST", "/v1/other?path=/talk", undefined],
])("with a drop-in's shape, %s %s is an endpoint of %s", (method, path, shape) => {
  const found = endpointOf(method, path, [own]);
  expect(found).toEqual(shape === undefined ? undefined : { kind: "generate", shape: "talk", named: {}, own });
  expect(endpointOf(method, path)).toBeUndefined();
});

test("built-in endpoints have precedence over those of drop-ins", () => {
  const greedy = { name: "greedy", endpoint: /./ } as Shape;
  expect(endpointOf("POST", "/v1/messages", [greedy])).toMatchObject({ shape: "messages" });
  expect(endpointOf("POST", "/v1/message", [own, greedy])).toMatchObject({ shape: "greedy" });
});

const generate = (shape: string, named = {}) => ({ kind: "generate", shape, named });

test.each([
  ["POST", "/v1/chat/completions", generate("chat-completions")],
  ["POST", "/chat/completions", generate("chat-completions")],
  ["POST", "/openai/v1/chat/completions?x=1", generate("chat-completions")],
  ["POST", "/openai/deployments/my%20dep/chat/completions", generate("chat-completions", { deployment: "my dep" })],
  [
    "POST",
    "/openai/deployments/groq/llama/chat/completions",
    generate("chat-completions", { deployment: "groq/llama" }),
  ],
  ["POST", "/v1/messages?beta=true", generate("messages")],
  ["POST", "/anthropic/v1/messages", generate("messages")],
  ["POST", "/v1/messages/count_tokens", { kind: "count", shape: "messages", named: {} }],
  ["POST", "/v1/responses", generate("responses")],
  ["POST", "/v1/responses/input_tokens", { kind: "count", shape: "responses", named: {} }],
  ["POST", "/v1/responses/compact", { kind: "same", path: "/responses/compact", named: {} }],
  ["GET", "/v1/responses/resp_1", { kind: "stored", id: "resp_1", path: "/responses/resp_1" }],
  ["DELETE", "/v1/responses/resp_1", { kind: "stored", id: "resp_1", path: "/responses/resp_1" }],
  ["POST", "/v1/responses/resp_1/cancel", { kind: "stored", id: "resp_1", path: "/responses/resp_1/cancel" }],
  ["GET", "/v1/responses/resp_1/input_items", { kind: "stored", id: "resp_1", path: "/responses/resp_1/input_items" }],
  ["POST", "/v1/completions", generate("completions")],
  ["POST", "/v1/embeddings", { kind: "embeddings", shape: "embeddings", named: {} }],
  [
    "POST",
    "/v1beta/models/gemini-3-pro:generateContent",
    generate("generate-content", { model: "gemini-3-pro", stream: false }),
  ],
  [
    "POST",
    "/v1beta/models/google%2Fgemini:streamGenerateContent?alt=sse",
    generate("generate-content", { model: "google/gemini", stream: true }),
  ],
  [
    "POST",
    "/v1beta/models/google/gemini:countTokens",
    { kind: "count", shape: "generate-content", named: { model: "google/gemini", stream: false } },
  ],
  [
    "POST",
    "/v1beta/models/google:team/gemini:floor:generateContent",
    generate("generate-content", { model: "google:team/gemini:floor", stream: false }),
  ],
  [
    "POST",
    "/v1beta/google/gemini:streamGenerateContent?alt=sse",
    generate("generate-content", { model: "google/gemini", stream: true }),
  ],
  ["POST", "/v1beta/gemini:generateContent", undefined],
  ["POST", "/v1beta/models/m:embedContent", { kind: "same", path: ":embedContent", named: { model: "m" } }],
  ["POST", "/v1/images/generations", { kind: "same", path: "/images/generations", named: {} }],
  ["POST", "/v1/audio/transcriptions", { kind: "same", path: "/audio/transcriptions", named: {} }],
  ["POST", "/v1/rerank", { kind: "same", path: "/rerank", named: {} }],
  ["GET", "/v1/models", { kind: "models" }],
  ["HEAD", "/models", { kind: "models" }],
  ["GET", "/v1/models/openai/gpt-5", { kind: "model", id: "openai/gpt-5" }],
  ["GET", "/v1/chat/completions", undefined],
  ["POST", "/v1/files", undefined],
  ["POST", "/v1/batches", undefined],
  ["POST", "/v1beta/models/imagen-4:predict", { kind: "same", path: ":predict", named: { model: "imagen-4" } }],
  ["POST", "/v1beta/models/m:tunedPredict", undefined],
  ["GET", "/", undefined],
] as const)("%s %s", (method, path, expected) => {
  expect(endpointOf(method, path)).toEqual(expected as never);
});
