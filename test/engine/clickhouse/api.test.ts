import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { clickhouseOf } from "../../../src/engine/clickhouse/open.ts";
import { openApi, type TestApi } from "../../api/open.ts";
import { begin, pass } from "../../recorder/harness.ts";
import { until } from "../../until.ts";
import { recordsAt } from "./rig.ts";
import { isClickHouseMissing, sharedClickHouse } from "./server.ts";

/** More than one step of a deletion. */
const RECORDS = 620;

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("the API, with records in ClickHouse", suite);

function suite() {
  let it: TestApi;
  beforeAll(async () => {
    it = await openApi(recordsAt(await sharedClickHouse()));
  }, 120_000);
  afterAll(() => it[Symbol.asyncDispose](), 120_000);

  const rowsOf = async (table: "requests" | "open", organization: string) => {
    const rows = await clickhouseOf(it.config).query<{ n: number }>(
      `select count() as n from ${table === "open" ? "open final" : table} where organization_id = '${organization}'`,
    );
    return rows[0]!.n;
  };
  const passed = (organization: string, gateway: readonly string[] = []) =>
    pass(it.spool, { begin: { organization, gateway, time: Date.now() } });

  test("a session is tagged and shared, and a signed address shows a body", async () => {
    const ids = [passed(it.organization, ["gateway-session-id", "trip"]), passed(it.organization)];
    await until(async () => (await rowsOf("requests", it.organization)) === ids.length);
    expect((await it.call("PUT", "/v1/session/trip/tag", { body: { tag: "seen" } })).status).toBe(200);
    expect((await it.call("PUT", "/v1/session/none/tag", { body: { tag: "seen" } })).status).toBe(404);

    const link = await it.call("POST", "/v1/shared-links", { body: { session_id: "trip" } });
    expect(link.status).toBe(200);
    const shared = await it.call("GET", `/v1/shared/${link.json.data.token}`, { key: null });
    expect(shared.json.data.requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual([ids[0]]);
    expect((await it.call("POST", "/v1/shared-links", { body: { session_id: "none" } })).status).toBe(404);

    const { json } = await it.call("GET", `/v1/request/${ids[1]}`);
    const { pathname, search } = new URL(json.data.signed_body_url, it.origin);
    const body = await it.call("GET", pathname + search, { key: null });
    expect([body.status, body.json]).toMatchObject([200, { data: { request: { model: "m-1" } } }]);
  }, 120_000);

  test.each([
    ["POST", "/v1/models/prices/recompute", {}],
    ["POST", "/v1/models/m-1/expedite", undefined],
  ])("%s %s is refused, not done over an empty table", async (method, path, body) => {
    expect(await it.call(method, path, { body })).toMatchObject({ status: 501, json: { code: "not_with_clickhouse" } });
  });

  test("a judge can be made, but not enabled", async () => {
    const { json } = await it.call("GET", "/v1/keys");
    const { id: key } = json.data.find(({ name }: { name: string }) => name === "all");
    const judge = {
      name: "j",
      key,
      model: "m",
      prompt: "Rate {{output}}",
      scores: [{ name: "a", kind: "number" }],
    };
    const made = await it.call("POST", "/v1/judges", { body: judge });
    expect([made.status, made.json.error]).toEqual([200, null]);
    const { status, json: refused } = await it.call("POST", "/v1/judges", {
      body: { ...judge, name: "k", enabled: true },
    });
    expect([status, refused.code]).toEqual([501, "not_with_clickhouse"]);
  });

  test("a deleted organization leaves no records: what is in flight is awaited, the rest goes at once", async () => {
    const gone = Array.from({ length: RECORDS }, () => passed(it.other));
    const kept = passed(it.organization);
    const late = crypto.randomUUID();
    it.spool.begin(late, begin({ organization: it.other, time: Date.now() }));
    it.spool.flush();
    await until(async () => (await rowsOf("requests", it.other)) === RECORDS);
    await until(async () => (await rowsOf("open", it.other)) === 1);
    expect((await it.store.content.get(gone, ["request"])).size).toBe(RECORDS);

    const order = { body: { name: "other", export: true } };
    const first = await it.call("DELETE", `/v1/organizations/${it.other}`, order);
    expect(first.json.data).toMatchObject({ remaining: expect.any(Number), done: false });
    let { removed } = first.json.data;
    for (; removed < RECORDS; ) {
      const { json } = await it.call("DELETE", `/v1/organizations/${it.other}`, order);
      expect(json.data.done).toBe(false);
      removed += json.data.removed;
    }
    expect([removed, await rowsOf("requests", it.other)]).toEqual([RECORDS, 0]);
    expect((await it.store.content.get(gone, ["request"])).size).toBe(0);

    const now = Date.now();
    const end = { time: now, forwardedAt: now, firstByteAt: now, requestBytes: 0, responseBytes: 0 };
    it.spool.head(late, { time: now, status: 200, headers: [] });
    it.spool.end(late, { ...end, outcome: "complete" });
    it.spool.flush();
    await until(async () => (await rowsOf("requests", it.other)) === 1 && (await rowsOf("open", it.other)) === 0);
    const { json } = await it.call("DELETE", `/v1/organizations/${it.other}`, order);
    expect(json.data).toMatchObject({ removed: 1, remaining: 0, done: true });
    expect(await rowsOf("requests", it.other)).toBe(0);
    const exported = readFileSync(json.data.exported, "utf8").trim().split("\n");
    const ids = exported.map((line) => JSON.parse(line).request_id);
    expect(new Set(ids)).toEqual(new Set([...gone, late]));

    expect((await it.call("GET", `/v1/request/${kept}`)).status).toBe(200);
    const { json: all } = await it.call("GET", "/v1/organizations");
    expect(all.data.map(({ id }: { id: string }) => id)).not.toContain(it.other);
  }, 120_000);
}
