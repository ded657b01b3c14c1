import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";
import type { Json } from "../../src/plugin-host/contract.ts";
import { json, messagesResponse, standIn } from "../gateway/unified/house.ts";
import { callApi, KEY, recordOf, startWeir, type Weir } from "./weir.ts";

/** What the provider's stand-in has stored, with the key that it was stored with. */
const stored = new Map<string, { readonly response: Json; readonly key: string | null }>();

/** OpenAI, Anthropic and Gemini in one. */
const provider = standIn(({ method, path, headers, json: body }, at) => {
  const key = headers.get("authorization");
  if (path.includes(":generateContent")) return json(calling(at));
  if (path.endsWith("/count_tokens")) return json({ input_tokens: 7 });
  if (body?.model === "down") return json({ error: { message: "down" } }, 503);
  if (path.endsWith("/messages")) return json(messagesResponse(`message ${at}`));
  const [, id, rest] = /^\/v1\/responses(?:\/([^/?]+)(.*))?$/.exec(path) ?? [];
  if (id === undefined || id === "compact") {
    const response = responseOf(`resp_${String(at).padStart(48, "0")}`, `response ${at}`);
    stored.set(response.id, { response, key });
    return json(response);
  }
  const found = stored.get(id);
  if (found?.key !== key) return json({ error: { message: "no such response" } }, 404);
  if (rest?.startsWith("/input_items")) return json({ object: "list", data: [] });
  return json(method === "DELETE" ? { id, deleted: stored.delete(id) } : found?.response);
});

const responseOf = (id: string, text: string) => ({
  id,
  object: "response",
  status: "completed",
  model: "gpt-5-mini",
  output: [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "e" },
    { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text }] },
  ],
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
});

const calling = (at: number) => ({
  candidates: [
    {
      content: {
        role: "model",
        parts: [{ functionCall: { id: `call_${at}`, name: "f", args: {} }, thoughtSignature: `c2ln${at}` }],
      },
      finishReason: "STOP",
    },
  ],
});

const credential = (name: string, of: string, base: string) => `
[credentials.${name}]
provider = "${of}"
api_key = "env:KEY_${name.toUpperCase()}"
base_url = "${provider.origin}${base}"
private = true
`;

