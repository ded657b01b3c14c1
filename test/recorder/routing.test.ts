import { expect, test } from "bun:test";
import anthropic from "../../providers/anthropic.ts";
import aws from "../../providers/aws.ts";
import ollama from "../../providers/ollama.ts";
import openai from "../../providers/openai.ts";
import { wholeRecords } from "../../src/engine/libsql/find/records.ts";
import { keysOf } from "../../src/engine/record-source.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { ResponseFeed } from "../../src/recorder/response-feed.ts";
import type { RawHeaders, RoutingMeta } from "../../src/spool/frame.ts";
import type { UsedTokens } from "../../src/threads.ts";
import { encodeEventStream } from "../providers/eventstream.ts";
import { until } from "../until.ts";
import { begin, type Rig, rig, silent } from "./harness.ts";

const PROVIDERS = new Map([anthropic, aws, ollama, openai].map((each) => [each.name, each as ProviderPlugin]));
const JSON_TYPE = ["Content-Type", "application/json"];
const SSE_TYPE = ["Content-Type", "text/event-stream"];
const ROUTING: RoutingMeta = {
  requestModel: "anthropic/claude-sonnet-4-5",
  routedModel: "claude-sonnet-4-5",
  path: "/v1/messages?beta=true",
  route: "fast",
  reason: "fallback from openai/gpt-5-mini: 429",
  credential: "team-anthropic",
  stored: true,
  mapping: "OPENAI",
  warnings: ["dropped seed", "estimated usage"],
};

