import { expect, test } from "bun:test";
import { begin, pass, rig } from "./harness.ts";

test("an exchange that passed is one row with its model, tokens, times and bodies", async () => {
  await using weir = await rig();
  const id = pass(weir.spool, {
    begin: { time: 1_790_000_000_000.25, path: "/v1/chat?key=***", keyName: "laptop", provider: "OPENAI" },
    request: '{"model":"m-1", "prompt":"hello"}',
    response: '{"id":"r-9","model":"m-1-0613","text":"hi","usage":{"in":3,"out":4}}',
  });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({
    request_id: id,
    organization_id: "org-1",
    key_id: "key-1",
    gateway_user: "laptop",
    auth_hash: "ab".repeat(32),
    method: "POST",
    provider: "OPENAI",
    target_url: "https://api.example.com/v1/chat?key=***",
    request_path: "/v1/chat?key=***",
    request_model: "m-1",
    response_model: "m-1-0613",
    model: "m-1-0613",
    model_override: null,
    response_id: "r-9",
    response_status: 200,
    outcome: "complete",
    request_created_at: 1_790_000_000_000,
    response_created_at: 1_790_000_000_100,
    delay_ms: 100,
    time_to_first_token: null,
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    prompt_cache_read_tokens: null,
    usage_raw: '{"in":3,"out":4}',
    cost: null,
    streamed: 0,
    truncated: 0,
    wire_schema: "chat-completions",
    properties: "{}",
    assets: "[]",
    storage_location: "libsql",
    size_bytes: 33 + 68,
    input: "hello",
    output: "hi",
  });
  expect((await weir.body(id, "request"))?.content.toString()).toBe('{"model":"m-1", "prompt":"hello"}');
  expect((await weir.body(id, "response"))?.form).toBe("json");
  expect(JSON.parse((await weir.body(id, "headers"))!.content.toString()).request).toEqual([
    "Content-Type",
    "application/json",
  ]);
  expect((await weir.store.content.texts([id])).get(id)).toEqual({ prompt: "hello", completion: "hi" });
});

test.each([
  ["the client left", { outcome: "client_gone" }, 499],
  ["the provider broke off after its head", { outcome: "upstream_failed" }, 502],
  ["no head came in time", { outcome: "upstream_timeout" }, 504],
  ["a rule refused it", { outcome: "refused", status: 429 }, 429],
  ["the provider answered", { outcome: "complete" }, 201],
] as const)("response_status says that %s", async (_what, end, status) => {
  await using weir = await rig();
  const id = pass(weir.spool, { head: { status: 201 }, end });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ response_status: status, outcome: end.outcome });
});

test("a refusal carries the gateway's own error", async () => {
  await using weir = await rig();
  const id = crypto.randomUUID();
  weir.spool.begin(id, begin({ target: "" }));
  const error = { code: "missing_target", message: "send Gateway-Target-Url" };
  weir.spool.end(id, { time: 1, outcome: "refused", status: 400, error, requestBytes: 0, responseBytes: 0 });
  weir.spool.flush();
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({
    response_status: 400,
    error_code: "missing_target",
    error_message: "send Gateway-Target-Url",
    target_url: null,
  });
});

test("a stream has its assembled object as body, its text as raw, and a time to first token", async () => {
  await using weir = await rig();
  const id = pass(weir.spool, {
    head: { headers: ["content-type", "text/event-stream; charset=utf-8"] },
    response: ['data: {"a":1}\n\nda', 'ta: {"a":2}\r\n\r\ndata: [DONE]\n\n'],
  });
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ streamed: 1, time_to_first_token: 20 });
  expect(JSON.parse((await weir.body(id, "response"))!.content.toString())).toEqual({ events: [{ a: 1 }, { a: 2 }] });
  expect((await weir.body(id, "raw"))?.content.toString()).toBe(
    'data: {"a":1}\n\ndata: {"a":2}\r\n\r\ndata: [DONE]\n\n',
  );
});

test("an exchange in flight has a row without status, which its end completes", async () => {
  await using weir = await rig();
  const id = crypto.randomUUID();
  weir.spool.begin(id, begin({ gateway: ["Gateway-Property-App", "a"] }));
  weir.spool.flush();
  const inFlight = async () =>
    (await weir.store.records.query({ sql: "select 1 as x from requests where request_id = ?", args: [id] })).length;
  while ((await inFlight()) === 0) await Bun.sleep(10);
  expect(await weir.row(id)).toMatchObject({ response_status: null, outcome: null, properties: '{"App":"a"}' });

  weir.spool.head(id, { time: 2, status: 200, headers: [] });
  weir.spool.end(id, { time: 3, outcome: "complete", requestBytes: 0, responseBytes: 0 });
  weir.spool.flush();
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ response_status: 200, outcome: "complete", properties: '{"App":"a"}' });
  const labels = await weir.store.records.query({ sql: "select name, value from properties", args: [] });
  expect(labels).toEqual([{ name: "App", value: "a" }]);
});
