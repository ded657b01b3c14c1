import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anthropicHeaders, anthropicStream, id, numbers, openaiHeaders, openaiStream, USAGE } from "./storage-wire.ts";

/** One request with its response, as it is written to the spool. */
export interface Passed {
  readonly provider: "OPENAI" | "ANTHROPIC";
  readonly request: Buffer;
  readonly requestHeaders: readonly string[];
  readonly response: Buffer;
  readonly responseHeaders: readonly string[];
  readonly gateway: readonly string[];
}

/** How an exchange begins in the spool, as the gateway writes it. `time` in milliseconds since 1970. */
export function beginning({ provider, requestHeaders, gateway }: Passed, time: number) {
  const isOpenai = provider === "OPENAI";
  return {
    time,
    method: "POST",
    path: isOpenai ? "/v1/chat/completions" : "/v1/messages",
    target: isOpenai ? "https://api.openai.com" : "https://api.anthropic.com",
    provider,
    organization: "0808ivix",
    keyId: "0198d000-0000-7000-8000-000000000002",
    keyName: "bench",
    authHash: "ab".repeat(32),
    gateway: [...gateway],
    omitRequest: false,
    omitResponse: false,
    headers: [...requestHeaders],
  };
}

export interface Workload {
  readonly name: string;
  /** Records that come together, as they do at this load. */
  readonly together: number;
  /** The most that disk over wire may be. */
  readonly goal: number;
  /** Disk over wire, and CPU milliseconds a record, before there were packs: measured with the same workloads on af18f67. */
  readonly before: { readonly ratio: number; readonly cpuMs: number };
  make(count: number): Generator<Passed>;
  readonly count: number;
}

const root = join(import.meta.dir, "..");

/** Documentation and sources, which are what people send: prose, and programs with much that comes again. */
const corpus = ["docs", "src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(md|ts|tsx)$/.test(name))
    .sort()
    .map((name) => readFileSync(join(root, folder, name), "utf8")),
);
const prose = corpus.filter((text) => text.startsWith("#")).join("\n");
const all = corpus.join("\n");

function texts(source: string, seed: number): (length: number) => string {
  const random = numbers(seed);
  return (length) => {
    const at = Math.floor(random() * (source.length - length));
    return source.slice(at, at + length);
  };
}

function* small(count: number): Generator<Passed> {
  const random = numbers(1);
  const text = texts(all, 2);
  for (let at = 0; at < count; at++) {
    const request = {
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "You are a helpful assistant." },
        { role: "user", content: text(400) },
      ],
      temperature: 0.2,
    };
    const message = { role: "assistant", content: text(190), refusal: null, annotations: [] };
    const response = {
      id: `chatcmpl-${id(random, 29)}`,
      object: "chat.completion",
      created: 1_795_000_000 + at,
      model: "gpt-4o-mini-2024-07-18",
      choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 90 + (at % 50),
        completion_tokens: 40 + (at % 20),
        total_tokens: 130 + (at % 70),
        ...USAGE,
      },
      service_tier: "default",
      system_fingerprint: "fp_560af6e559",
    };
    yield {
      provider: "OPENAI",
      request: Buffer.from(JSON.stringify(request)),
      response: Buffer.from(JSON.stringify(response)),
      gateway: [],
      ...openaiHeaders(random, false),
    };
  }
}

/** Conversations that go on beside each other, a turn of each in turn. */
function* conversations<State>(
  count: number,
  turns: number,
  begin: (at: number) => State,
  turn: (state: State, at: number) => Passed,
) {
  for (let first = 0; first < count; first += turns * 6) {
    const states = Array.from({ length: Math.min(6, Math.ceil((count - first) / turns)) }, (_, at) =>
      begin(first + at),
    );
    for (let at = 0; at < turns; at++) for (const state of states) yield turn(state, at);
  }
}

interface Chat {
  readonly messages: object[];
  readonly session: string;
}

const SESSION = (session: string) => ["Gateway-Session-Id", session, "Gateway-Property-App", "support"];

function chat(count: number): Generator<Passed> {
  const random = numbers(3);
  const text = texts(prose, 4);
  const begin = (): Chat => ({ messages: [{ role: "system", content: text(900) }], session: id(random, 12) });
  return conversations(count, 10, begin, ({ messages, session }) => {
    messages.push({ role: "user", content: text(120 + Math.floor(random() * 300)) });
    const response = text(480);
    const request = { model: "gpt-4o", messages, stream: true, stream_options: { include_usage: true } };
    const passed = Buffer.from(JSON.stringify(request));
    messages.push({ role: "assistant", content: response });
    return {
      provider: "OPENAI",
      request: passed,
      response: openaiStream(response, random),
      gateway: SESSION(session),
      ...openaiHeaders(random, true),
    };
  });
}

const TOOLS = (text: (length: number) => string) =>
  Array.from({ length: 16 }, (_, at) => ({
    name: `tool_${at}`,
    description: text(1_200),
    schema: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "number", description: text(80) } },
      required: ["path"],
    },
  }));