let folder: string;
let weir: Weir;
const start = () =>
  startWeir({
    dataDirectory: folder,
    env: {
      KEY_FIRST: "key-first",
      KEY_SECOND: "key-second",
      KEY_ANTHROPIC: "key-anthropic",
      KEY_GOOGLE: "key-google",
      KEY_ROUTER: "key-router",
    },
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-earlier-"));
  const routes = `
[routes.mixed]
targets = ["anthropic/claude-sonnet-4-5", "google/gemini-3-pro", "openai:second/gpt-5-mini"]
`;
  writeFileSync(
    join(folder, "weir.toml"),
    [
      credential("first", "openai", "/v1"),
      credential("second", "openai", "/v1"),
      credential("anthropic", "anthropic", ""),
      credential("google", "google", ""),
      credential("router", "openrouter", "/v1"),
      routes,
    ].join(""),
  );
  weir = await start();
});
afterAll(async () => {
  await weir?.stop();
  await provider[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

async function ask(path: string, body?: object, { method = "POST", headers = {}, key = KEY }: Asking = {}) {
  const response = await fetch(`${weir.gateway}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const result: Json = text.startsWith("event:") ? lastOf(text).response : JSON.parse(text);
  return {
    status: response.status,
    id: result?.id as string,
    response: result,
    sent: provider.received.at(-1)!,
    headers: response.headers,
  };
}

/** Of a stream of Responses: its last event, which has the whole. */
const lastOf = (text: string): Json => JSON.parse(/data: (.*)\n\n$/.exec(text)![1]!);

const GPT = "openai:second/gpt-5-mini";
const CLAUDE = "anthropic/claude-sonnet-4-5";
const respond = (model: string, input: Json, more: object = {}, asking?: Asking) =>
  ask("responses", { model, input, ...more }, asking);

const said = (role: string, content: string) => ({ role, content });

test("a conversation continues at other providers and returns, without the client sending it again", async () => {
  const one = await respond(GPT, "one", { instructions: "be brief" });
  const two = await respond(GPT, "two", { previous_response_id: one.id });
  expect(two.sent.json).toEqual({ model: "gpt-5-mini", input: "two", previous_response_id: one.id });
  const three = await respond(CLAUDE, [said("user", "three")], { previous_response_id: two.id, seed: 1 });
  expect(three.response).toMatchObject({ status: "completed", previous_response_id: two.id });
  const texts = (response: Json) => response.output.at(-1).content[0].text;
  const history = [said("user", "one"), said("assistant", texts(one.response)), said("user", "two")];
  history.push(said("assistant", texts(two.response)), said("user", "three"));
  expect(three.sent.json.messages).toEqual(history);
  expect(three.sent.json.system).toBeUndefined();
  const four = await respond(GPT, "four", { previous_response_id: three.id });
  expect(four.sent.json.previous_response_id).toBeUndefined();
  expect(four.sent.json.input.map(({ role }: Json) => role)).toEqual([
    ...["user", "assistant", "user", "assistant", "user", "assistant", "user"],
  ]);
  expect(four.response.previous_response_id).toBe(three.id);
  // Its id is ours: a response that OpenAI stores could never be found by it.
  expect(four.sent.json.store).toBe(false);
  expect(four.response.output.map(({ type }: Json) => type)).toEqual(["reasoning", "message"]);
  expect(JSON.stringify(four.response)).not.toContain("encrypted_content");
  const five = await respond(CLAUDE, "five", { previous_response_id: four.id });
  expect(five.sent.json.messages).toHaveLength(9);
});

// Source: https://openrouter.ai/docs/api_reference/responses/error-handling.
test("a provider that stores no responses gets the whole conversation, also of its own", async () => {
  const one = await respond("openrouter/m", "one");
  const two = await respond("openrouter/m", "two", { previous_response_id: one.id });
  expect([two.sent.path, two.sent.json.previous_response_id]).toEqual(["/v1/responses", undefined]);
  expect(two.sent.json.input.map(({ role }: Json) => role)).toEqual(["user", "assistant", "user"]);
  expect(two.response.previous_response_id).toBe(one.id);
  const unknown = await respond("openrouter/m", "x", { previous_response_id: "resp_elsewhere" });
  expect([unknown.status, unknown.response.error.code]).toEqual([404, "previous_response_not_found"]);
});

test("a response is known to the credential that made it, and to no other of the provider", async () => {
  const one = await respond("openai:first/gpt-5-mini", "one");
  for (const model of ["openai/gpt-5-mini", "openai/gpt-5-mini", `${CLAUDE},openai/gpt-5-mini`]) {
    const { sent, headers } = await respond(model, "two", { previous_response_id: one.id });
    expect([sent.headers.get("authorization"), sent.json.input]).toEqual(["Bearer key-first", "two"]);
    expect(headers.get("gateway-attempts")).toBe("1");
  }
  const other = await respond(GPT, "two", { previous_response_id: one.id });
  expect(other.sent.headers.get("authorization")).toBe("Bearer key-second");
  expect(other.sent.json.input).toHaveLength(3);
  // The provider may still know a response that did not pass through here.
  expect((await respond(GPT, "x", { previous_response_id: "resp_elsewhere" })).sent.json.previous_response_id).toBe(
    "resp_elsewhere",
  );
});

test("where the credential that made a response fails, the next target gets the whole conversation", async () => {
  const one = await respond(GPT, "one");
  const two = await respond(`openai:second/down,${CLAUDE}`, "two", { previous_response_id: one.id });
  expect([two.status, two.headers.get("gateway-attempts")]).toEqual([200, "2"]);
  expect(provider.received.at(-2)!.json).toMatchObject({ model: "down", previous_response_id: one.id });
  expect(two.sent.json.messages).toHaveLength(3);
});

test("an explanation shows the conversation that a target would get, and the first target", async () => {
  const one = await respond("openai:first/gpt-5-mini", "one");
  const explain = async (model: string, previous_response_id: string) => {
    const question = { model, shape: "responses", body: { input: "two", previous_response_id } };
    const response = await callApi(weir, "/v1/route/explain", {
      method: "POST",
      body: JSON.stringify(question),
    });
    return ((await response.json()) as Json).data.targets as Json[];
  };
  const [first, second] = await explain(`${CLAUDE},openai:first/gpt-5-mini`, one.id);
  expect([first.credential, first.reason, first.request.input]).toEqual(["first", "affinity", "two"]);
  expect([second.provider, second.request.messages.length]).toEqual(["ANTHROPIC", 3]);
  const [unknown] = await explain(CLAUDE, "resp_unknown");
  expect(unknown).toMatchObject({ refused: ["previous_response_id"], request: null });
  expect(unknown.skipped).toContain("the earlier response is not recorded here");
});

test("tokens are counted with the turns before", async () => {
  const one = await respond(GPT, "one");
  const body = { model: CLAUDE, input: "two", previous_response_id: one.id };
  const counted = await ask("responses/input_tokens", body);
  expect([counted.status, counted.response.input_tokens]).toEqual([200, 7]);
  expect(counted.sent.json.messages).toHaveLength(3);
});

test("pictures of earlier turns are sent again", async () => {
  const url = `data:image/png;base64,${Buffer.alloc(60, 7).toString("base64")}`;
  const input = [{ role: "user", content: [{ type: "input_image", image_url: url }] }];
  const one = await respond(GPT, input);
  const two = await respond(CLAUDE, "what is it?", { previous_response_id: one.id });
  expect(JSON.stringify(two.sent.json.messages[0])).toContain(url.slice(url.indexOf(",") + 1));
});

test("without a record of all turns a translated request is 404, and names the member", async () => {
  const created = await callApi(weir, "/v1/keys", {
    method: "POST",
    body: JSON.stringify({ name: "other", organization: "other", scopes: ["gateway"] }),
  });
  const { key } = ((await created.json()) as Json).data;
  const cases: [string, Asking][] = [["resp_unknown", {}]];
  cases.push([(await respond(GPT, "x", { store: false })).id, {}]);
  for (const omitted of ["Gateway-Omit-Request", "Gateway-Omit-Response"])
    cases.push([(await respond(CLAUDE, "x", {}, { headers: { [omitted]: "true" } })).id, {}]);
  cases.push([(await respond(CLAUDE, "x")).id, { key }]);
  for (const [previous_response_id, asking] of cases) {
    const { status, response } = await respond(CLAUDE, "y", { previous_response_id }, asking);
    expect(status).toBe(404);
    expect(response.error).toMatchObject({ code: "previous_response_not_found", param: "previous_response_id" });
  }
});

describe("items of translated responses", () => {
  test("are sent in place of the references that the AI SDK has for them", async () => {
    const model = createOpenAI({ baseURL: `${weir.gateway}/v1`, apiKey: KEY })("google/gemini-3-pro");
    const tools: Json = { f: tool({ inputSchema: jsonSchema({ type: "object", properties: {} }) }) };
    const first = await generateText({ model, tools, prompt: "go" });
    const [called] = first.toolCalls;
    const result: Json = { type: "tool-result", toolCallId: called!.toolCallId, toolName: "f" };
    const messages: Json[] = [
      { role: "user", content: "go" },
      ...first.response.messages,
      { role: "tool", content: [{ ...result, output: { type: "text", value: "done" } }] },
    ];
    await generateText({ model, tools, messages });
    const [, calls, results] = provider.received.at(-1)!.json.contents;
    expect(calls.parts[0].functionCall).toMatchObject({ name: "f", id: called!.toolCallId });
    expect(results.parts[0].functionResponse).toMatchObject({ name: "f", response: { output: "done" } });
  });

  test("are found in streams, and by every target", async () => {
    const one = await respond(CLAUDE, "one", { stream: true, store: true });
    const [item] = one.response.output;
    const input = [said("user", "one"), { type: "item_reference", id: item.id }, said("user", "two")];
    for (const model of [CLAUDE, GPT]) {
      const { sent, status } = await respond(model, input);
      expect(status).toBe(200);
      expect(JSON.stringify(sent.json)).toContain(item.content[0].text);
      expect(JSON.stringify(sent.json)).not.toContain("item_reference");
    }
    const question = { model: CLAUDE, shape: "responses", body: { input } };
    const explained = await callApi(weir, "/v1/route/explain", { method: "POST", body: JSON.stringify(question) });
    expect(((await explained.json()) as Json).data.targets[0].request.messages).toHaveLength(3);
  });

  test("that were not recorded are 404; a provider's own are left to the provider", async () => {
    const one = await respond(CLAUDE, "one", { store: false });
    const refer = (id: string) => [said("user", "one"), { type: "item_reference", id }];
    for (const id of [one.response.output[0].id, `msg_${"0".repeat(34)}`]) {
      const { status, response } = await respond(CLAUDE, refer(id));
      expect([status, response.error.code, response.error.param]).toEqual([
        404,
        "previous_response_not_found",
        "input[1].id",
      ]);
    }
    expect((await respond(GPT, refer("msg_68e"))).sent.json.input[1]).toEqual({
      type: "item_reference",
      id: "msg_68e",
    });
    const refused = await respond(CLAUDE, refer("msg_68e"));
    expect([refused.status, refused.response.error.code]).toEqual([400, "untranslatable"]);
    const record = await recordOf(weir, refused.headers.get("gateway-id")!);
    expect(record).toMatchObject({ provider: null, target_url: null, outcome: "refused" });
  });
});

describe("a stored response", () => {
  test("is read, listed, cancelled and deleted with the credential that made it", async () => {
    const { id } = await respond(GPT, "one");
    const calls = [
      ["GET", ""],
      ["GET", "/input_items?limit=3"],
      ["POST", "/cancel"],
      ["DELETE", ""],
    ] as const;
    for (const [method, rest] of calls) {
      const { status, sent, headers } = await ask(`responses/${id}${rest}`, undefined, { method });
      expect([status, sent.method, sent.path]).toEqual([200, method, `/v1/responses/${id}${rest}`]);
      expect(sent.headers.get("authorization")).toBe("Bearer key-second");
      expect(headers.get("gateway-provider")).toBe("OPENAI");
      if (method === "DELETE") await recordOf(weir, headers.get("gateway-id")!);
    }
    expect((await ask(`responses/${id}`, undefined, { method: "GET" })).status).toBe(404);
    expect((await respond(CLAUDE, "on", { previous_response_id: id })).status).toBe(404);
  });

  test("is compacted there", async () => {
    const { id } = await respond("openai:first/gpt-5-mini", "one");
    const model = "openai/gpt-5-mini";
    const known = await ask("responses/compact", { model, input: "x", previous_response_id: id });
    expect([known.status, known.sent.headers.get("authorization")]).toEqual([200, "Bearer key-first"]);
    const elsewhere = await ask("responses/compact", { model: GPT, input: "x", previous_response_id: id });
    expect([elsewhere.status, elsewhere.response.error.code]).toEqual([404, "previous_response_not_found"]);
    expect((await ask("responses/compact", { model, input: "x" })).status).toBe(200);
  });

  test("that is translated, unknown, or made with what the key may not use is 404", async () => {
    const mine = await respond("openai:first/gpt-5-mini", "one");
    const translated = await respond(CLAUDE, "one");
    const created = await callApi(weir, "/v1/keys", {
      method: "POST",
      body: JSON.stringify({ name: "bound", scopes: ["gateway"], credentials: ["second"] }),
    });
    const { key } = ((await created.json()) as Json).data;
    const before = provider.received.length;
    for (const [id, asking] of [
      [translated.id, {}],
      ["resp_unknown", {}],
      [mine.id, { key }],
    ] as const) {
      const { status, response } = await ask(`responses/${id}`, undefined, { method: "GET", ...asking });
      expect([status, response.error.code]).toEqual([404, "previous_response_not_found"]);
    }
    expect(provider.received.length).toBe(before);
  });
});

test.each([
  [{ "X-Claude-Code-Session-Id": "claude-1", session_id: "x" }, "claude-1"],
  [{ session_id: "codex-1", conversation_id: "x" }, "codex-1"],
  [{ "session-id": "codex-3", "thread-id": "x" }, "codex-3"],
  [{ conversation_id: "codex-2" }, "codex-2"],
  [{ "Gateway-Session-Id": "own-1", "X-Claude-Code-Session-Id": "x" }, "own-1"],
])("the session that a coding tool names is the record's: %j", async (headers, session) => {
  const { headers: received } = await respond(CLAUDE, "x", {}, { headers });
  expect((await recordOf(weir, received.get("gateway-id")!)).session_id).toBe(session);
});

test("state of calls that a client forgot is put back, after a crash as well, unless the response was omitted", async () => {
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
  const user = said("user", "go");
  const called = async (asking?: Asking) => {
    const { response, sent } = await ask(
      "chat/completions",
      { model: "google/gemini-3-pro", tools, messages: [user] },
      asking,
    );
    expect(sent.path).toContain("gemini-3-pro");
    return response.choices[0].message.tool_calls[0].id as string;
  };
  const goOn = async (model: string, id: string) => {
    const call = { id, type: "function", function: { name: "f", arguments: "{}" } };
    const messages = [
      user,
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: "ok" },
    ];
    const { sent, headers } = await ask("chat/completions", { model, tools, messages });
    expect(headers.get("gateway-provider")).toBe("GOOGLE");
    return sent.json.contents[1].parts[0].thoughtSignature as string;
  };
  const kept = await called();
  const omitted = await called({ headers: { "Gateway-Omit-Response": "true" } });
  const signature = (id: string) => `c2ln${id.slice("call_".length)}`;
  expect(await goOn("mixed", kept)).toBe(signature(kept));
  expect(await goOn("mixed", omitted)).toBe(signature(omitted));
  await weir.kill();
  weir = await start();
  expect(await goOn("google/gemini-3-pro", kept)).toBe(signature(kept));
  expect(await goOn("google/gemini-3-pro", omitted)).toBe("skip_thought_signature_validator");
  // What was put back once is in memory again.
  expect(await goOn("mixed", kept)).toBe(signature(kept));
});
