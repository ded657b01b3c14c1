import { expect, test } from "bun:test";
import fc from "fast-check";
import { SpanQueue } from "../../plugins/otlp/queue.ts";
import { type Span, spanOf } from "../../plugins/otlp/span.ts";
import { traceOf } from "../../plugins/otlp/trace.ts";
import type { RecordDraft, RecordFacts } from "../../src/plugin-host/contract.ts";
import { assertProperty } from "../chance.ts";
import { until } from "../until.ts";
import { startCollector } from "./collector.ts";

const ID = "0190163d-8694-739b-aea5-966c26f8ad91";
const OWN = { traceId: "0190163d8694739baea5966c26f8ad91", spanId: "aea5966c26f8ad91", sampled: true };
const THEIRS = "4bf92f3577b34da6a3ce929d0e0e4736";

test.each<[string, string | undefined, object]>([
  ["none", undefined, OWN],
  [
    "a sampled one",
    `00-${THEIRS}-00f067aa0ba902b7-01`,
    { traceId: THEIRS, parentSpanId: "00f067aa0ba902b7", sampled: true },
  ],
  ["one that is not kept", `00-${THEIRS}-00f067aa0ba902b7-00`, { traceId: THEIRS, sampled: false }],
  ["one of a later version", `01-${THEIRS}-00f067aa0ba902b7-01-what`, { traceId: THEIRS, sampled: true }],
  ["one of version ff", `ff-${THEIRS}-00f067aa0ba902b7-01`, OWN],
  ["one with more than version 00 has", `00-${THEIRS}-00f067aa0ba902b7-01-what`, OWN],
  ["an empty trace id", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, OWN],
  ["an empty parent", `00-${THEIRS}-0000000000000000-01`, OWN],
  ["capitals", `00-${THEIRS.toUpperCase()}-00f067aa0ba902b7-01`, OWN],
  ["nonsense", "hello", OWN],
])("a traceparent that is %s", (_name, header, wanted) => {
  const headers = new Headers(header === undefined ? {} : { traceparent: header });
  expect(traceOf(ID, headers)).toMatchObject(wanted);
});

const facts: RecordFacts = {
  method: "POST",
  path: "/v1/x",
  target: "https://api.example.com",
  wireSchema: "chat-completions",
  requestModel: "m",
  responseModel: null,
  responseId: null,
  startedAt: 1_700_000_000_123.25,
  endedAt: 1_700_000_001_123.5,
  timeToFirstToken: null,
  usage: {},
  usageEstimated: false,
  streamed: false,
  cached: false,
  outcome: "complete",
  error: null,
  sessionId: null,
  promptId: null,
  promptText: null,
  responseText: null,
  requestHeaders: new Headers(),
  responseHeaders: new Headers(),
};

function draftOf(changes: Partial<RecordFacts> = {}, more: Partial<RecordDraft> = {}): RecordDraft {
  return {
    request_id: ID,
    organization_id: "default",
    provider: "OPENAI",
    model: "m",
    request_user_id: null,
    properties: {},
    cost: null,
    threat: null,
    response_status: 200,
    request_body: null,
    response_body: null,
    facts: { ...facts, ...changes },
    ...more,
  };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const trace = traceOf(ID, new Headers());

test.each([
  ["chat-completions", "chat"],
  ["messages", "chat"],
  ["embeddings", "embeddings"],
  ["generate-content", "generate_content"],
  ["completions", "text_completion"],
  [null, "chat"],
])("the operation of %p is %s", (wireSchema, operation) => {
  const span = spanOf(draftOf({ wireSchema }), trace, true);
  expect([span.name, attributesOf(span)["gen_ai.operation.name"]]).toEqual([`${operation} m`, operation]);
});

test.each([
  ["OPENAI", "openai"],
  ["AWS", "aws.bedrock"],
  ["AZURE", "azure.ai.openai"],
  ["MISTRAL", "mistral_ai"],
  ["X", "x_ai"],
  ["CUSTOM", "custom"],
])("the provider %s is %s", (provider, name) => {
  expect(attributesOf(spanOf(draftOf({}, { provider }), trace, true))["gen_ai.provider.name"]).toBe(name);
});

test("times are nanoseconds in text, and the port follows from the scheme", () => {
  const span = spanOf(draftOf(), trace, true);
  expect([span.startTimeUnixNano, span.endTimeUnixNano]).toEqual(["1700000000123250000", "1700000001123500000"]);
  expect(attributesOf(span)["server.port"]).toBe("443");
});

test.each<[string, Partial<RecordFacts>, Partial<RecordDraft>, string | undefined]>([
  ["an answer", {}, {}, undefined],
  ["a status", {}, { response_status: 429 }, "429"],
  [
    "the provider's own kind",
    { error: { code: "overloaded_error", message: "no" } },
    { response_status: 529 },
    "overloaded_error",
  ],
  ["an error inside a stream", { error: { code: null, message: "no" } }, {}, "200"],
  ["a client that left", { outcome: "client_gone" }, { response_status: 499 }, "client_gone"],
  ["a stop", { outcome: "cut_off", endedAt: null }, { response_status: 500 }, "cut_off"],
])("the error of %s", (_name, changes, more, type) => {
  const span = spanOf(draftOf(changes, more), trace, true);
  expect(attributesOf(span)["error.type"]).toBe(type as string);
  expect(span.status.code).toBe(type === undefined ? 0 : 2);
});

test("any JSON in the bodies gives a span that JSON can carry", () => {
  assertProperty(
    fc.property(fc.jsonValue(), fc.jsonValue(), (request_body, response_body) => {
      const span = spanOf(draftOf({}, { request_body, response_body }), trace, true);
      expect(JSON.parse(JSON.stringify(span)).spanId).toBe(trace.spanId);
    }),
  );
});

test("a batch that the collector says is wrong is not sent again; spans that it throws away are counted", async () => {
  await using collector = await startCollector((batch) =>
    batch === 0
      ? { status: 400, body: "no" }
      : { status: 200, body: JSON.stringify({ partialSuccess: { rejectedSpans: "1" } }) },
  );
  const silent = { info() {}, warn() {}, error() {} };
  const limits = { batchSpans: 2, queueSpans: 10, intervalMs: 10, timeoutMs: 60_000 };
  const queue = new SpanQueue({ url: collector.address, headers: {}, resource: {}, ...limits, log: silent });
  const span = spanOf(draftOf(), trace, true);
  for (let count = 0; count < 4; count++) queue.add(span);
  await until(
    () => queue.counts.spans_exported + queue.counts.spans_rejected === 4,
    180_000,
    () => `${collector.batches.length} batches came`,
  );
  expect(collector.batches).toHaveLength(2);
  await queue.close();
  expect(queue.counts).toEqual({
    spans_exported: 1,
    spans_rejected: 3,
    spans_dropped: 0,
    spans_unsampled: 0,
    export_failures: 1,
  });
  queue.add(span);
  expect(queue.counts.spans_dropped).toBe(1);
});
