import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { Json } from "../../../src/plugin-host/contract.ts";

/** The SDK's own providers, and answers in the form of each API that say the same. */

/** What the SDK sent, and the answer that it gets. */
export function recorder(response: Json) {
  const seen: { body?: Json } = {};
  const fetch = Object.assign(
    async (_input: unknown, init?: { body?: unknown }) => {
      seen.body = JSON.parse(String(init?.body));
      return typeof response === "string"
        ? new Response(response, { headers: { "content-type": "text/event-stream" } })
        : Response.json(response);
    },
    { preconnect: () => {} },
  );
  return { seen, fetch };
}

export const MODELS = {
  "chat-completions": (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: "k", fetch }).chat("gpt-4o"),
  responses: (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: "k", fetch }).responses("gpt-4o"),
  messages: (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: "k", fetch })("claude-sonnet-4-5"),
} as const;

export type Shape = keyof typeof MODELS;
export const SHAPES = Object.keys(MODELS) as Shape[];

const usage = { in: 11, out: 5 };
export const PLAIN: Readonly<Record<Shape, Json>> = {
  "chat-completions": {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: 16 },
  },
  responses: {
    id: "r",
    object: "response",
    created_at: 1,
    model: "m",
    status: "completed",
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hi", annotations: [] }],
      },
    ],
    usage: { input_tokens: usage.in, output_tokens: usage.out, total_tokens: 16 },
  },
  messages: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: usage.in, output_tokens: usage.out },
  },
};

export const CALLS: Readonly<Record<Shape, Json>> = {
  "chat-completions": {
    ...PLAIN["chat-completions"],
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Let me see.",
          tool_calls: ["a", "b"].map((id) => ({
            id,
            type: "function",
            function: { name: "weather", arguments: '{"city":"Oslo"}' },
          })),
        },
        finish_reason: "tool_calls",
      },
    ],
  },
  responses: {
    ...PLAIN.responses,
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Let me see.", annotations: [] }],
      },
      ...["a", "b"].map((id) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name: "weather",
        arguments: '{"city":"Oslo"}',
        status: "completed",
      })),
    ],
  },
  messages: {
    ...PLAIN.messages,
    content: [
      { type: "text", text: "Let me see." },
      ...["a", "b"].map((id) => ({ type: "tool_use", id, name: "weather", input: { city: "Oslo" } })),
    ],
    stop_reason: "tool_use",
  },
};