const sse = (events: readonly object[]) =>
  events
    .map((event) => `${"type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("");

const ASKED = JSON.stringify({
  model: "anthropic/claude-sonnet-4-5",
  user: "u-1",
  messages: [{ role: "user", content: "How are you?" }],
});
/** What the client got says other numbers than the provider, so that it shows whose are taken. */
const CHAT = {
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "claude-sonnet-4-5",
  choices: [{ index: 0, message: { role: "assistant", content: "Well" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 },
};
const CHAT_STREAM = sse([
  { id: "chatcmpl-1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta: { content: "We" } }] },
  { id: "chatcmpl-1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta: { content: "ll" } }] },
]);
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [{ type: "text", text: "Well" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 100 },
};
const MESSAGE_STREAM = [
  { type: "message_start", message: { ...MESSAGE, content: [], usage: { input_tokens: 7, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Well" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
  { type: "message_stop" },
];

interface Routed {
  readonly routing?: RoutingMeta;
  readonly provider?: string;
  readonly target?: string;
  readonly path?: string;
  readonly request?: string;
  readonly response?: string;
  readonly headers?: RawHeaders;
  readonly sent?: string;
  readonly provided?: { readonly headers: RawHeaders; readonly body: string | Uint8Array } | undefined;
  /** An earlier call's response, which failed before any of it was the client's. */
  readonly failed?: string;
  readonly omit?: { readonly omitRequest?: boolean; readonly omitResponse?: boolean };
}

/** An exchange of the unified address, as the gateway writes it. */
function route({ spool }: Rig, one: Routed): string {
  const id = crypto.randomUUID();
  const { sent = '{"model":"claude-sonnet-4-5","max_tokens":1000,"messages":[]}', request = ASKED } = one;
  const { response = JSON.stringify(CHAT), headers = JSON_TYPE, provided, omit = {} } = one;
  const { provider = "ANTHROPIC", target = "https://api.anthropic.com" } = one;
  const path = one.path ?? "/v1/chat/completions";
  spool.begin(id, begin({ time: 1_000, path, target: "", provider: "CUSTOM", headers: JSON_TYPE, ...omit }));
  spool.requestChunk(id, Buffer.from(request));
  if (one.failed !== undefined) {
    spool.providerResponse(id, { time: 1_001, status: 200, headers: SSE_TYPE });
    spool.providerResponseChunk(id, Buffer.from(one.failed));
  }
  if (provided !== undefined) {
    if (!omit.omitRequest) {
      spool.providerRequest(id, { time: 1_003, headers: JSON_TYPE, hasBody: true });
      spool.providerRequestChunk(id, Buffer.from(sent));
    }
    spool.providerResponse(id, { time: 1_004, status: 200, headers: provided.headers });
    spool.providerResponseChunk(id, Buffer.from(provided.body));
  }
  spool.head(id, { time: 1_005, status: 200, headers, target, provider, routing: one.routing ?? ROUTING });
  spool.responseChunk(id, Buffer.from(response));
  const bytes = { requestBytes: request.length, responseBytes: response.length };
  spool.end(id, { time: 1_006, forwardedAt: 1_002, firstByteAt: 1_005, outcome: "complete", ...bytes });
  spool.flush();
  return id;
}

const rigged = () => rig({ readExchange, provider: (name) => PROVIDERS.get(name) });

async function rowOf(one: Routed) {
  await using weir = await rigged();
  const id = route(weir, one);
  await weir.recorder.barrier();
  return weir.row(id);
}

const WHOLE = { headers: JSON_TYPE, body: JSON.stringify(MESSAGE) };
const ROUTED = {
  request_path: "/v1/chat/completions",
  target_url: "https://api.anthropic.com/v1/messages?beta=true",
  provider: "ANTHROPIC",
  request_model: "anthropic/claude-sonnet-4-5",
  routed_model: "claude-sonnet-4-5",
  response_model: "claude-sonnet-4-5-20250929",
  model: "claude-sonnet-4-5-20250929",
  route: "fast",
  route_reason: "fallback from openai/gpt-5-mini: 429",
  credential: "team-anthropic",
  gateway_warnings: '["dropped seed","estimated usage"]',
  ai_gateway_body_mapping: "OPENAI",
  is_passthrough_billing: 1,
  wire_schema: "chat-completions",
  response_id: "chatcmpl-1",
  user_id: "u-1",
};

test("a translated request is recorded as the client's, and what it used and cost as the provider's", async () => {
  const row = await rowOf({ provided: WHOLE });
  expect(row).toMatchObject({
    ...ROUTED,
    prompt_cache_read_tokens: 100,
    completion_tokens: 3,
    usage_raw: JSON.stringify(MESSAGE.usage),
  });
  // 7 tokens at $3, 100 from the cache at $0.30 and 3 written at $15 a million.
  expect(row["cost"]).toBeCloseTo((7 * 3 + 100 * 0.3 + 3 * 15) / 1e6, 10);
});

test.each([
  ["events", { headers: SSE_TYPE, body: sse(MESSAGE_STREAM) }, { prompt_tokens: 7, completion_tokens: 3 }, {}],
  [
    "AWS frames of Converse",
    {
      headers: ["Content-Type", "application/vnd.amazon.eventstream"],
      body: encodeEventStream([
        { event: "messageStart", payload: { role: "assistant" } },
        { event: "contentBlockDelta", payload: { contentBlockIndex: 0, delta: { text: "Well" } } },
        { event: "messageStop", payload: { stopReason: "end_turn" } },
        { event: "metadata", payload: { usage: { inputTokens: 8, outputTokens: 4, totalTokens: 12 } } },
      ]),
    },
    { prompt_tokens: 8, completion_tokens: 4, provider: "AWS", model: "m" },
    { provider: "AWS", path: "/model/anthropic.claude-sonnet-4-5/converse-stream" },
  ],
  [
    "AWS frames around Anthropic's events",
    {
      headers: ["Content-Type", "application/vnd.amazon.eventstream"],
      body: encodeEventStream(
        MESSAGE_STREAM.map((event) => ({
          payload: { bytes: Buffer.from(JSON.stringify(event)).toString("base64") },
        })),
      ),
    },
    { prompt_tokens: 7, completion_tokens: 3, provider: "AWS" },
    { provider: "AWS", path: "/model/anthropic.claude-sonnet-4-5/invoke-with-response-stream" },
  ],
  [
    "lines of JSON",
    {
      headers: ["Content-Type", "application/x-ndjson"],
      body: [
        { model: "llama3", message: { role: "assistant", content: "Well" }, done: false },
        {
          model: "llama3",
          message: { role: "assistant", content: "" },
          done: true,
          prompt_eval_count: 9,
          eval_count: 5,
        },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    },
    { prompt_tokens: 9, completion_tokens: 5, provider: "OLLAMA", model: "llama3" },
    { provider: "OLLAMA", path: "/api/chat" },
  ],
] as const)("a provider's stream of %s is read in its own format", async (_name, provided, expected, where) => {
  const { provider = "ANTHROPIC", path = "/v1/messages" } = where as { provider?: string; path?: string };
  const row = await rowOf({
    provider,
    routing: { ...ROUTING, path },
    provided,
    headers: SSE_TYPE,
    response: CHAT_STREAM,
  });
  expect(row).toMatchObject({ wire_schema: "chat-completions", streamed: 1, usage_estimated: 0, ...expected });
});

test("a response on the same shape is read once: the client's is the provider's", async () => {
  const { requestModel: _, ...routing } = ROUTING;
  const row = await rowOf({
    path: "/v1/messages",
    routing: { ...routing, requestModel: "claude", route: null, mapping: "NO_MAPPING", stored: false, warnings: [] },
    request: '{"model":"claude","messages":[{"role":"user","content":"Hi"}]}',
    response: JSON.stringify(MESSAGE),
  });
  expect(row).toMatchObject({
    ...{ wire_schema: "messages", request_model: "claude", model: "claude-sonnet-4-5-20250929", route: null },
    ...{
      completion_tokens: 3,
      is_passthrough_billing: 0,
      ai_gateway_body_mapping: "NO_MAPPING",
      gateway_warnings: "[]",
    },
  });
});

test("usage that was requested and removed from the client's stream counts", async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 };
  const last = { id: "chatcmpl-1", object: "chat.completion.chunk", model: "m", choices: [], usage };
  const row = await rowOf({
    provider: "OPENAI",
    routing: { ...ROUTING, path: "/v1/chat/completions", mapping: "NO_MAPPING" },
    provided: { headers: SSE_TYPE, body: `${CHAT_STREAM}${sse([last])}` },
    headers: SSE_TYPE,
    response: CHAT_STREAM,
  });
  expect(row).toMatchObject({ prompt_tokens: 11, completion_tokens: 2, usage_estimated: 0 });
});

test.each([
  ["OLLAMA", "/api/embed", JSON_TYPE, { embeddings: [[1]], prompt_eval_count: 4 }],
  ["AWS", "/model/amazon.titan-embed-text-v2%3A0/invoke", JSON_TYPE, { embedding: [1], inputTextTokenCount: 4 }],
  [
    "AWS",
    "/model/cohere.embed-v4%3A0/invoke",
    [...JSON_TYPE, "x-amzn-bedrock-input-token-count", "12"],
    { embeddings: { float: [[1]] } },
  ],
])(
  "three calls for one request for embeddings, of %s at %s, are charged together",
  async (provider, path, headers, body) => {
    const row = await rowOf({
      provider,
      path: "/v1/embeddings",
      request: JSON.stringify({ model: "x", input: ["a", "b", "c"] }),
      routing: { ...ROUTING, path, routedModel: "m" },
      sent: JSON.stringify([{ input: "a" }, { input: "b" }, { input: "c" }]),
      provided: { headers, body: JSON.stringify([body, body, body]) },
      response: JSON.stringify({ object: "list", data: [], model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } }),
    });
    expect(row).toMatchObject({ provider, prompt_tokens: 12, usage_estimated: 0, wire_schema: "embeddings" });
  },
);

test("the response of a call that failed before is not taken for the response's", async () => {
  await using weir = await rigged();
  const failed = sse([{ type: "error", error: { type: "overloaded_error", message: "busy" } }]);
  const usage = { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 };
  const same = route(weir, {
    failed,
    provider: "OPENAI",
    routing: { ...ROUTING, path: "/v1/chat/completions", mapping: "NO_MAPPING" },
    response: JSON.stringify({ ...CHAT, usage }),
  });
  const translated = route(weir, { failed, provided: WHOLE });
  await weir.recorder.barrier();
  expect(await weir.row(same)).toMatchObject({ prompt_tokens: 5, completion_tokens: 6, error_message: null });
  expect(await weir.body(same, "provider_response")).toBeUndefined();
  expect(await weir.row(translated)).toMatchObject({ completion_tokens: 3 });
  expect((await weir.body(translated, "provider_response"))?.content.toString()).toBe(WHOLE.body);
});

test("a failed call that got no head says how it was routed", async () => {
  await using weir = await rigged();
  const id = crypto.randomUUID();
  const { mapping: _mapping, warnings: _warnings, requestModel: _model, path: _path, ...routing } = ROUTING;
  const call = { provider: "ANTHROPIC", path: "/v1/messages", attemptOf: crypto.randomUUID(), attempt: 1, routing };
  weir.spool.begin(id, begin({ time: 1, target: "https://api.anthropic.com", ...call }));
  weir.spool.end(id, { time: 9, outcome: "upstream_timeout", status: 504, requestBytes: 0, responseBytes: 0 });
  weir.spool.flush();
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({
    ...{ provider: "ANTHROPIC", response_status: 504, attempt: 1, route: "fast", credential: "team-anthropic" },
    ...{ route_reason: ROUTING.reason, routed_model: "claude-sonnet-4-5", model: "claude-sonnet-4-5" },
    ...{ is_passthrough_billing: 1, ai_gateway_body_mapping: "NO_MAPPING" },
  });
});

test("the gateway hears what a routed request used", async () => {
  const used: UsedTokens[] = [];
  const feed = new ResponseFeed({ onResponses: async () => [], onUsed: (list) => void used.push(...list) }, silent);
  await using weir = await rig({ readExchange, provider: (name) => PROVIDERS.get(name), responses: feed });
  const id = route(weir, { provided: WHOLE });
  await weir.recorder.barrier();
  await until(() => used.length > 0);
  expect(used).toEqual([{ requestId: id, outputTokens: 3 }]);
});

test("of omitted bodies the provider's usage is read, and nothing is stored", async () => {
  await using weir = await rigged();
  const id = route(weir, { provided: WHOLE, omit: { omitRequest: true, omitResponse: true } });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ ...ROUTED, completion_tokens: 3 });
  expect(await weir.body(id, "provider_response")).toBeUndefined();
  expect(await weir.body(id, "response")).toBeUndefined();
});

test("a refused request keeps the requested model, and has no provider", async () => {
  await using weir = await rigged();
  const id = crypto.randomUUID();
  spoolRefusal(weir, id);
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({
    ...{ provider: null, target_url: null, request_model: "openai/nothing", model: "openai/nothing" },
    ...{ route: null, route_reason: null, credential: null, routed_model: null, is_passthrough_billing: 0, cost: null },
  });
});

test("refused requests of one kind, which share a row, have no provider either", async () => {
  await using weir = await rigged();
  const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
  for (const id of ids) spoolRefusal(weir, id);
  await weir.recorder.barrier();
  const found = await wholeRecords(weir.store.records, "org-1", keysOf(ids));
  expect(found.map(({ provider, target_url }) => [provider, target_url])).toEqual(ids.map(() => [null, null]));
});

function spoolRefusal({ spool }: Rig, id: string): void {
  spool.begin(id, begin({ time: 1, path: "/v1/responses", target: "", provider: "" }));
  spool.requestChunk(id, Buffer.from('{"model":"openai/nothing","input":"x"}'));
  spool.head(id, { time: 2, status: 404, headers: JSON_TYPE, routing: { requestModel: "openai/nothing" } });
  const error = { code: "model_not_found", message: "no" };
  spool.end(id, { time: 3, outcome: "refused", status: 404, error, requestBytes: 38, responseBytes: 0 });
  spool.flush();
}

test("a row in flight gets its provider at its end", async () => {
  await using weir = await rig({ readExchange, provider: (name) => PROVIDERS.get(name) });
  const id = crypto.randomUUID();
  weir.spool.begin(id, begin({ time: 1, path: "/v1/chat/completions", target: "", provider: "" }));
  weir.spool.requestChunk(id, Buffer.from(ASKED));
  weir.spool.flush();
  const stored = { sql: "select 1 as x from requests where request_id = ?", args: [id] };
  while ((await weir.store.records.query(stored)).length === 0) await Bun.sleep(10);
  expect(await weir.row(id)).toMatchObject({
    ...{ provider: null, target_url: null, is_passthrough_billing: 0, route: null },
  });
  weir.spool.head(id, {
    time: 5,
    status: 200,
    headers: JSON_TYPE,
    target: "https://x.test",
    provider: "ANTHROPIC",
    routing: ROUTING,
  });
  weir.spool.responseChunk(id, Buffer.from("{}"));
  weir.spool.end(id, { time: 6, outcome: "complete", requestBytes: 3, responseBytes: 2 });
  weir.spool.flush();
  await weir.recorder.barrier();
  const { target_url: _, response_model: __, model: ___, response_id: ____, ...said } = ROUTED;
  expect(await weir.row(id)).toMatchObject({
    ...said,
    wire_schema: expect.anything(),
    target_url: "https://x.test/v1/messages?beta=true",
    model: "claude-sonnet-4-5",
  });
});
