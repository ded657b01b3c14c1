import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, KEY, startWeir, until, type Weir } from "./weir.ts";

const LIMIT_MS = 300_000;
const directory = mkdtempSync(join(tmpdir(), "weir-runs-"));

/** What the provider got; calls of the model `slow` wait until they are let go. */
const requests: Json[] = [];
let gate = Promise.withResolvers<void>();
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "GET") return Response.json({ data: [] }); // what it lists
    const body = (await request.json()) as Json;
    requests.push(body);
    const text: string = body.messages.at(-1).content;
    if (body.model === "slow") await gate.promise;
    if (body.model === "picky" && text === "q1")
      return Response.json({ error: { message: "no such question", code: "unanswerable" } }, { status: 422 });
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    const said = body.model === "echo" ? `a${text.slice(1)}` : `${body.model} says ${text}`;
    if (body.stream !== true)
      return Response.json({
        id: "c",
        model: body.model,
        choices: [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }],
        usage,
      });
    const chunk = (delta: Json, more: Json = {}) =>
      `data: ${JSON.stringify({ id: "c", model: body.model, choices: [{ index: 0, delta, ...more }] })}\n\n`;
    const events = [
      chunk({ role: "assistant", content: said.slice(0, 1) }),
      chunk({ content: said.slice(1) }, { finish_reason: "stop" }),
      `data: ${JSON.stringify({ id: "c", model: body.model, choices: [], usage })}\n\n`,
      "data: [DONE]\n\n",
    ];
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
  },
});

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir({ dataDirectory: directory });
  const origin = `http://127.0.0.1:${provider.port}`;
  await ask("POST", "/v1/credentials", {
    provider: "custom",
    name: "box",
    api_key: "k",
    base_url: origin,
    private: true,
  });
  await ask("PUT", "/v1/models/prices", { provider: "CUSTOM", model: "*", request: 1 });
}, LIMIT_MS);
afterAll(async () => {
  gate.resolve();
  await weir?.[Symbol.asyncDispose]();
  await provider.stop(true);
  rmSync(directory, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: object, key = KEY): Promise<Json> {
  const response = await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) }, key);
  const { data, message } = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${response.status} ${message}`);
  return data;
}

/** A dataset of as many questions. @returns the address of its runs. */
async function dataset(questions: number): Promise<string> {
  const { id } = await ask("POST", "/v1/datasets", { name: crypto.randomUUID() });
  const items = Array.from({ length: questions }, (_, at) => ({
    input: {
      messages: [
        { role: "system", content: "old prompt" },
        { role: "user", content: `q${at}` },
      ],
    },
    output: { role: "assistant", content: `a${at}` },
  }));
  await ask("POST", `/v1/datasets/${id}/items`, { items });
  return `/v1/datasets/${id}/runs`;
}

async function inState(path: string, state: string): Promise<Json> {
  let run: Json;
  await until(
    async () => {
      run = await ask("GET", path);
      return run.state === state;
    },
    LIMIT_MS,
    () => `the run is ${state}: ${JSON.stringify(run)}`,
  );
  return run;
}

test(
  "a dataset is sent to two models with a new prompt version, compared, found in the list and exported",
  async () => {
    const runs = await dataset(3);
    const targets = [
      {
        name: "echo v2",
        model: "custom/echo",
        system: "new prompt",
        parameters: { temperature: 0 },
        prompt_id: "support",
        prompt_version: "2",
      },
      { name: "picky – été", model: "custom/picky" },
    ];
    const before = requests.length;
    const estimate = await ask("POST", `${runs}/estimate`, { targets });
    expect(requests.length).toBe(before);
    expect(estimate).toMatchObject([
      {
        name: "echo v2",
        provider: "CUSTOM",
        model: "echo",
        calls: 3,
        cost: 3,
        price_source: expect.stringContaining("own price"),
      },
      { name: "picky – été", cost: 3, notes: expect.arrayContaining([expect.stringContaining("no recorded tokens")]) },
    ]);
    const started = await ask("POST", runs, { targets, retries: 0, concurrency: 2 });
    expect(started).toMatchObject({ state: "running", items: 3, calls: 6, name: "echo v2, picky – été" });
    const run = await inState(`${runs}/${started.id}`, "done");
    expect(run).toMatchObject({ done: 6, errors: 1, cost: 5, reason: null });
    expect(run.totals).toMatchObject([
      { target: null, done: 0 },
      {
        target: "echo v2",
        done: 3,
        errors: 0,
        same: 3,
        compared: 3,
        cost: 3,
        cost_median: 1,
        prompt_tokens: 300,
        completion_tokens: 30,
      },
      { target: "picky – été", done: 3, errors: 1, same: 0, compared: 2, cost: 2, unknown_costs: 0 },
    ]);
    expect(run.totals[1].first_token_median).toBeGreaterThanOrEqual(0);
    const sent = requests.slice(before).filter(({ model }) => model === "echo");
    expect(sent.map(({ messages, temperature }) => [messages[0].content, temperature])).toEqual(
      sent.map(() => ["new prompt", 0]),
    );
    const items = await ask("GET", `${runs}/${run.id}/items`);
    expect(
      items.map((item: Json) => item.results.map(({ ok, same, output }: Json) => [ok, same, output?.content ?? null])),
    ).toEqual([
      [
        [true, true, "a0"],
        [true, false, "picky says q0"],
      ],
      [
        [true, true, "a1"],
        [false, null, null],
      ],
      [
        [true, true, "a2"],
        [true, false, "picky says q2"],
      ],
    ]);
    expect(items[1].results[1]).toMatchObject({
      target: "picky – été",
      status: 422,
      error: "unanswerable: no such question",
    });
    expect(await ask("GET", `${runs}/${run.id}/items?errors=true`)).toHaveLength(1);
    const first = items[0].results[0];
    const record = await ask("GET", `/v1/request/${first.request_id}`);
    expect(record).toMatchObject({
      properties: { "Dataset-Run": run.id, "Dataset-Item": items[0].item_id, "Dataset-Target": "echo v2" },
      ...{ prompt_id: "support", prompt_version: "2", gateway_user: "first key", credential: "box" },
      time_to_first_token: first.first_token,
    });
    await ask("POST", `/v1/request/${first.request_id}/score`, { scores: { quality: 0.5 } });
    expect((await ask("GET", `${runs}/${run.id}`)).totals[1].scores).toEqual({ quality: { mean: 0.5, count: 1 } });
    const csv = await (await callApi(weir, `${runs}/${run.id}/export?format=csv`)).text();
    expect(csv.split("\r\n")).toHaveLength(1 + 9 + 1);
    expect(csv).toContain("echo v2,true,,q0,a0,true,");
    const lines = (await (await callApi(weir, `${runs}/${run.id}/export`)).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).item_id)).toEqual(items.map(({ item_id }: Json) => item_id));
    await ask("DELETE", "/v1/request", { requestIds: [first.request_id] });
    expect((await ask("GET", `${runs}/${run.id}/items`))[0].results).toHaveLength(1);
    await ask("DELETE", `${runs}/${run.id}`);
    expect(await ask("GET", runs)).toEqual([]);
  },
  LIMIT_MS,
);

test(
  "a run stops before it costs more than it may, and continues with more",
  async () => {
    const runs = await dataset(5);
    const started = await ask("POST", runs, { targets: [{ model: "custom/echo" }], max_cost: 2.5, stream: false });
    const stopped = await inState(`${runs}/${started.id}`, "stopped");
    expect(stopped).toMatchObject({ done: 2, cost: 2, reason: expect.stringContaining("$2.5") });
    await ask("POST", `${runs}/${started.id}/resume`, { max_cost: null });
    expect(await inState(`${runs}/${started.id}`, "done")).toMatchObject({ done: 5, cost: 5 });
    await expect(ask("POST", `${runs}/${started.id}/resume`, {})).rejects.toThrow("all calls of the run are made");
  },
  LIMIT_MS,
);

test(
  "a cancelled run begins no further call and keeps those under way",
  async () => {
    const runs = await dataset(6);
    const before = requests.length;
    const started = await ask("POST", runs, { targets: [{ model: "custom/slow" }], concurrency: 2 });
    await until(
      () => requests.length === before + 2,
      LIMIT_MS,
      () => "two calls are under way",
    );
    expect((await ask("POST", `${runs}/${started.id}/cancel`)).state).toBe("cancelled");
    // The jobs look once a second; the look that begins this run has seen that the other one is cancelled.
    const later = await dataset(1);
    const { id } = await ask("POST", later, { targets: [{ model: "custom/echo" }] });
    await inState(`${later}/${id}`, "done");
    gate.resolve();
    await until(
      async () => (await ask("GET", `${runs}/${started.id}`)).done >= 2,
      LIMIT_MS,
      () => "they are kept",
    );
    expect(requests.slice(before).map(({ model }) => model)).toEqual(["slow", "slow", "echo"]);
    await ask("POST", `${runs}/${started.id}/resume`, {});
    expect(await inState(`${runs}/${started.id}`, "done")).toMatchObject({ done: 6, errors: 0 });
  },
  LIMIT_MS,
);

test(
  "a run whose key is revoked stops, and continues with the key of the caller that resumes it",
  async () => {
    const runs = await dataset(120);
    const { id, key } = await ask("POST", "/v1/keys", { name: "short", scopes: ["gateway", "read"] });
    gate = Promise.withResolvers();
    const started = await ask("POST", runs, { targets: [{ model: "custom/slow" }], concurrency: 1 }, key);
    await ask("DELETE", `/v1/keys/${id}`);
    gate.resolve();
    const stopped = await inState(`${runs}/${started.id}`, "stopped");
    expect(stopped.created_by).toBe("short");
    await ask("POST", `${runs}/${started.id}/resume`, { errors: true, concurrency: 8 });
    expect(await inState(`${runs}/${started.id}`, "done")).toMatchObject({ done: 120, errors: 0 });
  },
  LIMIT_MS,
);

test(
  "a user without any key runs a dataset, and tries a model in the playground",
  async () => {
    const { token } = await ask("POST", "/v1/invitations", { email: "ada@example.test", role: "developer" });
    const own = { origin: weir.api, "sec-fetch-site": "same-origin", "content-type": "application/json" };
    const post = (path: string, body: object, more: Record<string, string> = {}) =>
      fetch(`${weir.api}${path}`, { method: "POST", headers: { ...own, ...more }, body: JSON.stringify(body) });
    const password = "plain sailing on tuesdays";
    await post(`/v1/invitations/${token}`, { name: "Ada", password });
    const login = await post("/v1/session", { email: "ada@example.test", password });
    const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
    const runs = await dataset(1);
    const started = ((await (await post(runs, { targets: [{ model: "custom/echo" }] }, { cookie })).json()) as Json)
      .data;
    await inState(`${runs}/${started.id}`, "done");
    const [item] = await ask("GET", `${runs}/${started.id}/items`);
    expect(item.results[0]).toMatchObject({ ok: true, output: { content: "a0" } });
    expect(await ask("GET", `/v1/request/${item.results[0].request_id}`)).toMatchObject({
      gateway_user: "ada@example.test",
    });
    const body = { model: "custom/echo", messages: [{ role: "user", content: "q9" }] };
    const tried = await post("/v1/playground/chat/completions", body, { cookie });
    expect([tried.status, ((await tried.json()) as Json).choices[0].message.content]).toEqual([200, "a9"]);
  },
  LIMIT_MS,
);

test("a run continues after the service was killed, and sends nothing again that is noted", async () => {
  const runs = await dataset(6);
  gate = Promise.withResolvers();
  const targets = [{ model: "custom/echo" }, { model: "custom/slow" }];
  const started = await ask("POST", runs, { targets, concurrency: 2 });
  await until(
    async () => (await ask("GET", `${runs}/${started.id}`)).done >= 1,
    LIMIT_MS,
    () => "one is noted",
  );
  await until(
    () => requests.at(-1).model === "slow" || requests.at(-2).model === "slow",
    LIMIT_MS,
    () => "one hangs",
  );
  const noted = (await ask("GET", `${runs}/${started.id}/items`)).flatMap((item: Json) => item.results);
  await weir.kill();
  gate.resolve();
  weir = await startWeir({ dataDirectory: directory });
  expect(await inState(`${runs}/${started.id}`, "done")).toMatchObject({ done: 12, errors: 0 });
  const results = (await ask("GET", `${runs}/${started.id}/items`)).flatMap((item: Json) => item.results);
  expect(results.map(({ request_id }: Json) => request_id)).toEqual(
    expect.arrayContaining(noted.map(({ request_id }: Json) => request_id)),
  );
}, 300_000);
