import { expect, test } from "bun:test";
import type { ProviderIndex } from "../../../../src/gateway/target.ts";
import type { ProviderPlugin, Shape } from "../../../../src/plugin-host/contract.ts";
import { loadRegistry } from "../../../../src/plugin-host/providers/registry.ts";
import { dropInFolder, keptLog } from "../../../plugin-host/folder.ts";
import * as house from "../house.ts";
import { acme, indexWith, talk } from "../own-shape.ts";

const { at, chatResponse: chatAnswer, events, json, KEY, messagesResponse: messagesAnswer, messagesEvents } = house;

/** A gateway with a drop-in that clients may call in its own API, and one stand-in for every provider. */
async function start(respond: house.Respond, changes: Partial<Shape> = {}) {
  const upstream = house.standIn(respond);
  const credentials = ["ACME", "OPENAI", "ANTHROPIC"].map((name) => at(name, upstream.origin));
  let index: ProviderIndex = await indexWith(acme({ ...talk, ...changes }));
  const gateway = await house.startUnified({ credentials, registry: () => index });
  const ask = async (body: unknown, path = "/v1/talk", headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${gateway.unifiedPort}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  };
  return {
    upstream,
    gateway,
    ask,
    use: async (...own: readonly ProviderPlugin[]) => {
      index = await indexWith(...own);
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The data of each server-sent event. */
const eventsIn = (text: string) =>
  text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice("data: ".length)));

const record = ({ gateway }: Awaited<ReturnType<typeof start>>, { headers }: { readonly headers: Headers }) =>
  gateway.spool.ended(headers.get("gateway-id")!);

test("a request in a drop-in's shape is translated for a provider of another API, and both sides are recorded", async () => {
  await using it = await start(() => json(messagesAnswer("Hello.")));
  const sent = '{"engine": "anthropic/claude-test", "prompt": "Hi.",  "most": 9, "luck": 4}';
  const response = await it.ask(sent);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.json()).toEqual({
    ticket: expect.stringMatching(/^[0-9a-f]{32}$/),
    engine: "claude-test",
    reply: "Hello.",
    spent: [5, 3],
  });
  expect(it.upstream.received[0]).toMatchObject({ path: "/v1/messages" });
  expect(it.upstream.received[0]!.json).toEqual({
    model: "claude-test",
    max_tokens: 9,
    messages: [{ role: "user", content: "Hi." }],
  });
  // Messages has no seed; the path is that of the client's body.
  expect(response.headers.get("gateway-warning")).toBe("dropped luck");
  const { requestBody, responseBody, provider, head } = await record(it, response);
  expect(requestBody.toString()).toBe(sent);
  expect(responseBody.toString()).toBe(response.text);
  expect(JSON.parse(provider.request!.toString())).toEqual(it.upstream.received[0]!.json);
  expect(JSON.parse(provider.response!.toString())).toEqual(messagesAnswer("Hello."));
  expect(head!.routing).toMatchObject({ mapping: "NO_MAPPING", path: "/v1/messages", routedModel: "claude-test" });
});

test("a stream is written in the drop-in's events", async () => {
  await using it = await start(() => events(messagesEvents("Hey")));
  const response = await it.ask({ engine: "anthropic/claude-test", prompt: "Hi.", most: 9, live: true });
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  expect(eventsIn(response.text)).toEqual([{ bit: "H" }, { bit: "e" }, { bit: "y" }, { over: true }]);
  expect(it.upstream.received[0]!.json.stream).toBe(true);
});

test("where the provider speaks the shape, the bytes pass, but for the model's name", async () => {
  const reply = '{"reply":  "as it is", "more": 1e400}';
  await using it = await start(() => new Response(reply, { headers: { "content-type": "application/json" } }));
  const response = await it.ask('{"engine": "acme/m-1",  "prompt": "Hi.", "odd": 1.0}', "/odd/prefix/talk?x=1");
  expect(response.text).toBe(reply);
  expect(it.upstream.received[0]).toMatchObject({
    path: "/v9/talk?x=1",
    text: '{"engine": "m-1",  "prompt": "Hi.", "odd": 1.0}',
  });
});

test("the model of a header replaces the body's, and needs none in the body", async () => {
  await using it = await start(() => json({ reply: "yes" }));
  const named = { "gateway-model": "acme/m-2" };
  expect((await it.ask({ engine: "x", prompt: "Hi." }, "/talk", named)).status).toBe(200);
  expect((await it.ask('{"prompt": "Hi."}', "/talk", named)).status).toBe(200);
  expect(it.upstream.received.map(({ text }) => text)).toEqual([
    '{"engine":"m-2","prompt":"Hi."}',
    '{"prompt": "Hi."}',
  ]);
  expect((await it.ask({ prompt: "Hi." })).json()).toMatchObject({ kind: "invalid_body" });
});

