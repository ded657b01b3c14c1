import { expect, test } from "bun:test";
import fc from "fast-check";
import { finishReasonOf } from "../../src/mapping/finish-reason.ts";
import { assertProperty } from "../chance.ts";

// Words and places as the providers' API references have them.
test.each<[string, unknown, string | undefined]>([
  ["OpenAI's chat completions", { choices: [{ finish_reason: "tool_calls" }] }, "tool_calls"],
  ["the older function call", { choices: [{ finish_reason: "function_call" }] }, "tool_calls"],
  ["the first of several choices", { choices: [{ finish_reason: "length" }, { finish_reason: "stop" }] }, "length"],
  ["what Cloudflare wraps", { result: { choices: [{ finish_reason: "stop" }] } }, "stop"],
  ["Anthropic's end of a turn", { type: "message", stop_reason: "end_turn" }, "stop"],
  ["Anthropic's limit", { type: "message", stop_reason: "max_tokens" }, "length"],
  ["Anthropic's refusal", { type: "message", stop_reason: "refusal" }, "content_filter"],
  ["Anthropic's pause", { type: "message", stop_reason: "pause_turn" }, "pause_turn"],
  ["Gemini", { candidates: [{ finishReason: "MAX_TOKENS" }] }, "length"],
  [
    "Gemini, which says STOP where it calls",
    { candidates: [{ finishReason: "STOP", content: { parts: [{ functionCall: { name: "f" } }] } }] },
    "tool_calls",
  ],
  ["Gemini's blocked prompt", { promptFeedback: { blockReason: "SAFETY" } }, "content_filter"],
  ["Bedrock's converse", { stopReason: "guardrail_intervened", output: {} }, "content_filter"],
  ["a complete response", { object: "response", status: "completed", output: [{ type: "message" }] }, "stop"],
  [
    "a response that calls",
    { object: "response", status: "completed", output: [{ type: "function_call" }] },
    "tool_calls",
  ],
  [
    "a response that was cut",
    { object: "response", status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    "length",
  ],
  ["Ollama", { done_reason: "stop", message: {} }, "stop"],
  ["Cohere", { finish_reason: "COMPLETE", message: { content: [] } }, "stop"],
  ["Titan", { results: [{ completionReason: "FINISH" }] }, "stop"],
  ["a word that is not known", { choices: [{ finish_reason: "Abort" }] }, "abort"],
  ["a word that is too long", { choices: [{ finish_reason: "x".repeat(99) }] }, undefined],
  ["embeddings", { object: "list", data: [] }, undefined],
  ["a name of every object", { choices: [{ finish_reason: "constructor" }] }, "constructor"],
  ["text", "stop", undefined],
  ["nothing", undefined, undefined],
])("why a response ended is read under one name: %s", (_name, body, reason) => {
  expect(finishReasonOf(body, undefined)).toBe(reason);
});

test("a provider's own reader goes first", () => {
  expect(finishReasonOf({ choices: [{ finish_reason: "stop" }] }, "MAX_TOKENS")).toBe("length");
});

test("no body makes it throw", () => {
  const key = fc.constantFrom(
    "choices",
    "candidates",
    "output",
    "message",
    "status",
    "object",
    "finish_reason",
    "result",
  );
  const inner = fc.oneof(fc.constant(null), fc.string(), fc.dictionary(key, fc.constantFrom(1, "stop", null, [{}])));
  const body = fc.dictionary(key, fc.oneof(inner, fc.array(inner, { maxLength: 2 })), { maxKeys: 4 });
  assertProperty(fc.property(body, (any) => void finishReasonOf(any, undefined)));
});
