import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { isSignedWith, type Receiver, startReceiver } from "../jobs/receiver.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, KEY, runCommand, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
let receiver: Receiver;
/** The next response of the receiver. */
let status = 200;
const dataDirectory = mkdtempSync(join(tmpdir(), "weir-webhooks-"));
const start = () => startWeir({ dataDirectory, env: { WEIR_ALERTS_CRON: "* * * * * *" } });

beforeAll(async () => {
  upstream = await startUpstream();
  receiver = startReceiver(() => new Response(null, { status }));
  weir = await start();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  receiver?.[Symbol.dispose]();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object): Promise<Json> {
  const response = await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) });
  const json = (await response.json()) as Json;
  expect({ status: response.status, path, message: json.message }).toEqual({ status: 200, path, message: undefined });
  return json.data;
}

/** Sends a request through the gateway and returns its id. */
async function send(properties: Readonly<Record<string, string>> = {}, path = "/v1/chat/completions"): Promise<string> {
  const named = Object.entries(properties).map(([name, value]) => [`Gateway-Property-${name}`, value]);
  const response = await fetch(weir.gateway + path, {
    method: "POST",
    keepalive: false,
    headers: gatewayHeaders(upstream.origin, { "Content-Type": "application/json", ...Object.fromEntries(named) }),
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "a planted question" }] }),
  });
  await response.arrayBuffer();
  return response.headers.get("gateway-id")!;
}

test("a webhook that a command adds while the service runs is tested, notified of requests, and removed", async () => {
  const words = async (...more: string[]) => {
    const { status, stdout, stderr } = await runCommand(weir.env, "webhooks", ...more);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  };
  const own = startReceiver();
  const id = (await words("add", own.url, "--property", "From=command")).trim();
  expect(await words("test", id)).toBe(`${own.url}: delivered\n`);
  await until(
    async () => {
      await send({ From: "command" });
      return own.received.length > 1;
    },
    180_000,
    () => "it is told of nothing",
    200,
  );
  const types = own.received.map(({ text }) => JSON.parse(text).type);
  expect([types[0], types[1]]).toEqual(["webhook.test", "request.finished"]);
  expect(JSON.parse(await words("deliveries", id, "--json")).at(-1)).toMatchObject({
    kind: "test",
    state: "delivered",
  });
  await words("remove", id);
  expect(JSON.parse(await words("list", "--json"))).toEqual([]);
  own[Symbol.dispose]();
});

test("a webhook is notified of requests with its properties, and of no others", async () => {
  const { id, secret } = await call("POST", "/v1/webhooks", {
    url: receiver.url,
    property_filters: [{ name: "Team", value: "night" }, { name: "App" }],
    fields: ["model", "response_status", "total_tokens", "cost"],
    include_body: true,
  });
  await send({ Team: "night" });
  await send({ Team: "day", App: "x" });
  const wanted = await send({ Team: "night", App: "x" });
  const [delivered] = await receiver.waitFor(1);
  expect(isSignedWith(secret, delivered!)).toBe(true);
  const body = JSON.parse(delivered!.text);
  expect(body).toMatchObject({
    type: "request.finished",
    webhook_id: id,
    request_id: wanted,
    properties: { Team: "night", App: "x" },
    response_status: 200,
    request_body: { messages: [{ content: "a planted question" }] },
    response_body: { object: "chat.completion" },
    bodies_left_out: false,
  });
  expect(Object.keys(body).sort()).toEqual(
    [
      ...["type", "timestamp", "webhook_id", "request_id", "properties", "signed_body_url"],
      ...["model", "response_status", "total_tokens", "cost", "request_body", "response_body", "bodies_left_out"],
    ].sort(),
  );
  const fetched = await fetch(body.signed_body_url, { keepalive: false });
  expect([fetched.status, ((await fetched.json()) as Json).data.request.model]).toEqual([200, "gpt-4o-mini"]);
  const deliveries = await call("GET", `/v1/webhooks/${id}/deliveries`);
  expect(deliveries.map(({ subject_id }: Json) => subject_id)).toEqual([wanted]);
  expect(receiver.received.length).toBe(1);
  await call("DELETE", `/v1/webhooks/${id}`);
}, 300_000);

