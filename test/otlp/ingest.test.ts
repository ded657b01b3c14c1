import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { type ApiRecord, callApi, gatewayHeaders, KEY, recordOf, startWeir, type Weir } from "../e2e/weir.ts";
import { EXPORTERS, TracedProgram } from "./agent.ts";

let upstream: Upstream;
let weir: Weir;
beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream.close();
});

// biome-ignore lint/suspicious/noExplicitAny: responses are checked by what the tests expect of them
type Response = any;

async function ask(
  path: string,
  body?: unknown,
  key = KEY,
  method = body === undefined ? "GET" : "POST",
): Promise<Response> {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return (await callApi(weir, path, init, key)).json();
}

const ofSession = (session: string) => ({
  filter: { sessions_request_response_rmt: { session_session_id: { equals: session } } },
  ...{ sort: { created_at: "asc" }, limit: 100 },
});
const stepsOf = async (session: string, key = KEY): Promise<ApiRecord[]> =>
  (await ask("/v1/request/query", ofSession(session), key)).data;
const placesOf = async (session: string): Promise<Record<string, string | null>[]> =>
  (await ask(`/v1/session/${session}/spans`)).data;

/** Spans as a tree: name and kind of each, with what is within. */
function treeOf(places: readonly Record<string, string | null>[], parent: string | null = null): unknown[] {
  return places
    .filter(({ parent_span_id }) => parent_span_id === parent)
    .sort((a, b) => (a["name"]! < b["name"]! ? -1 : 1))
    .map(({ name, kind, span_id }) => [`${kind} ${name}`, ...(span_id === null ? [] : treeOf(places, span_id))]);
}

const newKey = async (scopes: readonly string[], organization?: string): Promise<string> => {
  const wanted = { name: scopes.join("-"), scopes, ...(organization !== undefined && { organization }) };
  return (await ask("/v1/keys", wanted)).data.key;
};

const CHAT = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "gpt-4o-mini",
};

/** An agent's run: a call through the gateway, a tool, a retrieval, and a call that Weir does not see. */
async function run(program: TracedProgram, session: string, headers: Record<string, string> = {}): Promise<void> {
  const attributes = { "gen_ai.operation.name": "invoke_agent", "session.id": session, "user.id": "ann" };
  await program.span(ROOT_CONTEXT, "invoke_agent planner", {
    attributes,
    within: async (agent) => {
      await program.span(agent, "chat gpt-4o-mini", {
        attributes: CHAT,
        within: async (call) => {
          // The HTTP client has a span of its own, and its context is what travels.
          await program.span(call, "POST", {
            within: async (_at, traceparent) => void (await send(session, { traceparent, ...headers })),
          });
        },
      });
      await program.span(agent, "execute_tool search", {
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "search",
          "gen_ai.tool.call.arguments": '{"place":"Lenggries"}',
          "gen_ai.tool.call.result": "2.9 m and rising",
          "weir.property.Team": "rivers",
        },
      });
      await program.span(agent, "lookup", {
        attributes: {
          "openinference.span.kind": "RETRIEVER",
          "input.value": "floods of the Isar",
          "retrieval.documents.0.document.content": "In 1999 the river rose.",
        },
        failure: "the index is away",
      });
      await program.span(agent, "ChatAnthropic", {
        attributes: {
          "openinference.span.kind": "LLM",
          "llm.provider": "anthropic",
          "llm.model_name": "claude-sonnet-4-5",
          "llm.token_count.prompt": 1_000,
          "llm.token_count.completion": 100,
          "llm.input_messages.0.message.role": "user",
          "llm.input_messages.0.message.content": "Is it safe?",
          "llm.output_messages.0.message.role": "assistant",
          "llm.output_messages.0.message.content": "No.",
        },
      });
      await program.span(agent, "SELECT 1", { attributes: { "db.system": "sqlite" } });
    },
  });
  await program.flush();
}

const send = (session: string, headers: Record<string, string>) =>
  fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: gatewayHeaders(upstream.origin, {
      ...{ "content-type": "application/json", "Gateway-Session-Id": session, ...headers },
    }),
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Plan a trip" }] }),
  }).then(async (response) => {
    await response.text();
    return recordOf(weir, response.headers.get("gateway-id")!);
  });

