import { gzipSync } from "node:zlib";
import type { Came } from "./exchange-of.ts";

/** Exchanges that a client or a provider may make up to keep the recorder busy; `size` is about their bytes. */
type Attack = (size: number) => Came;

const SSE = ["Content-Type", "text/event-stream"];
const NDJSON = ["Content-Type", "application/x-ndjson"];
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const wide = (count: number) => Object.fromEntries(many(count, (at) => [`m${at}`, at]));

/** A wide first event and then many small ones: work per event must not grow with what came before. */
function stream(path: string, events: (size: number) => unknown[], provider = "CUSTOM"): Attack {
  return (size) => ({
    begin: { path, provider },
    request: json({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] }),
    response: Buffer.from(
      events(size)
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(""),
    ),
    responseHeaders: SSE,
  });
}

const lines = (path: string, events: (size: number) => unknown[]): Attack => {
  const attack = stream(path, events);
  return (size) => ({
    ...attack(size),
    response: Buffer.from(
      events(size)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(""),
    ),
    responseHeaders: NDJSON,
  });
};

const posted = (path: string, body: (size: number) => unknown, response: unknown = {}): Attack => {
  return (size) => ({ begin: { path }, request: json(body(size)), response: json(response) });
};

const CHAT = "/v1/chat/completions";
const delta = (delta: unknown, beside = {}) => ({ choices: [{ index: 0, delta }], ...beside });
const wideThen = (first: (count: number) => unknown, next: (at: number) => unknown) => (size: number) => [
  first(size / 24),
  ...many(size / 100, next),
];
const usage = { prompt_tokens: 1, completion_tokens: 1 };

