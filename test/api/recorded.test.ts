import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import Libsql from "libsql";
import { openApi, type TestApi } from "./open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const JSON_TYPE = ["Content-Type", "application/json"];

function begin(body: string): string {
  const id = randomUUID();
  it.spool.begin(id, {
    time: Date.now(),
    method: "POST",
    path: "/v1/chat/completions",
    target: "https://llm.example.com",
    provider: "CUSTOM",
    organization: it.organization,
    keyId: "k",
    keyName: "all",
    authHash: "aa",
    headers: JSON_TYPE,
    gateway: ["Gateway-Property-Team", "day", "Gateway-Session-Id", id],
    omitRequest: false,
    omitResponse: false,
  });
  it.spool.requestChunk(id, Buffer.from(body));
  it.spool.flush();
  return id;
}

function end(id: string, type: string[], body: string): void {
  it.spool.head(id, { time: Date.now(), status: 200, headers: type });
  it.spool.responseChunk(id, Buffer.from(body));
  const bytes = Buffer.byteLength(body);
  it.spool.end(id, { time: Date.now(), outcome: "complete", requestBytes: 1, responseBytes: bytes });
  it.spool.flush();
}

const REQUEST = { model: "m-1", messages: [{ role: "user", content: "What is a weir?" }] };
const RESPONSE = {
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "m-1",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "A low dam." } }],
  usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
};

test("a request is read back whole as soon as it has ended, with its neutral schema", async () => {
  const id = begin(JSON.stringify(REQUEST));
  end(id, JSON_TYPE, JSON.stringify(RESPONSE));
  const { json } = await it.call("GET", `/v1/request/${id}`, { key: it.keys.read });
  expect(json.data).toMatchObject({
    request_id: id,
    response_status: 200,
    request_body: REQUEST,
    response_body: RESPONSE,
    properties: { Team: "day" },
    model: "m-1",
    prompt_tokens: 5,
    total_tokens: 9,
    streamed: false,
  });
  expect(json.data.llmSchema.request.messages[0].content).toBe("What is a weir?");
  expect(json.data.llmSchema.response.messages[0].content).toBe("A low dam.");
});

test("a stream is shown as one object, and its events stay as they came", async () => {
  const events = ["A low", " dam."].map((content) => ({
    id: "c",
    model: "m-1",
    choices: [{ index: 0, delta: { content } }],
  }));
  const text = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
  const id = begin(JSON.stringify({ ...REQUEST, stream: true }));
  end(id, ["Content-Type", "text/event-stream"], text);
  const { json } = await it.call("GET", `/v1/request/${id}`);
  expect(json.data.streamed).toBe(true);
  expect(json.data.response_body.choices[0].message.content).toBe("A low dam.");
  const raw = await fetch(`${it.origin}/v1/request/${id}/body?part=response&raw=true`, {
    headers: { authorization: `Bearer ${it.keys.read}` },
  });
  expect([await raw.text(), raw.headers.get("content-type")]).toEqual([text, "text/event-stream"]);
});

test("what the provider received and returned is read along with what the client sent and received", async () => {
  const id = begin(JSON.stringify(REQUEST));
  const read = async (query: string) => (await it.call("GET", `/v1/request/${id}/body${query}`)).json;
  it.spool.providerRequest(id, { time: 1, headers: ["X-Team", "blue"], hasBody: true });
  it.spool.providerRequestChunk(id, Buffer.from('{"first":'));
  it.spool.providerRequest(id, { time: 2, headers: [...JSON_TYPE, "X-Team", "red"], hasBody: true });
  for (const piece of ['{"model":', '"m-2"}']) it.spool.providerRequestChunk(id, Buffer.from(piece));
  it.spool.providerResponse(id, { time: 3, status: 201, headers: ["Content-Type", "text/event-stream"] });
  it.spool.providerResponseChunk(id, Buffer.from("data: 1\n\n"));
  end(id, JSON_TYPE, JSON.stringify(RESPONSE));
  expect((await read("?part=provider_request")).data).toEqual({ model: "m-2" });
  expect((await read("?part=provider_response")).data).toBe("data: 1\n\n");
  expect((await read("")).data).toEqual({ request: REQUEST, response: RESPONSE });
  const { json } = await it.call("GET", `/v1/request/${id}/headers`);
  expect(json.data).toMatchObject({
    request: [JSON_TYPE],
    provider_request: [JSON_TYPE, ["X-Team", "red"]],
    provider_response: [["Content-Type", "text/event-stream"]],
  });
  const raw = await fetch(`${it.origin}/v1/request/${id}/body?part=provider_response&raw=true`, {
    headers: { authorization: `Bearer ${it.keys.read}` },
  });
  expect([await raw.text(), raw.headers.get("content-type")]).toEqual(["data: 1\n\n", "text/event-stream"]);
});

