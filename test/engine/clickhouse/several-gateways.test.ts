import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { chance } from "../../chance.ts";
import { temporaryDirectory } from "../../directory.ts";
import { type Sqld, startSqld } from "../../e2e/sqld.ts";
import {
  callApi,
  gatewayHeaders,
  queryIds,
  recordOf,
  recordsOf,
  runCommand,
  startWeir,
  type Weir,
} from "../../e2e/weir.ts";
import { startObjectStore, type TestStore } from "../../objects/store.ts";
import { until } from "../../until.ts";
import { type ClickHouseServer, isClickHouseMissing, startClickHouse } from "./server.ts";

/** Ends what hangs; nothing here is about time. */
const LIMIT_MS = 300_000;
const DATABASE = "several_gateways";
const random = chance("several gateways");

setDefaultTimeout(LIMIT_MS);

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("two gateways with records in one ClickHouse and bodies in one bucket", severalGateways);

function severalGateways(): void {
  const directories = [temporaryDirectory(), temporaryDirectory()] as const;
  let upstream: ReturnType<typeof startEcho>;
  let settings: Sqld;
  let clickhouse: ClickHouseServer;
  let bucket: TestStore;
  let env: Readonly<Record<string, string>>;
  let a: Weir;
  let b: Weir;

  beforeAll(async () => {
    upstream = startEcho();
    [settings, clickhouse, bucket] = await Promise.all([startSqld(), startClickHouse(), startObjectStore()]);
    env = {
      WEIR_DATABASE_URL: settings.url,
      WEIR_RECORDS_ENGINE: "clickhouse",
      WEIR_RECORDS_URL: clickhouse.url,
      WEIR_RECORDS_DATABASE: DATABASE,
      ...Object.fromEntries(
        Object.entries(bucket.settings).map(([key, value]) => [`WEIR_${key.toUpperCase()}`, String(value)]),
      ),
      WEIR_BODIES_SECRET_ACCESS_KEY: "env:STORE_SECRET",
      STORE_SECRET: bucket.settings.bodies_secret_access_key,
    };
    [a, b] = (await Promise.all(directories.map(({ path }) => startWeir({ dataDirectory: path, env })))) as [
      Weir,
      Weir,
    ];
  });
  afterAll(async () => {
    await Promise.all([a, b].map((node) => node?.stop()));
    await Promise.all([settings, clickhouse, bucket].map((each) => each?.[Symbol.asyncDispose]()));
    await upstream?.stop(true);
    for (const directory of directories) directory[Symbol.dispose]();
  });

  const send = async (node: Weir, text: string): Promise<string> => {
    const response = await fetch(`${node.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { ...gatewayHeaders(upstream.url.origin), "content-type": "application/json" },
      body: bodyOf(text),
      keepalive: false,
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return response.headers.get("gateway-id")!;
  };
  const property = (node: Weir, id: string, name: string) =>
    callApi(node, `/v1/request/${id}/property`, { method: "PUT", body: JSON.stringify({ [name]: "1" }) });
  const canAsk = (node: Weir, ids: readonly string[]) =>
    until(
      async () => (await callApi(node, `/v1/request/${ids[0]}/headers`)).status === 200,
      LIMIT_MS,
      () => "records and bodies can be read again",
    );

  test("20 clients that change one record at once through both: every change is there", async () => {
    const id = await send(a, "hello");
    await recordOf(b, id, LIMIT_MS);
    const names = Array.from({ length: 20 }, (_, at) => `P${at}`);
    const changes = await Promise.all(names.map((name, at) => property(at % 2 === 0 ? a : b, id, name)));
    expect(changes.map(({ status }) => status)).toEqual(names.map(() => 200));
    for (const node of [a, b]) {
      expect(Object.keys((await queryIds(node, [id]))[0]!["properties"]).sort()).toEqual(names.sort());
    }
  });

  test("with both stores away and a gateway killed, each request is recorded once with its bodies", async () => {
    const sent = new Map<string, string>();
    const burst = async (...nodes: readonly Weir[]) => {
      const texts = Array.from({ length: 12 }, () => random.bytes(1_500).toString("base64"));
      const ids = await Promise.all(texts.map((text, at) => send(nodes[at % nodes.length]!, text)));
      for (const [at, id] of ids.entries()) sent.set(id, texts[at]!);
    };
    await burst(a, b);
    await recordsOf(a, [...sent.keys()], LIMIT_MS);
    await Promise.all([bucket.stop(), clickhouse.kill()]);
    await burst(a, b);
    await b.kill();
    b = await startWeir({ dataDirectory: directories[1].path, env });
    await burst(a, b);
    await clickhouse.start();
    await burst(a, b);
    await bucket.start();
    const ids = [...sent.keys()];
    for (const node of [a, b]) {
      await canAsk(node, ids);
      for (const record of await recordsOf(node, ids, LIMIT_MS)) {
        const body = JSON.parse(bodyOf(sent.get(record["request_id"])!));
        expect(record).toMatchObject({ response_status: 200, request_body: body, response_body: body });
      }
    }
    const client = new ClickHouse({ urls: [clickhouse.url], database: DATABASE });
    const list = ids.map((id) => `'${id}'`).join();
    const rows = `select count() as n, uniqExact(request_id) as ids from requests where request_id in (${list})`;
    expect(await client.query(rows)).toEqual([{ n: ids.length, ids: ids.length }]);
  });

  test("a deleted record is gone at once, and from the bucket; what another one shares stays", async () => {
    const [marker, shared] = [random.bytes(24).toString("hex"), random.bytes(1_500).toString("base64")];
    const [gone, stays] = [await send(a, `${shared} ${marker}`), await send(b, shared)];
    await recordsOf(b, [gone, stays], LIMIT_MS);
    const bucketHas = async (text: string) => {
      const objects = [...(await bucket.all()).values()] as Buffer<ArrayBuffer>[];
      return objects.some((object) => Bun.zstdDecompressSync(object).includes(text));
    };
    expect(await bucketHas(marker)).toBe(true);
    const removal = { method: "DELETE", body: JSON.stringify({ requestIds: [gone] }) };
    expect((await callApi(b, "/v1/request", removal)).status).toBe(200);
    for (const node of [a, b]) expect((await callApi(node, `/v1/request/${gone}`)).status).toBe(404);
    expect((await runCommand(b.env, "storage", "erase")).status).toBe(0);
    expect((await runCommand(a.env, "storage", "erase")).status).toBe(0);
    expect(await bucketHas(marker)).toBe(false);
    expect((await recordOf(a, stays, LIMIT_MS))["request_body"]).toEqual(JSON.parse(bodyOf(shared)));
  });
}

const bodyOf = (text: string) => JSON.stringify({ model: "m-1", messages: [{ role: "user", content: text }] });

/** A provider that responds with the request's body. */
function startEcho() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => new Response(await request.text(), { headers: { "content-type": "application/json" } }),
  });
}
