import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type ExchangeInput, readExchange } from "../../src/mapping/read-exchange.ts";
import type { ProviderPlugin, RecordDraft } from "../../src/plugin-host/contract.ts";
import type { RecordHooks } from "../../src/recorder/prepare/hooks.ts";
import { begin, pass, type Rig, rig } from "./harness.ts";

const text = async (part: Promise<{ content: Buffer } | undefined>) => (await part)?.content.toString();

test("a body that the client omits is stored nowhere, and its metrics are kept", async () => {
  await using weir = await rig();
  const id = pass(weir.spool, {
    begin: { omitRequest: true, omitResponse: true },
    request: '{"model":"m-1","prompt":"HUSHED-IN"}',
    response: ['{"model":"m-2","text":"HUSHED-', 'OUT","usage":{"in":3,"out":4}}'],
  });
  await weir.recorder.barrier();
  for (const name of readdirSync(weir.directory, { recursive: true, withFileTypes: true })) {
    const content = name.isFile() ? readFileSync(join(name.parentPath, name.name)).toString("latin1") : "";
    expect(content.toLowerCase()).not.toContain("hushed");
  }
  expect(await weir.row(id)).toMatchObject({ request_model: "m-1", total_tokens: 7, input: null, output: null });
  expect(await weir.body(id, "request")).toBeUndefined();
  expect(await weir.body(id, "response")).toBeUndefined();
  expect((await weir.store.content.texts([id])).get(id)).toEqual({ prompt: null, completion: null });
  const packs = await weir.store.bodies.query<{ data: Uint8Array }>({ sql: "select data from packs", args: [] });
  expect(packs.map(({ data }) => Buffer.from(Bun.zstdDecompressSync(data)).includes("SECRET-"))).toEqual([false]);
});

test("a compressed stream in many chunks is read as its decompressed events", async () => {
  await using weir = await rig();
  const bytes = gzipSync('data: {"a":1}\n\ndata: {"a":2}\n\n');
  const id = pass(weir.spool, {
    head: { headers: ["Content-Type", "text/event-stream", "Content-Encoding", "gzip"] },
    response: [...bytes].map((byte) => Buffer.from([byte])),
  });
  await weir.recorder.barrier();
  expect(await text(weir.body(id, "response"))).toBe('{"events":[{"a":1},{"a":2}]}');
});

test("a body over the limit is cut there and the record says so", async () => {
  await using weir = await rig({ settings: { max_recorded_body_bytes: 1_000 } });
  const id = pass(weir.spool, { request: JSON.stringify({ prompt: "x".repeat(5_000) }) });
  const bomb = pass(weir.spool, {
    head: { headers: ["content-encoding", "gzip"] },
    response: gzipSync(Buffer.alloc(5_000_000, "y")),
  });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ truncated: 1, size_bytes: 5_013 + 45 });
  expect((await weir.body(id, "request"))?.bytes).toBe(1_000);
  expect((await weir.row(bomb))["truncated"]).toBe(1);
  expect((await weir.body(bomb, "response"))?.bytes).toBe(1_000);
});

test.each([true, false])(
  "a stream over the limit is cut there, and its usage is still read from its end (omitted: %p)",
  async (omitResponse) => {
    const readOwn = ({ events }: ExchangeInput) => ({
      responseBody: { count: events?.length },
      usage: { prompt_tokens: events?.at(-1)?.data.usage },
    });
    await using weir = await rig({ settings: { max_recorded_body_bytes: 2_000 }, readExchange: readOwn });
    const chunks = Array.from({ length: 2_000 }, (_, i) => `data: {"text":"${"x".repeat(400)}","usage":${i}}\n\n`);
    const head = { headers: ["Content-Type", "text/event-stream"] };
    const id = pass(weir.spool, { begin: { omitResponse }, head, response: chunks });
    await weir.recorder.barrier();
    expect(await weir.row(id)).toMatchObject({ truncated: 1, prompt_tokens: 1_999, streamed: 1 });
    expect((await weir.body(id, "raw"))?.bytes).toBe(omitResponse ? undefined : 2_000);
  },
);