test("where no body is stored, the error says what may be the reason", async () => {
  const id = begin(JSON.stringify(REQUEST));
  end(id, ["Content-Length", "0"], "");
  expect((await it.call("GET", `/v1/request/${id}/body?part=response`)).json).toEqual({ data: null, error: null });
  const raw = await it.call("GET", `/v1/request/${id}/body?part=response&raw=true`);
  const message = "no response body is stored: it was empty, its client omitted it, or retention has removed it";
  expect([raw.status, raw.json.message]).toEqual([404, message]);
});

test("the provider's part is null where it is the client's", async () => {
  const id = begin(JSON.stringify(REQUEST));
  it.spool.providerRequest(id, { time: 1, headers: JSON_TYPE, hasBody: true });
  it.spool.providerRequestChunk(id, Buffer.from("{}"));
  it.spool.providerRequest(id, { time: 2, hasBody: false });
  end(id, JSON_TYPE, JSON.stringify(RESPONSE));
  const body = `/v1/request/${id}/body?part=provider_request`;
  expect((await it.call("GET", body)).json).toEqual({ data: null, error: null });
  const raw = await it.call("GET", `${body}&raw=true`);
  expect([raw.status, raw.json.message]).toEqual([404, expect.stringContaining("read part=request")]);
});

test("properties are set on a request in flight and survive its end", async () => {
  const id = begin(JSON.stringify(REQUEST));
  const { json } = await it.call("PUT", `/v1/request/${id}/property`, { body: { Team: "night", Shift: "2" } });
  expect(json.data[0].properties).toEqual({ Team: "night", Shift: "2" });
  const inFlight = await it.call("GET", `/v1/request/${id}`);
  expect(inFlight.json.data).toMatchObject({ response_status: null, properties: { Team: "night", Shift: "2" } });
  expect((await it.call("DELETE", "/v1/request", { body: { requestIds: [id] } })).json.data).toBe(0);
  end(id, JSON_TYPE, JSON.stringify(RESPONSE));
  const ended = await it.call("GET", `/v1/request/${id}`);
  expect(ended.json.data).toMatchObject({ response_status: 200, properties: { Team: "night", Shift: "2" } });
});

test("a model is listed once it was used", async () => {
  const { json } = await it.call("GET", "/v1/models");
  expect(json.data).toEqual([expect.objectContaining({ provider: "CUSTOM", model: "m-1", state: "mapped" })]);
});

/** Each names a request or its session, and needs its record. */
const NAMED: readonly (readonly [
  what: string,
  method: string,
  path: (id: string) => string,
  body: (id: string) => object | undefined,
])[] = [
  ["a session's tag", "PUT", (id) => `/v1/session/${id}/tag`, () => ({ tag: "t" })],
  ["a property", "PUT", (id) => `/v1/request/${id}/property`, () => ({ Team: "a" })],
  ["a score", "POST", (id) => `/v1/request/${id}/score`, () => ({ scores: { good: true } })],
  ["feedback", "POST", (id) => `/v1/request/${id}/feedback`, () => ({ rating: true })],
  ["a comment", "POST", (id) => `/v1/request/${id}/comments`, () => ({ text: "Look here." })],
  ["a link to it", "POST", () => "/v1/shared-links", (id) => ({ request_id: id })],
  ["a link to its session", "POST", () => "/v1/shared-links", (id) => ({ session_id: id })],
  ["its record", "GET", (id) => `/v1/request/${id}`, () => undefined],
  ["its cost", "GET", (id) => `/v1/request/${id}/cost`, () => undefined],
];

test.each(NAMED)("a request in flight has %s as soon as its id is known", async (_what, method, path, body) => {
  const id = begin(JSON.stringify(REQUEST));
  const { status } = await it.call(method, path(id), { body: body(id) });
  expect(status).toBe(200);
  end(id, JSON_TYPE, JSON.stringify(RESPONSE));
});

test("a call that names a request waits for its record while the recorder lags", async () => {
  const writer = new Libsql(join(it.directory, "weir.db"));
  writer.exec("begin immediate");
  const id = begin(JSON.stringify(REQUEST));
  end(id, JSON_TYPE, JSON.stringify(RESPONSE));
  const named = NAMED.map(([, method, path, body]) => it.call(method, path(id), { body: body(id) }));
  // A query reads what is there after a second: these have waited as long.
  const { json } = await it.call("POST", "/v1/request/query-ids", { body: { requestIds: [id] } });
  expect(json.data).toEqual([]);
  writer.exec("commit");
  writer.close();
  expect((await Promise.all(named)).map(({ status }) => status)).toEqual(NAMED.map(() => 200));
});
