import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { encodeFrame } from "../../src/spool/codec.ts";
import { FRAME, type FrameKind } from "../../src/spool/frame.ts";
import { temporaryDirectory } from "../directory.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, queryIds, recordOf, recordsOf, startWeir, until, within } from "./weir.ts";

let upstream: Upstream;
let dataDirectory: string;
beforeAll(async () => {
  upstream = await startUpstream();
  dataDirectory = mkdtempSync(join(tmpdir(), "weir-life-"));
});
afterAll(() => {
  upstream?.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const send = (gateway: string, path: string) =>
  fetch(gateway + path, { method: "POST", body: "{}", headers: gatewayHeaders(upstream.origin), keepalive: false });

/** Waits until a stopping service responds with 503 or no longer listens. */
const takesNothingNew = (gateway: string) =>
  until(
    () =>
      send(gateway, "/v1/late").then(
        (response) => response.status === 503,
        () => true,
      ),
    180_000,
    () => "a stopping service still takes requests",
  );

/** Longer than any stop may take here: a service that ends has not waited for it. */
const LONG_DRAIN = { WEIR_DRAIN_SECONDS: "600" };

test("SIGTERM lets a stream finish, takes nothing new, exits 0, and the next start shows all records", async () => {
  await using weir = await startWeir({ dataDirectory, env: LONG_DRAIN });
  const quick = await send(weir.gateway, "/v1/quick");
  const stream = await send(weir.gateway, "/events?n=30&ms=30");
  const stopped = weir.stop();
  await takesNothingNew(weir.gateway);
  expect(await stream.text()).toContain('{"index":29}');
  expect(await stopped).toBe(0);

  await using again = await startWeir({ dataDirectory });
  const ids = [quick, stream].map((response) => response.headers.get("gateway-id")!);
  const records = await recordsOf(again, ids);
  expect(records.map(({ response_status }) => response_status)).toEqual([200, 200]);
}, 300_000);

test("a second signal ends the process at once with its status, and the cut-off stream is recorded as 500", async () => {
  await using weir = await startWeir({ dataDirectory, env: LONG_DRAIN });
  const stream = await send(weir.gateway, "/endless");
  const id = stream.headers.get("gateway-id")!;
  process.kill(weir.pid, "SIGTERM");
  await takesNothingNew(weir.gateway);
  process.kill(weir.pid, "SIGINT");
  expect([130, 143]).toContain(await within(weir.exited, 150_000, () => "the process goes on"));
  await stream.text().catch(() => undefined);

  await using again = await startWeir({ dataDirectory });
  expect((await recordOf(again, id))["response_status"]).toBe(500);
}, 300_000);

test("SIGTERM ends a service whose spool is damaged and whose database is locked, and nothing else is lost", async () => {
  using directory = temporaryDirectory("life");
  const data = join(directory.path, "data");
  mkdirSync(data);
  const spool = join(data, "spool");
  const ids: string[] = [];
  const first = await startWeir({ dataDirectory: data });
  ids.push((await send(first.gateway, "/v1/quick")).headers.get("gateway-id")!);
  await first.kill();
  const newest = readdirSync(spool).findLast((name) => name.endsWith(".spool"))!;
  for (const [kind, payload] of [
    [FRAME.begin, "not json"],
    [FRAME.end, "{}"],
    [77 as FrameKind, "x"],
  ] as const)
    appendFileSync(join(spool, newest), encodeFrame(kind, crypto.randomUUID(), Buffer.from(payload)));
  appendFileSync(join(spool, newest), Buffer.alloc(5_000, 0xa5));
  mkdirSync(join(spool, `${Number.parseInt(newest, 10) + 1}.spool`));
  writeFileSync(join(spool, newest.replace(".spool", ".carry")), "damaged");
  const holder = new Libsql(join(data, "weir.db"));
  holder.exec("begin exclusive");

  await using second = await startWeir({ dataDirectory: data });
  ids.push((await send(second.gateway, "/v1/quick")).headers.get("gateway-id")!);
  expect(await second.stop()).toBe(0);
  holder.exec("rollback");
  holder.close();
  await using third = await startWeir({ dataDirectory: data });
  expect((await recordsOf(third, ids)).map(({ response_status }) => response_status)).toEqual([200, 200]);
  const ready = await (await fetch(`${third.api}/readyz`)).text();
  expect(ready).toContain("frames could not be read and are set aside");
  expect(ready).toContain("carry files were damaged");
}, 300_000);

test("everything that is written stays in the data directory; the spool does not grow for ever", async () => {
  await using weir = await startWeir({ dataDirectory });
  const response = await send(weir.gateway, "/v1/x");
  await recordOf(weir, response.headers.get("gateway-id")!);
  const names = readdirSync(dataDirectory);
  expect(names).toContain("weir.db");
  expect(names).toContain("spool");
  expect(readdirSync(join(dataDirectory, "spool")).length).toBeLessThan(6);
});

test("health, readiness and metrics respond without a key and without secrets", async () => {
  await using weir = await startWeir();
  await (await send(weir.gateway, "/v1/x")).arrayBuffer();
  expect((await fetch(`${weir.api}/healthz`)).status).toBe(200);
  const ready = await fetch(`${weir.api}/readyz`);
  expect(ready.status).toBe(200);
  expect(ready.headers.get("content-type")).toContain("json");
  const metrics = await (await fetch(`${weir.api}/metrics`)).text();
  expect(metrics).toMatch(/^# TYPE weir_/m);
  expect(metrics).not.toContain("sk-weir");
  expect((await callApi(weir, "/openapi.json")).status).toBe(200);
  expect((await fetch(`${weir.api}/docs`)).status).toBe(200);
});

test("queries without a key, or with a wrong one, are refused in the envelope", async () => {
  await using weir = await startWeir();
  for (const [key, status] of [
    ["", 401],
    ["sk-weir-us-wrong", 401],
  ] as const) {
    const response = await callApi(weir, "/v1/request/query-ids", { method: "POST", body: '{"requestIds":[]}' }, key);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ data: [], error: 401 });
  }
  expect(await queryIds(weir, [crypto.randomUUID()])).toEqual([]);
});