test("a long body that was left in the spool is read back whole", async () => {
  await using weir = await rig();
  const other = pass(weir.spool);
  const id = crypto.randomUUID();
  weir.spool.begin(id, begin({ time: 1 }));
  const chunks = Array.from({ length: 300 }, (_, i) => Buffer.alloc(1_000 + i, 65 + (i % 26)));
  for (const chunk of chunks) {
    weir.spool.responseChunk(id, chunk);
    pass(weir.spool);
  }
  weir.spool.head(id, { time: 2, status: 200, headers: ["Content-Type", "text/plain"] });
  weir.spool.end(id, { time: 3, outcome: "complete", requestBytes: 0, responseBytes: 1 });
  weir.spool.flush();
  await weir.recorder.barrier();
  expect((await weir.body(id, "response"))?.content.equals(Buffer.concat(chunks))).toBe(true);
  expect((await weir.row(other))["response_status"]).toBe(200);
});

test("binary is stored as it came, with its type", async () => {
  await using weir = await rig();
  const sound = Buffer.from([0xff, 0xf3, 0, 1, 2]);
  const id = pass(weir.spool, { head: { headers: ["Content-Type", "audio/mpeg"] }, response: sound });
  await weir.recorder.barrier();
  expect(await weir.body(id, "response")).toMatchObject({ form: "binary", bytes: 5, content: sound });
  const { response } = (await weir.store.content.get([id], ["response"])).get(id)!;
  expect(response?.contentType).toBe("audio/mpeg");
});

test("files inside of JSON are shown as a reference and sent as they were", async () => {
  await using weir = await rig();
  const image = Buffer.alloc(3_000, 7);
  const sound = Buffer.alloc(2_000, 9);
  const request = JSON.stringify({
    messages: [
      { image_url: { url: `data:image/png;base64,${image.toString("base64")}` } },
      { source: { type: "base64", media_type: "image/png", data: image.toString("base64") } },
      { input_audio: { format: "wav", data: sound.toString("base64") } },
      { inlineData: { mimeType: "image/jpeg", data: "c2hvcnQ=" } },
      { source: { type: "text", media_type: "text/plain", data: "Hello123" } },
      { bytes: "deadbeef" },
      { signature: sound.toString("base64") },
    ],
  });
  const [id, again] = [pass(weir.spool, { request }), pass(weir.spool, { request })];
  await weir.recorder.barrier();
  const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const messages = JSON.parse((await text(weir.body(id, "request")))!).messages;
  expect(messages[0].image_url.url).toBe(`weir-asset:${hash(image)}`);
  expect(messages[1].source.data).toBe(`weir-asset:${hash(image)}`);
  expect(messages[2].input_audio.data).toBe(`weir-asset:${hash(sound)}`);
  expect(messages[3].inlineData.data).toBe(`weir-asset:${hash(Buffer.from("short"))}`);
  expect(messages[4].source.data).toBe("Hello123");
  expect(messages[5].bytes).toBe("deadbeef");
  expect(messages[6].signature).toBe(sound.toString("base64"));
  expect(new Set(JSON.parse((await weir.row(id))["assets"] as string))).toEqual(
    new Set([hash(image), hash(sound), hash(Buffer.from("short"))]),
  );
  for (const each of [id, again]) {
    const asset = await weir.store.content.asset(each, hash(image));
    expect(asset?.contentType).toBe("image/png");
    expect(Buffer.compare(asset!.content, image)).toBe(0);
    expect(await sent(weir, each, "request")).toBe(request);
  }
});

const sent = async (weir: Rig, id: string, part: "request" | "response") =>
  Buffer.from((await weir.store.content.get([id], [part], "sent")).get(id)![part]!.content).toString("latin1");