test("a body whose model member is ambiguous is rewritten by the shape", async () => {
  await using it = await start(() => json({ reply: "yes", spent: [1, 2] }));
  const response = await it.ask({ engine: "acme/m-1", prompt: "acme/m-1" });
  expect(it.upstream.received[0]!.json).toEqual({ engine: "m-1", live: false, prompt: "acme/m-1" });
  expect(response.json()).toMatchObject({ reply: "yes", engine: "m-1", spent: [1, 2] });
});

test("tools go to a provider that has them, and its calls return through the shape", async () => {
  const call = { type: "tool_use", id: "toolu_1", name: "clock", input: {} };
  await using it = await start(() => json({ ...messagesAnswer(""), content: [call], stop_reason: "tool_use" }));
  const response = await it.ask({ engine: "anthropic/claude-test", prompt: "Time?", most: 9, tools: ["clock"] });
  expect(it.upstream.received[0]!.json.tools).toMatchObject([{ name: "clock" }]);
  expect(response.json().reply).toBe("<call>");
});

test.each<[string, () => Response, number, object]>([
  [
    "a provider's error",
    () => json({ type: "error", error: { type: "overloaded_error", message: "busy" } }, 529),
    529,
    { trouble: "busy" },
  ],
  ["an unreadable response", () => new Response("<html>"), 502, { kind: "upstream_malformed" }],
])("%s has the drop-in's shape", async (_name, respond, status, body) => {
  await using it = await start(respond);
  const response = await it.ask({ engine: "anthropic/claude-test", prompt: "Hi.", most: 9 });
  expect([response.status, response.json()]).toEqual([status, expect.objectContaining(body)]);
});

test("errors of the gateway have the drop-in's shape", async () => {
  await using it = await start(() => json({}));
  const kinds = [
    await it.ask({ engine: "no-such/model", prompt: "Hi." }),
    await it.ask("no JSON"),
    await it.ask({ engine: "acme/m" }, "/talk", { authorization: "Bearer wrong" }),
    await it.ask({ engine: "anthropic/m", prompt: "Hi.", most: 9 }, "/talk", { "gateway-body-mapping": "NO_MAPPING" }),
  ].map((response) => [response.status, response.json().kind]);
  expect(kinds).toEqual([
    [404, "model_not_found"],
    [400, "invalid_body"],
    [401, "invalid_gateway_auth"],
    [400, "untranslatable"],
  ]);
  expect(it.upstream.received).toEqual([]);
});

test("a drop-in does not take over an endpoint of the gateway", async () => {
  await using it = await start(() => json(chatAnswer("Hello.")), { endpoint: /./ });
  const chat = await it.ask({ model: "openai/gpt-test", messages: [] }, "/v1/chat/completions");
  expect(chat.text).toBe(JSON.stringify(chatAnswer("Hello.")));
  const read = await fetch(`${it.gateway.origin}/v1/other`, { headers: { authorization: `Bearer ${KEY}` } });
  expect([read.status, (await read.json()).error.code]).toEqual([404, "unknown_endpoint"]);
});

test("a changed drop-in is used at once, and without it the path is unknown again", async () => {
  await using it = await start(() => json(messagesAnswer("Hello.")));
  const body = { engine: "anthropic/claude-test", prompt: "Hi.", most: 9 };
  expect((await it.ask(body)).json()).toMatchObject({ reply: "Hello." });
  await it.use(acme({ ...talk, writeAnswer: () => ({ said: "another" }) }));
  expect((await it.ask(body)).json()).toEqual({ said: "another" });
  await it.use(acme({ ...talk, endpoint: /\/speak$/ }));
  expect((await it.ask(body, "/speak")).status).toBe(200);
  for (const own of [[acme({ ...talk, endpoint: /\/speak$/ })], []]) {
    await it.use(...own);
    const response = await it.ask(body);
    expect([response.status, response.json().error.code]).toEqual([404, "unknown_endpoint"]);
  }
});

const boom = () => {
  throw new Error("boom");
};
const odd = (value: unknown) => () => value as never;
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

