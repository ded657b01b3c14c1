import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { callApi, gatewayHeaders, recordOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

/** Responds as chat completions do: 1,000 tokens in, 500 out. */
let server: Server;
let target: string;
let weir: Weir;
const dataDirectory = mkdtempSync(join(tmpdir(), "weir-costs-"));

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
      const choices = [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }];
      response.end(JSON.stringify({ id: "c-1", model: "gpt-4o-2024-08-06", choices, usage }));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    join(dataDirectory, "weir.toml"),
    '[[prices]]\nprovider = "groq"\nmodel = "gpt-4o*"\ninput = 1\noutput = 2\n',
  );
  weir = await startWeir({ dataDirectory });
});

afterAll(async () => {
  await weir.stop();
  server.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function ask(provider: string): Promise<string> {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { ...gatewayHeaders(target, { "Gateway-Target-Provider": provider }), "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "is it?" }] }),
  });
  await response.text();
  return response.headers.get("gateway-id")!;
}

const costs = (...words: string[]) =>
  runCommand(weir.env, "costs", ...words, "--config", join(dataDirectory, "weir.toml"));
const explain = async (id: string) => (await (await callApi(weir, `/v1/request/${id}/cost`)).json()).data;
const json = async (response: Promise<Response>) => (await response).json();

test("the price table's arithmetic can be seen", async () => {
  const id = await ask("openai");
  expect(await recordOf(weir, id)).toMatchObject({ cost: 0.0075 });
  const explained = await explain(id);
  expect(explained).toMatchObject({ cost: 0.0075, note: "the lines add up to the cost" });
  expect(explained.lines).toMatchObject([
    { what: "input tokens", count: 1_000, usd: 0.0025 },
    { what: "output tokens", count: 500, usd: 0.005 },
  ]);
  const shown = await costs("explain", id);
  expect(shown.stdout).toContain("OPENAI gpt-4o-2024-08-06: $0.0075");
});

test("prices of the configuration hold before the table", async () => {
  const record = await recordOf(weir, await ask("groq"));
  expect(record).toMatchObject({ cost: 0.002, cost_source: "configured price: GROQ gpt-4o*" });
});

test("an own price applies to new requests, and to earlier ones on request", async () => {
  const before = await ask("openai");
  await recordOf(weir, before);
  const price = { provider: "openai", model: "gpt-4o*", input: 10, output: 20, request: 0.001 };
  const put = await json(callApi(weir, "/v1/models/prices", { method: "PUT", body: JSON.stringify(price) }));
  expect(put.data).toMatchObject([
    { provider: "OPENAI", model: "gpt-4o*", input: 10, source: "own" },
    { provider: "GROQ", source: "configuration" },
  ]);
  await until(
    async () => Math.abs((await recordOf(weir, await ask("openai")))["cost"] - 0.021) < 1e-9,
    180_000,
    () => "the new price is not in force",
  );

  const dry = JSON.parse((await costs("recompute", "--dry-run")).stdout);
  expect(dry.changed).toBeGreaterThanOrEqual(2);
  for (const sum of [dry.cost_before, dry.cost_after]) expect(sum).toBe(Number(sum.toPrecision(12)));
  expect(await recordOf(weir, before)).toMatchObject({ cost: 0.0075 });
  expect((await explain(before)).note).toContain("add up");
  const done = JSON.parse((await costs("recompute", "--since", "2020-01-01")).stdout);
  expect(done).toMatchObject({ changed: dry.changed, dry_run: false });
  expect(servedBy(weir)).toMatchObject({ done: true, changed: dry.changed });
  expect(await recordOf(weir, before)).toMatchObject({
    cost: expect.closeTo(0.021),
    cost_source: "own price: OPENAI gpt-4o*",
  });
  expect((await explain(before)).lines).toMatchObject([
    { what: "request", usd: 0.001 },
    { what: "input tokens", count: 1_000, usd_per_million: 10, usd: 0.01 },
    { what: "output tokens", count: 500, usd_per_million: 20, usd: 0.01 },
  ]);
  expect(JSON.parse((await costs("recompute")).stdout)).toMatchObject({ changed: 0 });

  const gone = await callApi(weir, "/v1/models/prices?provider=openai&model=gpt-4o*", { method: "DELETE" });
  expect(gone.status).toBe(200);
  expect((await callApi(weir, "/v1/models/prices?provider=openai&model=gpt-4o*", { method: "DELETE" })).status).toBe(
    404,
  );
  await costs("recompute", "--model", "gpt-4o-2024-08-06");
  expect(await recordOf(weir, before)).toMatchObject({ cost: expect.closeTo(0.0075) });
});

test("recomputing keeps costs that nothing can compute, and prices what a client left", async () => {
  const record = (members: object) => ({
    ...{ request_id: crypto.randomUUID(), request_created_at: "2026-01-02T03:04:05.000Z", response_status: 200 },
    ...{ provider: "CUSTOM", model: "own", prompt_tokens: 1_000, completion_tokens: 500, ...members },
  });
  const priced = { provider: "OPENAI", model: "gpt-4o-2024-08-06", response_model: "gpt-4o-2024-08-06" };
  const records = [
    record({ cost: 3 }),
    record({ ...priced, cost: 0.7, cost_source: "set by a plugin" }),
    record({ ...priced, cost: 0.7 }),
    // Its client left: the status is not the provider's.
    record({ ...priced, provider: "GROQ", response_status: 499, outcome: "client_gone", cost: 0.1 }),
  ];
  const { data } = await json(callApi(weir, "/v1/import", { method: "POST", body: JSON.stringify(records) }));
  expect(data).toMatchObject({ imported: 4, rejected: [] });
  await costs("recompute");
  const now = await Promise.all(records.map(({ request_id }) => recordOf(weir, request_id)));
  expect(now.map(({ cost, cost_source }) => [cost, cost_source])).toEqual([
    [3, null],
    [0.7, "set by a plugin"],
    [0.0075, expect.stringContaining("genai-prices")],
    [0.002, "configured price: GROQ gpt-4o*"],
  ]);
});

/** What the service last reported about recomputing costs. */
function servedBy({ dataDirectory }: Weir): unknown {
  const database = new Database(join(dataDirectory, "weir.db"));
  database.exec("PRAGMA busy_timeout = 30000");
  const row = database.prepare("select value from settings where name = 'costs recompute state'").get();
  database.close();
  return row && JSON.parse((row as { value: string }).value);
}

test("without a service the command computes costs itself, and an order that waits is served at the next start", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-costs-"));
  try {
    const first = await startWeir({ dataDirectory });
    await first.stop();
    const { stdout, status } = await runCommand(first.env, "costs", "recompute");
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { records: 0, changed: 0 }]);
    expect(servedBy(first)).toBeFalsy();

    const database = new Database(join(dataDirectory, "weir.db"));
    const order = { id: "o-1", since: 0, model: null, dryRun: false };
    database.prepare("insert into settings values ('costs recompute order', ?)").run(JSON.stringify(order));
    database.close();
    await using second = await startWeir({ dataDirectory });
    await until(
      () => JSON.stringify(servedBy(second) ?? null).includes('"id":"o-1","done":true'),
      180_000,
      () => "the order is not served",
    );
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);