describe.each(Object.entries(EXPORTERS))("the exporter of OpenTelemetry in %s", (form, exporter) => {
  const session = `run-${form}`;

  test("adds an agent's run to the call that the gateway recorded, which is not duplicated", async () => {
    await run(new TracedProgram(exporter(weir.api, KEY)), session);
    const steps = await stepsOf(session);
    expect(
      steps.map(({ provider, response_status, input, output }) => [provider, response_status, input, output]),
    ).toEqual(
      expect.arrayContaining([
        ["CUSTOM", 200, "Plan a trip", expect.any(String)],
        ["OTEL", 200, expect.stringContaining("Lenggries"), "2.9 m and rising"],
        ["OTEL", 500, "floods of the Isar", expect.anything()],
        ["ANTHROPIC", 200, "Is it safe?", "No."],
      ]),
    );
    expect(steps).toHaveLength(5);
    const paid = steps.find(({ provider }) => provider === "ANTHROPIC")!;
    expect(paid).toMatchObject({
      model: "claude-sonnet-4-5",
      prompt_tokens: 1_000,
      completion_tokens: 100,
      cost: 0.0045,
    });
    expect(steps.find(({ input }) => String(input).includes("Lenggries"))!["properties"]).toMatchObject({
      Team: "rivers",
    });
  });

  test("adds nothing when it arrives a second time", async () => {
    const before = await placesOf(session);
    const { trace_id, span_id, parent_span_id } = before.find(({ name }) => name === "chat gpt-4o-mini")!;
    const attributes = { "session.id": session, "gen_ai.operation.name": "chat" };
    await postSpan({ traceId: trace_id, spanId: span_id, parentSpanId: parent_span_id, name: "again" }, attributes);
    expect(await placesOf(session)).toEqual(before);
    expect(await stepsOf(session)).toHaveLength(5);
  });

  test("is shown as a tree", async () => {
    expect(treeOf(await placesOf(session))).toEqual([
      [
        "agent invoke_agent planner",
        ["llm ChatAnthropic"],
        ["llm chat gpt-4o-mini"],
        ["tool execute_tool search"],
        ["retrieval lookup"],
      ],
    ]);
  });
});

/** An export request of one span in JSON. */
function exportOf(span: Record<string, unknown>, attributes: Record<string, string> = {}) {
  const pairs = Object.entries({ "gen_ai.tool.name": "search", ...attributes });
  const whole = {
    ...{ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", name: "search", kind: 1 },
    ...{ startTimeUnixNano: "1764201600000000000", endTimeUnixNano: "1764201601500000000" },
    attributes: pairs.map(([key, value]) => ({ key, value: { stringValue: value } })),
    ...span,
  };
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [whole] }] }] };
}

const post = (body: BodyInit, headers: Record<string, string> = {}, key = KEY) =>
  fetch(`${weir.api}/v1/traces`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    body,
  });
const postSpan = (span: Record<string, unknown>, attributes: Record<string, string> = {}, key = KEY) =>
  post(JSON.stringify(exportOf(span, attributes)), {}, key);

test("a span that arrives twice, even at the same time, is one step with the times of the span", async () => {
  const attributes = { "session.id": "again" };
  const responses = await Promise.all(Array.from({ length: 4 }, () => postSpan({}, attributes)));
  for (const response of responses) expect([response.status, await response.json()]).toEqual([200, {}]);
  await postSpan({ spanId: "00F067AA0BA902B7" }, attributes);
  const steps = await stepsOf("again");
  expect(steps).toHaveLength(1);
  expect(steps[0]).toMatchObject({ request_created_at: "2025-11-27T00:00:00.000Z", delay_ms: 1_500 });
});

test("spans that come before their session is known move to it", async () => {
  const traceId = "a".repeat(32);
  await postSpan({ traceId, spanId: "1".repeat(16), parentSpanId: "2".repeat(16) });
  expect(await stepsOf(traceId)).toHaveLength(1);
  await postSpan({ traceId, spanId: "2".repeat(16), name: "root" }, { "session.id": "late" });
  expect(await stepsOf("late")).toHaveLength(2);
  expect(await stepsOf(traceId)).toEqual([]);
  expect(treeOf(await placesOf("late"))).toEqual([["tool root", ["tool search"]]]);
});

test("a call of the gateway is found by the id that the span names, and gets the span's session", async () => {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: gatewayHeaders(upstream.origin, { "content-type": "application/json" }),
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "alone" }] }),
  });
  await response.text();
  const id = response.headers.get("gateway-id")!;
  const attributes = { "session.id": "named", "gen_ai.operation.name": "chat", "http.response.header.gateway-id": id };
  await postSpan({ traceId: "b".repeat(32) }, attributes);
  expect((await stepsOf("named")).map(({ request_id }) => request_id)).toEqual([id]);
});

test("a key that sees metrics only sees no contents of spans, and another organization none of them", async () => {
  await postSpan({ traceId: "c".repeat(32) }, { "session.id": "secret", "input.value": "the secret input" });
  const figures = await stepsOf("secret", await newKey(["figures"]));
  expect(figures).toHaveLength(1);
  expect(JSON.stringify(figures)).not.toContain("the secret input");
  const other = await newKey(["read", "write"], "elsewhere");
  expect(await stepsOf("secret", other)).toEqual([]);
  expect((await ask("/v1/session/secret/spans", undefined, other)).data).toEqual([]);
  // The same span of another organization is another span.
  await postSpan({ traceId: "c".repeat(32) }, { "session.id": "secret" }, other);
  expect([(await stepsOf("secret", other)).length, (await stepsOf("secret")).length]).toEqual([1, 1]);
});