test.each<[string, Partial<Shape>, number, string, string]>([
  ["readRequest throws", { readRequest: boom }, 400, "invalid_body", "the shape talk cannot read this body: boom"],
  [
    "readRequest returns nothing",
    { readRequest: odd(undefined) },
    500,
    "plugin_failed",
    "readRequest returns no prompt",
  ],
  [
    "readRequest returns odd turns",
    { readRequest: odd({ messages: [1] }) },
    500,
    "plugin_failed",
    "readRequest returns no",
  ],
  ["writeAnswer throws", { writeAnswer: boom }, 500, "plugin_failed", "writeAnswer throws: boom"],
  ["writeAnswer returns nothing", { writeAnswer: odd(undefined) }, 500, "plugin_failed", "writeAnswer returns no body"],
  ["writeAnswer returns no JSON", { writeAnswer: odd(cyclic) }, 500, "plugin_failed", "writeAnswer throws"],
])("%s: an error in the shape, and the next request is served", async (_name, changes, status, kind, trouble) => {
  await using it = await start(() => json(messagesAnswer("Hello.")), changes);
  const body = { engine: "anthropic/claude-test", prompt: "Hi.", most: 9 };
  const response = await it.ask(body);
  expect([response.status, response.json().kind]).toEqual([status, kind]);
  expect(response.json().trouble).toContain(trouble);
  expect((await record(it, response)).end).toMatchObject({ status });
  await it.use(acme());
  expect((await it.ask(body)).json()).toMatchObject({ reply: "Hello." });
});

test.each<[string, Partial<Shape>]>([
  ["throws", { writeEvents: boom }],
  ["returns no list", { writeEvents: odd(7) }],
  ["returns no events", { writeEvents: odd([7]) }],
  ["returns an event without data", { writeEvents: odd([{}]) }],
])("writeEvents that %s is an error in the shape before the first event", async (_name, changes) => {
  await using it = await start(() => events(messagesEvents("Hey")), changes);
  const response = await it.ask({ engine: "anthropic/claude-test", prompt: "Hi.", most: 9, live: true });
  expect([response.status, response.json().kind]).toEqual([500, "plugin_failed"]);
});

test("writeEvents that throws in the middle ends the connection, and the record has the reason", async () => {
  const writeEvents: Shape["writeEvents"] = (state, piece, reply) =>
    piece.type === "end" ? boom() : talk.writeEvents!(state, piece, reply);
  await using it = await start(() => events(messagesEvents("Hey")), { writeEvents });
  const body = { engine: "anthropic/claude-test", prompt: "Hi.", most: 9, live: true };
  expect(await it.ask(body).catch(() => "cut off")).toBe("cut off");
  const { end } = await it.gateway.spool.endedPath("/v1/talk");
  expect(end!.error).toMatchObject({
    code: "plugin_failed",
    message: expect.stringContaining("writeEvents throws: boom"),
  });
  await it.use(acme());
  expect(eventsIn((await it.ask(body)).text).at(-1)).toEqual({ over: true });
});

test.each<[string, Partial<Shape>]>([
  ["writeError throws", { writeError: boom }],
  ["writeError returns nothing", { writeError: odd(undefined) }],
  ["writeStatus returns no status", { writeStatus: odd("bad") }],
])("%s: the error has the shape of chat completions", async (_name, changes) => {
  await using it = await start(() => json({}), changes);
  const response = await it.ask({ engine: "no-such/model", prompt: "Hi." });
  expect([response.status, response.json().error.code]).toEqual([404, "model_not_found"]);
});

test("an endless loop in a loaded drop-in is cut off", async () => {
  await using folder = await dropInFolder();
  await folder.write(
    "loop.ts",
    `const none = () => ({});
     const shape = { name: "loop", endpoint: /\\/loop$/, readRequest: () => { for (;;); }, writeAnswer: none, writeEvents: () => [],
       writeError: ({ code }) => ({ kind: code }), writeRequest: none, readAnswer: none, readEvent: () => [], readError: none };
     export default { apiVersion: 1, name: "LOOP", target: "https://loop.example", shapes: [{ shape }] };`,
  );
  const { providers } = await loadRegistry({
    directories: [folder.folder],
    log: keptLog().log,
  });
  await using it = await start(() => json({}));
  await it.use(...providers);
  const response = await it.ask({}, "/loop");
  expect([response.status, response.json()]).toEqual([500, { kind: "plugin_failed" }]);
});

test("explain knows the shape by name, and writes its least body", async () => {
  await using it = await start(() => json({}));
  const question = {
    key: { id: "", name: "", organizationId: "org-1", models: null, credentials: null },
    ...{ user: undefined, session: undefined, properties: {}, body: undefined },
  };
  const explain = (model: string, shape: string, body?: string) =>
    it.gateway.explainRoute({ ...question, model, shape, ...(body !== undefined && { body }) });
  expect((await explain("acme/m-1", "talk")).targets).toMatchObject([{ shape: "talk", same_shape: true }]);
  const body = '{"engine":"x","prompt":"Hi.","most":9,"luck":1}';
  expect((await explain("anthropic/claude-test", "talk", body)).targets).toMatchObject([
    { shape: "messages", same_shape: false, dropped: ["luck"], request: { model: "claude-test", max_tokens: 9 } },
  ]);
  await expect(explain("acme/m-1", "soap")).rejects.toThrow("shape: give one of chat-completions,");
});
