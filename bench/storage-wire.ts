/** What OpenAI, Anthropic and their SDKs send: headers, and streams. */

/** The same numbers at every run. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

export const id = (random: () => number, length: number) =>
  Array.from(
    { length },
    () => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[Math.floor(random() * 62)],
  ).join("");

export function openaiHeaders(random: () => number, stream: boolean) {
  return {
    requestHeaders: [
      ...["Host", "127.0.0.1:8787", "Accept", "application/json", "Content-Type", "application/json"],
      ...[
        "User-Agent",
        "OpenAI/Python 1.109.1",
        "X-Stainless-Lang",
        "python",
        "X-Stainless-Package-Version",
        "1.109.1",
      ],
      ...["X-Stainless-OS", "Linux", "X-Stainless-Arch", "x64", "X-Stainless-Runtime", "CPython"],
      ...["X-Stainless-Runtime-Version", "3.12.7", "x-stainless-retry-count", "0", "x-stainless-read-timeout", "600"],
      ...["Accept-Encoding", "gzip, deflate", "Connection", "keep-alive"],
    ],
    responseHeaders: [
      ...["Date", new Date(1_795_000_000_000 + random() * 1e7).toUTCString()],
      ...["Content-Type", stream ? "text/event-stream; charset=utf-8" : "application/json"],
      ...["openai-organization", "acme-0fk2", "openai-processing-ms", String(Math.floor(random() * 3_000))],
      ...["openai-version", "2020-10-01", "x-envoy-upstream-service-time", String(Math.floor(random() * 3_000))],
      ...["x-ratelimit-limit-requests", "10000", "x-ratelimit-limit-tokens", "30000000"],
      ...["x-ratelimit-remaining-requests", String(Math.floor(random() * 10_000))],
      ...["x-ratelimit-remaining-tokens", String(Math.floor(random() * 30_000_000))],
      ...[
        "x-ratelimit-reset-requests",
        "6ms",
        "x-ratelimit-reset-tokens",
        "0s",
        "x-request-id",
        `req_${id(random, 32)}`,
      ],
      ...["cf-cache-status", "DYNAMIC", "X-Content-Type-Options", "nosniff", "Server", "cloudflare"],
      ...["CF-RAY", `${id(random, 16)}-FRA`, "alt-svc", 'h3=":443"; ma=86400'],
    ],
  };
}

export function anthropicHeaders(random: () => number) {
  const { requestHeaders } = openaiHeaders(random, true);
  return {
    requestHeaders: [
      ...requestHeaders,
      "anthropic-version",
      "2023-06-01",
      "anthropic-beta",
      "fine-grained-tool-streaming-2025-05-14",
    ],
    responseHeaders: [
      ...[
        "Date",
        new Date(1_795_000_000_000 + random() * 1e7).toUTCString(),
        "Content-Type",
        "text/event-stream; charset=utf-8",
      ],
      ...["request-id", `req_${id(random, 24)}`, "anthropic-organization-id", "3f0b7c6e-4d0e-4a53-9df2-7c31a1e0b6d2"],
      ...[
        "anthropic-ratelimit-input-tokens-remaining",
        String(Math.floor(random() * 2_000_000)),
        "Server",
        "cloudflare",
      ],
      ...["CF-RAY", `${id(random, 16)}-FRA`, "cf-cache-status", "DYNAMIC"],
    ],
  };
}

export const USAGE = {
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

/** A stream of OpenAI's, a token of about four letters in each event. */
export function openaiStream(text: string, random: () => number): Buffer {
  const head = {
    id: `chatcmpl-${id(random, 29)}`,
    object: "chat.completion.chunk",
    created: 1_795_000_000 + Math.floor(random() * 1e5),
    model: "gpt-4o-2024-08-06",
    service_tier: "default",
    system_fingerprint: "fp_cbf1785567",
  };
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null })}\n\n`;
  const tokens = text.match(/\s?[^\s]{1,5}|\s+/g) ?? [];
  const usage = { prompt_tokens: 900, completion_tokens: tokens.length, total_tokens: 900 + tokens.length, ...USAGE };
  return Buffer.from(
    [
      event({ role: "assistant", content: "", refusal: null }, null),
      ...tokens.map((content) => event({ content }, null)),
      event({}, "stop"),
      `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`,
      "data: [DONE]\n\n",
    ].join(""),
  );
}

export function anthropicStream(text: string, random: () => number): Buffer {
  const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const usage = {
    input_tokens: 12,
    cache_creation_input_tokens: 1_800,
    cache_read_input_tokens: 40_000,
    output_tokens: 1,
  };
  const message = {
    id: `msg_${id(random, 24)}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content: [],
    stop_reason: null,
    usage,
  };
  const pieces = text.match(/[\s\S]{1,14}/g) ?? [];
  return Buffer.from(
    [
      event("message_start", { message }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...pieces.map((piece) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } })),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: pieces.length * 3 },
      }),
      event("message_stop", {}),
    ].join(""),
  );
}