test("of two equal samples both hold the same requests, and at zero percent none is sent", async () => {
  const half = { url: receiver.url, property_filters: [{ name: "Sample" }], sample_rate: 50, fields: [] };
  const first = await call("POST", "/v1/webhooks", half);
  const second = await call("POST", "/v1/webhooks", half);
  const none = await call("POST", "/v1/webhooks", { ...half, sample_rate: 0 });
  const ids = await Promise.all(Array.from({ length: 40 }, () => send({ Sample: "x" })));
  await until(
    async () => (await Promise.all(ids.map(isRecorded))).every(Boolean),
    180_000,
    () => "not recorded",
  );
  const subjects = async ({ id }: Json) =>
    (await call("GET", `/v1/webhooks/${id}/deliveries`)).map(({ subject_id }: Json) => subject_id).sort();
  const delivered = await subjects(first);
  expect(delivered.length).toBeGreaterThan(5);
  expect(delivered.length).toBeLessThan(35);
  expect(await subjects(second)).toEqual(delivered);
  expect(await subjects(none)).toEqual([]);
  for (const { id } of [first, second, none]) await call("DELETE", `/v1/webhooks/${id}`);
}, 300_000);

async function isRecorded(id: string): Promise<boolean> {
  const response = await callApi(weir, `/v1/request/${id}`);
  const json = (await response.json()) as Json;
  return response.status === 200 && json.data.response_status !== null;
}

test("after kill -9 every request is delivered, and an alert that fired is delivered once, signed", async () => {
  status = 503;
  const before = receiver.received.length;
  const { id, secret } = await call("POST", "/v1/webhooks", {
    url: receiver.url,
    property_filters: [{ name: "Kill" }],
    fields: [],
  });
  const alert = await call("POST", "/v1/alerts", {
    name: "many",
    metric: "requests",
    comparison: "above",
    threshold: 9,
    window_seconds: 3_600,
    filter: { request_response_rmt: { properties: { Kill: { equals: "9" } } } },
    group_by: ["property:Kill"],
    channels: [{ type: "webhook", url: `${receiver.url}/alert` }],
  });
  const ids = await Promise.all(Array.from({ length: 30 }, () => send({ Kill: "9" })));
  await until(
    async () => (await call("GET", `/v1/alerts/${alert.id}/deliveries`))[0]?.attempts > 1,
    180_000,
    () => "the alert was not tried twice",
  );
  ids.push(...(await Promise.all(Array.from({ length: 30 }, () => send({ Kill: "9" })))));
  await weir.kill();
  expect(receiver.received.slice(before).every((each) => each.status === 503)).toBe(true);
  status = 200;
  weir = await start();
  const requests = () => receiver.accepted().filter(({ text }) => JSON.parse(text).webhook_id === id);
  const delivered = () => new Set(requests().map(({ text }) => JSON.parse(text).request_id));
  await until(
    () => ids.every((each) => delivered().has(each)),
    180_000,
    () => `${delivered().size} of ${ids.length} were told of`,
  );
  expect(delivered().size).toBe(ids.length);
  expect(requests().every((each) => isSignedWith(secret, each))).toBe(true);
  expect(new Set(requests().map((each) => each.id)).size).toBe(ids.length);

  const alerts = () => receiver.accepted().filter(({ text }) => JSON.parse(text).alert_id === alert.id);
  await until(
    () => alerts().length > 0,
    180_000,
    () => "the alert was not delivered",
  );
  expect(alerts().map(({ text }) => [JSON.parse(text).type, JSON.parse(text).group])).toEqual([
    ["alert.triggered", { "property:Kill": "9" }],
  ]);
  expect(isSignedWith(alert.channels[0].secret, alerts()[0]!)).toBe(true);
  const history = await call("GET", `/v1/alerts/${alert.id}/history`);
  expect(history.map(({ kind }: Json) => kind)).toEqual(["triggered"]);
  expect(weir.output()).not.toContain(secret);
  expect(weir.output()).not.toContain(KEY);
}, 300_000);