export const ATTACKS: Readonly<Record<string, Attack>> = {
  "a long model name": (size) => ({
    begin: { path: CHAT },
    request: json({ model: "m".repeat(size), messages: [] }),
    response: json({ object: "chat.completion", model: "n".repeat(size), choices: [], usage }),
  }),
  "a long model name at a provider with a price table": (size) => ({
    begin: { path: CHAT, provider: "OPENAI" },
    request: json({ model: "gpt-".repeat(size / 4), messages: [] }),
    response: json({ object: "chat.completion", model: "gpt-4o-".repeat(size / 7), choices: [], usage }),
  }),
  "many long names in passes": (size) => ({
    begin: { path: "/v1/messages", provider: "ANTHROPIC" },
    request: json({ model: "claude", max_tokens: 1, messages: [] }),
    response: json({
      type: "message",
      usage: {
        iterations: many(10, (at) => ({ model: `${at}`.repeat(size / 10), input_tokens: 1, output_tokens: 1 })),
      },
    }),
  }),
  "a path of realtime sessions": (size) => ({ begin: { path: "/realtime?&".repeat(size / 20), method: "GET" } }),
  "a path of slashes": (size) => ({ begin: { path: "/models/a/model/".repeat(size / 20) }, request: json({}) }),
  "a form with endless headers": (size) => ({
    begin: { path: "/v1/audio/transcriptions", headers: ["Content-Type", "multipart/form-data; boundary=x"] },
    request: Buffer.from(`--x\r\n${"content-disposition:\u2028".repeat(size / 24)}\r\n\r\nv\r\n--x--\r\n`),
    response: json({ text: "a" }),
  }),
  "deep JSON": (size) => ({
    begin: { path: CHAT },
    request: Buffer.from("[".repeat(size / 2) + "]".repeat(size / 2)),
    response: Buffer.from([`{"a":`.repeat(size / 6), "1", "}".repeat(size / 6)].join("")),
  }),
  "wide JSON": posted(CHAT, (size) => ({ model: "m", messages: [], ...wide(size / 16) })),
  "many messages": posted(CHAT, (size) => ({
    model: "m",
    messages: many(size / 40, () => ({ role: "tool", content: [{ type: "text", text: "a" }] })),
  })),
  "content inside content": posted("/v1/messages", (size) => ({
    max_tokens: 1,
    messages: [{ role: "user", content: nested(size / 12) }],
  })),
  "many tools": posted(CHAT, (size) => ({ messages: [], tools: many(size / 30, () => ({ googleSearch: {} })) })),
  "data addresses": posted(CHAT, (size) => ({
    messages: [
      { role: "user", content: many(size / 60, () => ({ type: "image_url", image_url: "data:;a;b;c;base64,AA" })) },
    ],
  })),
  "a data address of parameters": posted(CHAT, (size) => ({
    messages: [{ role: "user", content: `data:${";a".repeat(size / 2)}` }],
  })),
  "base64 that is none at its end": posted(CHAT, (size) => ({ messages: [], data: `${"A".repeat(size)}!` })),
  "an address of white space": posted(CHAT, (size) => ({ file_data: `A${" ".repeat(size)}!` })),
  "sparse tool deltas": stream(CHAT, (size) =>
    many(size / 90, (at) =>
      delta({ tool_calls: [{ index: at * 1_000_003, id: `c${at}`, function: { arguments: "a" } }] }),
    ),
  ),
  "sparse tool deltas of Meta": stream(
    "/v1/chat/completions",
    (size) =>
      many(size / 90, (at) => ({
        event: { delta: { type: "tool_call", id: `c${at}`, function: { arguments: "a" } } },
      })),
    "LLAMA",
  ),
  "a wide usage": stream(
    CHAT,
    wideThen(
      (count) => delta({}, { usage: wide(count) }),
      () => delta({ content: "a" }, { usage }),
    ),
  ),
  "a wide x_groq": stream(
    CHAT,
    wideThen(
      (count) => delta({}, { x_groq: wide(count) }),
      () => delta({ content: "a" }, { x_groq: {} }),
    ),
  ),
  "a wide call": stream(
    CHAT,
    wideThen(
      (count) => delta({ tool_calls: [{ index: 0, id: "a", function: { name: "f", ...wide(count) } }] }),
      () => delta({ tool_calls: [{ index: 0, function: { arguments: "a" } }] }),
    ),
  ),
  "a wide sound": stream(
    CHAT,
    wideThen(
      (count) => delta({ audio: wide(count) }),
      () => delta({ audio: { data: "a" } }),
    ),
  ),
  "a wide part": stream(
    CHAT,
    wideThen(
      (count) => delta({ content: [{ type: "text", text: "a", ...wide(count) }] }),
      () => delta({ content: [{ type: "text", text: "a" }] }),
    ),
  ),
  "a wide thought": stream(
    CHAT,
    wideThen(
      (count) => delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "a", ...wide(count) }] }] }),
      () => delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "a" }] }] }),
    ),
  ),
  "a wide usage of Anthropic": stream(
    "/v1/messages",
    wideThen(
      (count) => ({ type: "message_start", message: { type: "message", usage: wide(count) } }),
      () => ({ type: "message_delta", usage: { output_tokens: 1 } }),
    ),
  ),
  "sparse blocks of Anthropic": stream("/v1/messages", (size) => [
    { type: "message_start", message: { type: "message" } },
    ...many(size / 110, (at) => ({
      type: "content_block_delta",
      index: at * 1_000_003,
      delta: { type: "input_json_delta", partial_json: "[" },
    })),
  ]),
  "a wide part of Gemini": stream(
    "/v1/models/m:streamGenerateContent",
    wideThen(
      (count) => ({ candidates: [{ content: { parts: [{ text: "a", ...wide(count) }] } }] }),
      () => ({ candidates: [{ content: { parts: [{ text: "a" }] } }] }),
    ),
  ),
  "a wide call of Cohere": stream(
    "/v2/chat",
    wideThen(
      (count) => ({ type: "tool-call-start", index: 0, delta: { message: { tool_calls: { function: wide(count) } } } }),
      () => ({
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: "a" } } } },
      }),
    ),
  ),
  "a wide call of Bedrock": stream(
    "/model/m/converse-stream",
    wideThen(
      (count) => ({ contentBlockStart: { contentBlockIndex: 0, start: { toolUse: wide(count) } } }),
      () => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: "a" } } } }),
    ),
  ),
  "a wide step of interactions": stream(
    "/v1beta/interactions",
    wideThen(
      (count) => ({ index: 0, step: { content: [{ type: "text", text: "a", ...wide(count) }] } }),
      () => ({ index: 0, delta: { type: "text", text: "a" } }),
    ),
  ),
  "wide results of watsonx": stream(
    "/ml/v1/text/generation_stream",
    wideThen(
      (count) => ({ results: [{ generated_text: "a", ...wide(count) }] }),
      () => ({ results: [{ generated_text: "a" }] }),
    ),
  ),
  "a wide failure of a transcript": stream(
    "/v1/audio/transcriptions",
    wideThen(
      (count) => ({ error: { message: "a" }, ...wide(count) }),
      () => ({ error: { message: "a" } }),
    ),
  ),
  "a wide line of Ollama": lines(
    "/api/chat",
    wideThen(
      (count) => ({ message: { content: "a", ...wide(count) }, done: false }),
      () => ({ message: { content: "a" }, done: false }),
    ),
  ),
  "items of responses": stream("/v1/responses", (size) =>
    many(size / 110, (at) => ({ type: "response.output_text.delta", output_index: 0, content_index: at, delta: "a" })),
  ),
  "events of every kind": (size) => ({
    begin: { path: CHAT },
    response: Buffer.from('event:output\ndata:{"error":"a","bytes":"e30="}\r\n\r\n'.repeat(size / 48)),
    responseHeaders: SSE,
  }),
  "empty events": (size) => ({
    begin: { path: CHAT },
    response: Buffer.from("data\n\n".repeat(size / 6)),
    responseHeaders: SSE,
  }),
  "one event of many lines": (size) => ({
    begin: { path: CHAT },
    response: Buffer.from("data:a\r".repeat(size / 7)),
    responseHeaders: SSE,
  }),
  "a run of letters to count": stream(CHAT, (size) => [delta({ content: letters(size) }, { model: "gpt-4o" })]),
  "a run of signs to count": stream(CHAT, (size) => [
    delta({ content: "é\u0301".repeat(size / 4) }, { model: "gpt-4o" }),
  ]),
  "a run of blanks to count": stream(CHAT, (size) => [
    delta({ content: ` ${"\n ".repeat(size / 4)}` }, { model: "gpt-3.5-turbo" }),
  ]),
  "a gzip bomb": (size) => ({
    begin: { path: CHAT },
    response: gzipSync(Buffer.alloc(size * 20, 32)),
    responseHeaders: ["Content-Type", "application/json", "Content-Encoding", "gzip"],
  }),
  "many properties": (size) => ({
    begin: { path: CHAT, gateway: many(size / 32, (at) => [`Gateway-Property-P${at}`, "\xff"]).flat() },
    request: json({}),
  }),
  // As many as the listener and the client take.
  "many headers of one name": (size) => ({
    begin: { path: CHAT, headers: many(200, () => ["Accept", "a".repeat(500)]).flat() },
    responseHeaders: many(1_000, () => ["X-Limit", "a".repeat(Math.min(250, size))]).flat(),
    response: json({ usage: {} }),
  }),
};

function nested(depth: number): unknown {
  let content: unknown = "a";
  for (let at = 0; at < Math.min(depth, 400); at++)
    content = [{ type: "thinking", thinking: content }, { type: "text" }];
  return content;
}

/** Letters without a pattern, the same for each size: no piece of them is one that a tokenizer has seen before. */
function letters(count: number): string {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  };
  return many(count, next).join("");
}