test("deleting a step deletes its place as well", async () => {
  await postSpan({ traceId: "d".repeat(32) }, { "session.id": "gone" });
  const [step] = await stepsOf("gone");
  await ask("/v1/request", { requestIds: [step!["request_id"]] }, KEY, "DELETE");
  expect([await stepsOf("gone"), await placesOf("gone")]).toEqual([[], []]);
});

test("spans survive kill -9 once they are acknowledged", async () => {
  const own = await startWeir();
  const body = JSON.stringify(exportOf({}, { "session.id": "kept" }));
  const response = await callApi(own, "/v1/traces", { method: "POST", body });
  expect(response.status).toBe(200);
  await own.kill();
  const again = await startWeir({ dataDirectory: own.dataDirectory, env: own.env });
  const found = await callApi(again, "/v1/request/query", { method: "POST", body: JSON.stringify(ofSession("kept")) });
  expect((await found.json()).data).toHaveLength(1);
  await again.stop();
});

describe("what does not fit", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a trace id that is none", { traceId: "xyz" }, "a trace id is 16 bytes"],
    ["a span id of zeros", { spanId: "0".repeat(16) }, "a span id is 8 bytes"],
    ["an end before the start", { endTimeUnixNano: "1" }, "an end that is not before it"],
    ["no times", { startTimeUnixNano: undefined }, "a span has a start"],
  ])("%s is a partial success", async (_name, span, says) => {
    const response = await postSpan(span);
    const { partialSuccess } = await response.json();
    expect([response.status, partialSuccess.rejectedSpans]).toEqual([200, "1"]);
    expect(partialSuccess.errorMessage).toContain(says);
  });

  test("a partial success is protobuf for an agent that sends it", async () => {
    const emptySpan = Uint8Array.of(0x0a, 4, 0x12, 2, 0x12, 0);
    const response = await post(emptySpan, { "Content-Type": "application/x-protobuf" });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.subarray(6).toString();
    expect(text).toContain("a trace id is 16 bytes");
    // partial_success = 1 { rejected_spans = 1: 1, error_message = 2: text }
    expect([...bytes.subarray(0, 6)]).toEqual([0x0a, 4 + text.length, 0x08, 1, 0x12, text.length]);
  });

  test.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number, string]>([
    ["no JSON", "{", {}, 400, "not JSON"],
    ["another list", "{}", {}, 400, "resourceSpans"],
    ["another type", "{}", { "Content-Type": "text/plain" }, 400, "application/x-protobuf"],
    [
      "bytes that are no message",
      Uint8Array.of(10, 200),
      { "Content-Type": "application/x-protobuf" },
      400,
      "protobuf",
    ],
    ["no gzip", "{}", { "content-encoding": "gzip" }, 400, "Content-Encoding"],
    ["too much", "x".repeat(10_485_761), {}, 413, "over"],
    ["a bomb", new Uint8Array(gzipSync(Buffer.alloc(110_000_000))), { "content-encoding": "gzip" }, 413, "unpacks"],
  ])("%s is refused permanently, in the form of OTLP", async (_name, body, headers, status, says) => {
    const response = await post(body, headers);
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, null]);
    expect(await response.text()).toContain(says);
  });

  test("an attack on names and depths is only text", async () => {
    const deep = { arrayValue: { values: [] as unknown[] } };
    let at = deep;
    for (let depth = 0; depth < 200; depth++) {
      const next = { arrayValue: { values: [] as unknown[] } };
      at.arrayValue.values.push(next);
      at = next;
    }
    const attributes = [
      { key: "gen_ai.tool.name", value: { stringValue: "__proto__" } },
      { key: "retrieval.documents.__proto__.polluted", value: { stringValue: "yes" } },
      { key: "session.id", value: { stringValue: "hostile" } },
      { key: "input.value", value: deep },
    ];
    const response = await post(JSON.stringify(exportOf({ traceId: "e".repeat(32), attributes })));
    expect([response.status, ({} as Response).polluted]).toEqual([200, undefined]);
    expect(await stepsOf("hostile")).toHaveLength(1);
  });

  test("a key without the permission to write adds nothing", async () => {
    expect((await postSpan({}, {}, await newKey(["read"]))).status).toBe(403);
    expect((await postSpan({}, {}, "sk-weir-us-nothing")).status).toBe(401);
  });
});
