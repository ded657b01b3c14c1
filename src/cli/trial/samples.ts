import type { TrialExchange } from "./exchange.ts";

const HELLO = [{ role: "user", content: "Say hello." }];
const JSON_TYPE = { "content-type": "application/json" };

/** Default exchanges for testing a plugin: one of each kind that it will meet. */
export const SAMPLES: readonly TrialExchange[] = [
  {
    name: "a chat completion",
    request: {
      url: "https://api.openai.com/v1/chat/completions",
      headers: { ...JSON_TYPE, "Gateway-User-Id": "ada" },
      body: { model: "gpt-4o-mini", messages: HELLO },
    },
    response: {
      headers: JSON_TYPE,
      body: {
        id: "chatcmpl-1",
        object: "chat.completion",
        model: "gpt-4o-mini-2024-07-18",
        choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      },
    },
  },
  {
    name: "a streamed chat completion",
    request: {
      url: "https://api.openai.com/v1/chat/completions",
      headers: { ...JSON_TYPE, "Gateway-Property-Team": "research" },
      body: { model: "gpt-4o", messages: HELLO, stream: true, stream_options: { include_usage: true } },
    },
    response: {
      headers: { "content-type": "text/event-stream" },
      body: [
        'data: {"id":"chatcmpl-2","object":"chat.completion.chunk","model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}',
        "",
        'data: {"id":"chatcmpl-2","object":"chat.completion.chunk","model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"content":"lo."},"finish_reason":"stop"}]}',
        "",
        'data: {"id":"chatcmpl-2","object":"chat.completion.chunk","model":"gpt-4o-2024-08-06","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}',
        "",
        "data: [DONE]",
        "",
        "",
      ],
    },
  },
  {
    name: "a message of Anthropic's",
    request: {
      url: "https://api.anthropic.com/v1/messages",
      headers: JSON_TYPE,
      body: { model: "claude-sonnet-4-20250514", max_tokens: 100, messages: HELLO, metadata: { user_id: "ada" } },
    },
    response: {
      headers: JSON_TYPE,
      body: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-20250514",
        content: [{ type: "text", text: "Hello." }],
        stop_reason: "end_turn",
        usage: { input_tokens: 10, output_tokens: 2 },
      },
    },
  },
  {
    name: "a request without a body",
    request: { method: "GET", url: "https://api.openai.com/v1/models" },
    response: { headers: JSON_TYPE, body: { object: "list", data: [] } },
  },
  {
    name: "an error of the provider",
    request: {
      url: "https://api.openai.com/v1/chat/completions",
      headers: JSON_TYPE,
      body: { model: "gpt-4o-mini", messages: HELLO },
    },
    response: {
      status: 429,
      headers: JSON_TYPE,
      body: { error: { message: "Rate limit reached.", type: "requests", code: "rate_limit_exceeded" } },
    },
  },
];