function agent(count: number): Generator<Passed> {
  const random = numbers(5);
  const text = texts(all, 6);
  const system = text(18_000);
  const tools = TOOLS(text).map(({ schema, ...tool }) => ({
    type: "function",
    function: { ...tool, parameters: schema },
  }));
  const begin = (): Chat => ({
    messages: [
      { role: "system", content: system },
      { role: "user", content: text(400) },
    ],
    session: id(random, 12),
  });
  return conversations(count, 50, begin, ({ messages, session }) => {
    const request = { model: "gpt-4o", messages, tools, stream: true, stream_options: { include_usage: true } };
    const passed = Buffer.from(JSON.stringify(request));
    const response = text(700);
    const call = `call_${id(random, 24)}`;
    messages.push({
      role: "assistant",
      content: response,
      tool_calls: [{ id: call, type: "function", function: { name: "tool_3", arguments: '{"path":"src/a.ts"}' } }],
    });
    messages.push({ role: "tool", tool_call_id: call, content: text(2_500 + Math.floor(random() * 5_000)) });
    return {
      provider: "OPENAI",
      request: passed,
      response: openaiStream(response, random),
      gateway: SESSION(session),
      ...openaiHeaders(random, true),
    };
  });
}

/** Messages stand before what stays the same, and the mark for the provider's cache moves with each turn. */
function anthropicAgent(count: number): Generator<Passed> {
  const random = numbers(7);
  const text = texts(all, 8);
  const system = [{ type: "text", text: text(18_000), cache_control: { type: "ephemeral" } }];
  const tools = TOOLS(text).map(({ schema, ...tool }) => ({ ...tool, input_schema: schema }));
  const begin = (): Chat => ({
    messages: [{ role: "user", content: [{ type: "text", text: text(400) }] }],
    session: id(random, 12),
  });
  return conversations(count, 50, begin, ({ messages, session }) => {
    const marked = messages.map((message, at) => {
      if (at < messages.length - 1) return message;
      const { content, ...rest } = message as { content: object[] };
      return {
        ...rest,
        content: content.map((block, part) =>
          part === content.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
        ),
      };
    });
    const request = {
      model: "claude-sonnet-4-5-20250929",
      max_tokens: 8_192,
      messages: marked,
      system,
      tools,
      stream: true,
    };
    const passed = Buffer.from(JSON.stringify(request));
    const response = text(600);
    const call = `toolu_${id(random, 22)}`;
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: response },
        { type: "tool_use", id: call, name: "tool_3", input: { path: "src/a.ts" } },
      ],
    });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call, content: text(2_500 + Math.floor(random() * 5_000)) }],
    });
    return {
      provider: "ANTHROPIC",
      request: passed,
      response: anthropicStream(response, random),
      gateway: SESSION(session),
      ...anthropicHeaders(random),
    };
  });
}

/** Every request brings other documents: no two share a stretch of text. */
function* rag(count: number): Generator<Passed> {
  const random = numbers(9);
  const text = texts(prose, 10);
  const length = Math.floor(all.length / count);
  for (let at = 0; at < count; at++) {
    const documents = all.slice(at * length, at * length + Math.min(length, 88_000));
    const content = `${documents}\n\nAnswer from these documents: ${text(200)}`;
    const request = {
      model: "gpt-4o",
      messages: [
        { role: "system", content: "Answer from the documents alone." },
        { role: "user", content },
      ],
      stream: true,
      stream_options: { include_usage: true },
    };
    yield {
      provider: "OPENAI",
      request: Buffer.from(JSON.stringify(request)),
      response: openaiStream(text(600), random),
      gateway: [],
      ...openaiHeaders(random, true),
    };
  }
}

function vision(count: number): Generator<Passed> {
  const random = numbers(11);
  const text = texts(prose, 12);
  const begin = (): Chat => {
    const picture = Buffer.from(Uint8Array.from({ length: 750_000 }, () => random() * 256)).toString("base64");
    const content = [
      { type: "text", text: text(200) },
      { type: "image_url", image_url: { url: `data:image/jpeg;base64,${picture}` } },
    ];
    return { messages: [{ role: "user", content }], session: id(random, 12) };
  };
  return conversations(count, 6, begin, ({ messages, session }) => {
    const request = { model: "gpt-4o", messages, stream: true, stream_options: { include_usage: true } };
    const passed = Buffer.from(JSON.stringify(request));
    const response = text(480);
    messages.push({ role: "assistant", content: response }, { role: "user", content: text(200) });
    return {
      provider: "OPENAI",
      request: passed,
      response: openaiStream(response, random),
      gateway: SESSION(session),
      ...openaiHeaders(random, true),
    };
  });
}

export const WORKLOADS: readonly Workload[] = [
  { name: "small", together: 100, goal: 0.85, before: { ratio: 3.33, cpuMs: 0.25 }, make: small, count: 4_000 },
  { name: "chat", together: 8, goal: 0.15, before: { ratio: 0.257, cpuMs: 1.3 }, make: chat, count: 600 },
  { name: "agent", together: 1, goal: 0.05, before: { ratio: 0.307, cpuMs: 5.1 }, make: agent, count: 600 },
  {
    name: "agent, Anthropic",
    together: 1,
    goal: 0.05,
    before: { ratio: 0.366, cpuMs: 5.6 },
    make: anthropicAgent,
    count: 600,
  },
  { name: "RAG", together: 1, goal: 0.35, before: { ratio: 0.979, cpuMs: 3.6 }, make: rag, count: 40 },
  { name: "vision", together: 1, goal: 0.15, before: { ratio: 0.129, cpuMs: 8.5 }, make: vision, count: 72 },
];