test("a price without any rate, or with an unknown member, is refused", async () => {
  for (const body of [
    { provider: "x", model: "y" },
    { provider: "x", model: "y", input: -1 },
    { provider: "x", model: "y", inptu: 1 },
  ]) {
    expect((await callApi(weir, "/v1/models/prices", { method: "PUT", body: JSON.stringify(body) })).status).toBe(400);
  }
});

test("a client logs a call of a tool, a vector database, and anything else, as requests", async () => {
  const log = async (body: object) => json(callApi(weir, "/v1/log", { method: "POST", body: JSON.stringify(body) }));
  const start_time = "2026-01-02T03:04:05.000Z";
  const { data } = await log({
    request: { _type: "tool", toolName: "weather", input: { city: "Ulm" } },
    response: { _type: "tool", toolName: "weather", message: "sunny", status: "success" },
    start_time,
    end_time: "2026-01-02T03:04:05.250Z",
    properties: { Team: "night", größe: "ü" },
    session_id: "s-1",
    user_id: "u-1",
  });
  const record = await recordOf(weir, data.request_id);
  expect(record).toMatchObject({
    request_created_at: start_time,
    delay_ms: 250,
    response_status: 200,
    properties: { Team: "night", größe: "ü" },
    session_id: "s-1",
    request_user_id: "u-1",
    llmSchema: {
      request: { llm_type: "tool", toolDetails: { toolName: "weather", input: { city: "Ulm" } } },
      response: { toolDetailsResponse: { message: "sunny", status: "success" } },
    },
  });
  const request_id = crypto.randomUUID();
  const search = {
    request_id,
    request: { _type: "vector_db", operation: "search", text: "cats", topK: 3, databaseName: "pets" },
  };
  expect((await log(search)).data).toEqual({ request_id });
  expect((await recordOf(weir, request_id))["llmSchema"].request.vectorDBDetails).toMatchObject({
    operation: "search",
    topK: 3,
  });
  expect(await log(search)).toMatchObject({ error: 409, path: "request_id" });
  expect(await log({ ...search, request_id: "7" })).toMatchObject({ error: 400, path: "request_id" });
  expect(await log({ ...search, status: "200" })).toMatchObject({ error: 400, path: "status" });
  const event = (await log({ request: { _type: "data", name: "signup", meta: { plan: "free" } }, status: 500 })).data;
  expect(await recordOf(weir, event.request_id)).toMatchObject({
    response_status: 500,
    llmSchema: { request: { llm_type: "data", dataDetails: { name: "signup", meta: { plan: "free" } } } },
  });
  expect(await log({ request: { _type: "chat" } })).toMatchObject({ error: 400, path: "request._type" });
  expect(await log({ request: { _type: "tool", input: 1 } })).toMatchObject({ error: 400, path: "request.toolName" });
  expect(await log({ request: { _type: "data" }, start_time: "soon" })).toMatchObject({
    error: 400,
    path: "start_time",
  });
});