const image = Buffer.alloc(300, 0xfb).toString("base64");
const url = `"data:image/png;base64,${image}"`;
test.each([
  ["slashes are escaped", `{"url":${url.replaceAll("/", "\\/")}, "n": 1.50}`, "weir-asset:"],
  ["letters are escaped", `{"url":${url.replace("data", "\\u0064ata")}, "n": 1.50}`, "weir-asset:"],
  ["some slashes are escaped", `{"url":${url.replace("/", "\\/")}, "n": 1.50}`, "weir-asset:"],
  ["the same stands where it is no file", `{"url":${url}, "signature":"${image}", "data":"${image}"}`, image],
  ["the same stands as a name", `{"url":${url}, ${url}: 1}`, "weir-asset:"],
  ["two members have one name", `{"url":${url}, "url":"x", "other":${url}}`, "weir-asset:"],
  ["it is behind a mark", `\xef\xbb\xbf{"url":${url}}`, "weir-asset:"],
  ["the text is in another encoding", `{"url":${url}, "a":"\xe4"}`, "weir-asset:"],
])("a body with a file is read byte for byte where %s", async (_name, request, shown) => {
  await using weir = await rig();
  const headers = ["Content-Type", `application/json${request.includes("\xe4") ? "; charset=latin1" : ""}`];
  const id = pass(weir.spool, { request: Buffer.from(request, "latin1"), begin: { headers } });
  await weir.recorder.barrier();
  expect(await sent(weir, id, "request")).toBe(request);
  const text = (await weir.body(id, "request"))!.content.toString();
  expect(text).toContain(shown);
  const hash = createHash("sha256").update(Buffer.from(image, "base64")).digest("hex");
  expect(JSON.parse(text).url ?? JSON.parse(text).other).toSatisfy((each: string) =>
    ["x", `weir-asset:${hash}`].includes(each),
  );
  expect((await weir.store.content.asset(id, hash))?.content.length).toBe(300);
});

test("WebSocket messages are lines of JSON with direction and time", async () => {
  await using weir = await rig();
  const id = crypto.randomUUID();
  weir.spool.begin(id, begin({ time: 1, omitRequest: true }));
  weir.spool.head(id, { time: 2, status: 101, headers: [] });
  weir.spool.message(id, { time: 1_790_000_000_000, direction: "client", text: "left out" });
  weir.spool.message(id, { time: 1_790_000_000_001, direction: "provider", text: "a\nb" });
  weir.spool.message(id, { time: 1_790_000_000_002, direction: "provider", base64: "AAE=" });
  weir.spool.end(id, { time: 3, outcome: "complete", requestBytes: 0, responseBytes: 0 });
  weir.spool.flush();
  await weir.recorder.barrier();
  expect((await weir.row(id))["response_status"]).toBe(101);
  const lines = (await text(weir.body(id, "response")))!.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: "2026-09-21T14:13:20.001Z", direction: "provider", text: "a\nb" },
    { time: "2026-09-21T14:13:20.002Z", direction: "provider", base64: "AAE=" },
  ]);
});

test("an id that belongs to another exchange keeps its record", async () => {
  await using weir = await rig();
  const gateway = (id: string) => ["Gateway-Request-Id", id];
  const id = crypto.randomUUID();
  pass(weir.spool, { id, begin: { gateway: gateway(id) }, request: '{"model":"first"}' });
  await weir.recorder.barrier();
  pass(weir.spool, { id, begin: { gateway: gateway(id), time: 5 }, request: '{"model":"second"}' });
  await weir.recorder.barrier();
  expect((await weir.row(id))["request_model"]).toBe("first");
  expect(await text(weir.body(id, "request"))).toBe('{"model":"first"}');
  expect(await weir.recorder.metrics()).toContain('weir_records_dropped_total{reason="id_taken"} 1');
});

test("exchanges whose ids differ in one digit are different ones", async () => {
  await using weir = await rig();
  const ids = ["0198d000-0000-7000-8000-000000000001", "0198d000-0000-7000-8000-000000000002"];
  for (const at of ids.keys()) weir.spool.begin(ids[at]!, begin({ time: at }));
  for (const id of ids) weir.spool.requestChunk(id, Buffer.from(`{"model":"${id}"}`));
  for (const id of ids) weir.spool.end(id, { time: 9, outcome: "complete", requestBytes: 48, responseBytes: 0 });
  weir.spool.flush();
  await weir.recorder.barrier();
  for (const id of ids) expect((await weir.row(id))["request_model"]).toBe(id);
});

