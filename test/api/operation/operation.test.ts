import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { startApi } from "../../../src/api/start.ts";
import { insertRecord, openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});
const open = (path: string) => it.call("GET", path, { key: null });

describe("probes", () => {
  test("say that the process lives and serves", async () => {
    expect(await open("/healthz")).toMatchObject({ status: 200, json: { status: "ok" } });
    expect(await open("/readyz")).toMatchObject({ status: 200, json: { status: "ready", degraded: [] } });
    const head = await fetch(`${it.origin}/healthz`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String('{"status":"ok"}'.length));
  });

  test("name what is wrong while traffic is still served", async () => {
    const { gatewayStatus, recorderStatus } = it;
    if (gatewayStatus instanceof Error || recorderStatus instanceof Error) throw new Error("they answer at first");
    it.gatewayStatus = {
      ...gatewayStatus,
      spoolHealthy: false,
      spoolError: "disk full",
      exchangesDropped: 2,
      degraded: ["plugin a.ts: old version"],
    };
    it.recorderStatus = { ...recorderStatus, databaseError: "locked", lagBytes: 1e9 };
    expect(await open("/readyz")).toMatchObject({
      status: 200,
      json: {
        status: "ready",
        degraded: [
          "plugin a.ts: old version",
          "spool: disk full",
          "spool: 2 exchanges not recorded completely",
          "recorder: locked",
          "recorder: 1000000000 bytes behind",
        ],
      },
    });
    it.recorderStatus = new Error("it died");
    expect((await open("/readyz")).json.degraded).toContain("recorder: it does not respond");
    Object.assign(it, { gatewayStatus, recorderStatus });
  });

  test("say no where traffic is not served", async () => {
    const { gatewayStatus } = it;
    it.gatewayStatus = { ...(gatewayStatus as object), draining: true } as TestApi["gatewayStatus"];
    expect(await open("/readyz")).toMatchObject({ status: 503, json: { status: "not ready" } });
    it.gatewayStatus = new Error("it died");
    expect((await open("/readyz")).status).toBe(503);
    it.gatewayStatus = gatewayStatus;
  });
});

test("metrics of all threads are one text", async () => {
  await it.call("GET", "/v1/models");
  const response = await fetch(`${it.origin}/metrics`);
  expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  const text = await response.text();
  for (const line of [
    "weir_gateway_requests_total 5",
    "weir_recorded_total 0",
    'weir_api_requests_total{method="GET",route="/v1/models",status="200"} 1',
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("every endpoint is described, with its scope and its body", async () => {
  const { json } = await open("/openapi.json");
  expect(json.openapi).toBe("3.1.0");
  expect(json.paths["/v1/request/{id}/property"].put.security).toEqual([{ key: ["write"] }]);
  const body = json.paths["/v1/request/query-ids"].post.requestBody.content["application/json"].schema;
  expect(body.properties.requestIds).toMatchObject({ type: "array", maxItems: 1000 });
  expect(Object.keys(json.paths)).toContain("/v1/keys/{id}");
});

test("the description knows parameters of addresses, optional bodies, and responses without an envelope", async () => {
  const { paths } = (await open("/openapi.json")).json;
  const named = ({ parameters }: { parameters: { in: string; name: string }[] }) =>
    parameters.map((each) => `${each.in} ${each.name}`);
  expect(named(paths["/v1/request/{id}/body"].get)).toEqual([
    ...["path id", "query part", "query raw", "query expires", "query signature"],
  ]);
  expect(named(paths["/v1/cache/entries"].get)).toEqual(["query limit", "query offset"]);
  expect(named(paths["/v1/models/{model}/expedite"].post)).toEqual(["path model", "query provider"]);
  expect(paths["/v1/cache"].delete.requestBody.required).toBe(false);
  expect(paths["/v1/request"].delete.requestBody.required).toBe(true);
  expect(Object.keys(paths["/v1/import"].post.requestBody.content)).toContain("application/x-ndjson");
  expect(Object.keys(paths["/metrics"].get.responses[200].content)).toEqual(["text/plain"]);
  expect(paths["/v1/request/query"].post.responses.default.content["application/json"].schema).toEqual({
    $ref: "#/components/schemas/Failure",
  });
});

test("the reference is a page that needs nothing from elsewhere; its policy names its one script, which sends what is tried", async () => {
  const response = await fetch(`${it.origin}/docs`);
  expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-");
  const html = await response.text();
  const { paths } = (await open("/openapi.json")).json;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods as object))) {
    const { operationId: id } = operation as { operationId: string };
    expect([id, html.split(`id="${id}"`).length, html.includes(`href="#${id}"`)]).toEqual([id, 2, true]);
  }
  expect(html).toContain("<code>requestIds</code> <strong>required</strong>");
  expect(html).toContain("<code>sessions_request_response_rmt</code>");
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text!);
  expect(scripts.length).toBe(1);
  const hash = new Bun.CryptoHasher("sha256").update(scripts[0]!).digest("base64");
  expect(response.headers.get("content-security-policy")).toContain(`script-src 'sha256-${hash}'; connect-src 'self';`);
  expect(html).toContain(`curl ${it.origin}/v1/request/query-fast`);
  expect(html.replaceAll(it.origin, "")).not.toMatch(/https?:\/\/|<link/i);
});

describe("a database that is away", () => {
  test("delays neither key look-ups nor the listener", async () => {
    const own = await openApi();
    const id = await insertRecord(own.store, own.organization);
    const path = join(own.directory, "weir.db");
    renameSync(path, `${path}.away`);
    expect(await own.call("GET", `/v1/request/${id}`)).toMatchObject({ status: 503, json: { error: 503, data: [] } });
    const ready = await own.call("GET", "/readyz");
    expect([ready.status, ready.json.degraded.join()]).toEqual([200, expect.stringContaining("is missing")]);
    renameSync(`${path}.away`, path);
    expect((await own.call("GET", `/v1/request/${id}`)).status).toBe(200);
    await own[Symbol.asyncDispose]();
  });
});

test("a port that is taken is named", async () => {
  const second = startApi({
    config: { ...it.config, api_port: it.api.port },
    log: { ...console, with: () => console } as never,
    recorder: {} as never,
    gateway: { setKeys: async () => {}, routes: async () => [] } as never,
    jobs: {} as never,
    requests: { addEventListener: () => {} } as never,
  });
  await expect(second).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(String(it.api.port)),
  });
});