test("of a failure whose body is left out the kind is kept, and not the provider's words", async () => {
  await using weir = await rig({ readExchange });
  const id = pass(weir.spool, {
    begin: { omitResponse: true, path: "/v1/chat/completions" },
    head: { status: 400 },
    response: '{"error":{"type":"invalid_request_error","message":"SECRET-OUT is not allowed"}}',
  });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ error_code: "invalid_request_error", error_message: null });
});

test("a provider reader that throws costs no record", async () => {
  const readOwn = () => {
    throw new Error("odd body");
  };
  await using weir = await rig({ readExchange: readOwn });
  const id = pass(weir.spool);
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ response_status: 200, model: null });
  expect(await weir.recorder.metrics()).toContain("weir_reading_failures_total");
});

test("what a provider's own functions throw is counted, and its record has what the wire format tells", async () => {
  const broken = () => {
    throw new Error("odd provider");
  };
  const provider: ProviderPlugin = { apiVersion: 1, name: "ODD", readResponse: broken, cost: broken };
  await using weir = await rig({ readExchange, provider: () => provider });
  const id = pass(weir.spool, {
    begin: { provider: "ODD", path: "/v1/chat/completions" },
    request: '{"model":"m","messages":[]}',
    response:
      '{"object":"chat.completion","model":"m-1","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
  });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ response_model: "m-1", total_tokens: 3, cost: null });
  expect(await weir.recorder.metrics()).toContain('weir_reading_failures_total{provider="ODD"} 2');
});

test("plugins change, drop and see records; what one redacts is redacted everywhere", async () => {
  const seen: string[] = [];
  const hooks: RecordHooks = {
    has: () => true,
    onRecord: async (draft: RecordDraft) => {
      if (draft.request_body?.prompt === "drop me") return false;
      draft.properties["Team"] = "night";
      draft.request_user_id = "hashed";
      draft.cost = 0.1 + 0.2;
      if (draft.response_body?.text !== undefined) draft.response_body.text = "***";
      return true;
    },
    onRecorded(draft) {
      seen.push(draft.request_id);
      return undefined;
    },
  };
  await using weir = await rig({ hooks });
  const id = pass(weir.spool, {
    begin: { gateway: ["Gateway-User-Id", "jo", "Gateway-Property-App", "x"] },
    response: '{"text":"a secret"}',
  });
  const dropped = pass(weir.spool, { request: '{"prompt":"drop me"}' });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({
    user_id: "hashed",
    cost: 0.3,
    cost_source: "set by a plugin",
    properties: '{"App":"x","Team":"night"}',
    output: "***",
  });
  expect(await text(weir.body(id, "response"))).toBe('{"text":"***"}');
  expect((await weir.store.content.texts([id])).get(id)?.completion).toBe("***");
  expect(await weir.recorder.isKnownId(dropped)).toBe(false);
  expect(seen).toEqual([id]);
});

test("models are counted once, and a key knows when it was used last", async () => {
  await using weir = await rig();
  for (let i = 0; i < 3; i++) pass(weir.spool, { begin: { time: 1_000 + i } });
  pass(weir.spool, { response: "no model known", request: '{"model":"odd"}' });
  pass(weir.spool, { head: { status: 404 }, request: '{"model":"wrong"}', response: "{}" });
  await weir.recorder.barrier();
  const models = await weir.store.records.query({
    sql: "select model, state, count from models order by model",
    args: [],
  });
  expect(models).toEqual([
    { model: "m-1-long", state: "mapped", count: 3 },
    { model: "odd", state: "pending", count: 1 },
  ]);
});

test("hostile text is stored without ending the process or the row", async () => {
  await using weir = await rig();
  const id = pass(weir.spool, {
    begin: { path: "/a?x=\0", gateway: ["Gateway-Property-\u00ff", "\0\xff", "Gateway-Session-Id", "x\0y"] },
    request: Buffer.from([0x7b, 0x22, 0xff, 0x00, 0x22]),
    response: `{"model":"m\\u0000\\ud800","text":"${"\\u0000".repeat(3)}"}`,
  });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ session_id: "x\uFFFDy", response_model: "m\uFFFD\uFFFD" });
});
