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
  }, 300_000);
  afterAll(() => it[Symbol.asyncDispose](), 120_000);

  /** On a busy machine the API responds with 503 if the recorder does not catch up within ten seconds; the call is then repeated. */
  const call: TestApi["call"] = async (...call) => {
    for (;;) {
      const response = await it.call(...call);
      if (response.status !== 503) return response;
    }
  };
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
    expect((await call("PUT", "/v1/session/trip/tag", { body: { tag: "seen" } })).status).toBe(200);
    expect((await call("PUT", "/v1/session/none/tag", { body: { tag: "seen" } })).status).toBe(404);

    const link = await call("POST", "/v1/shared-links", { body: { session_id: "trip" } });
    expect(link.status).toBe(200);
    const shared = await call("GET", `/v1/shared/${link.json.data.token}`, { key: null });
    expect(shared.json.data.requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual([ids[0]]);
    expect((await call("POST", "/v1/shared-links", { body: { session_id: "none" } })).status).toBe(404);

    const { json } = await call("GET", `/v1/request/${ids[1]}`);
    const { pathname, search } = new URL(json.data.signed_body_url, it.origin);
    const body = await call("GET", pathname + search, { key: null });
    expect([body.status, body.json]).toMatchObject([200, { data: { request: { model: "m-1" } } }]);
  }, 300_000);

  test("a request is commented on, found by its comments, and loses them when it is deleted", async () => {
    const id = passed(it.organization);
    await until(async () => (await call("GET", `/v1/request/${id}`)).status === 200);
    const comments = `/v1/request/${id}/comments`;
    expect((await call("POST", comments, { body: { text: "look here" } })).json.data).toMatchObject({
      text: "look here",
    });
    expect((await call("GET", comments)).json.data).toMatchObject([{ text: "look here" }]);
    expect((await call("GET", `/v1/request/${id}`)).json.data.comments).toBe(1);
    const filter = { request_response_rmt: { comments: { gte: 1 } } };
    const found = await call("POST", "/v1/request/query-fast", { body: { filter } });
    expect(found.json.data.map(({ request_id }: { request_id: string }) => request_id)).toEqual([id]);
    expect((await call("DELETE", "/v1/request", { body: { requestIds: [id] } })).json.data).toBe(1);
    const rows = await it.store.records.query({ sql: "select count(*) as n from comments", args: [] });
    expect(rows).toEqual([{ n: 0 }]);
    expect((await call("POST", comments, { body: { text: "late" } })).status).toBe(404);
  }, 300_000);

  test("new prices are put into what was recorded before", async () => {
    const id = passed(it.organization);
    const cost = async () => (await call("GET", `/v1/request/${id}`)).json.data.cost;
    await until(async () => (await call("GET", `/v1/request/${id}`)).status === 200);
    expect(await cost()).toBeNull();
    const price = { provider: "CUSTOM", model: "m-1*", request: 2 };
    expect((await call("PUT", "/v1/models/prices", { body: price })).status).toBe(200);
    const { json } = await call("POST", "/v1/models/prices/recompute", { body: {} });
    const progress = async () => (await call("GET", `/v1/models/prices/recompute/${json.data.id}`)).json.data;
    await until(async () => (await progress()).done);
    expect((await progress()).failed).toBeUndefined();
    expect(await cost()).toBe(2);
  }, 300_000);

  test("a model of an unknown format is mapped on request", async () => {
    const request = '{"model":"odd","x":1}';
    pass(it.spool, { request, response: '{"y":2}', begin: { organization: it.organization, time: Date.now() } });
    await until(async () => (await call("GET", "/v1/models")).json.data.some(isOdd));
    const { status, json } = await call("POST", "/v1/models/odd/expedite");
    expect([status, json.data]).toMatchObject([200, [{ model: "odd", state: "pending", samples: 1 }]]);
  }, 300_000);

  test("an enabled judge gets the requests that come, each once, and is done with those that do not fit", async () => {
    const { json } = await call("GET", "/v1/keys");
    const { id: key } = json.data.find(({ name }: { name: string }) => name === "all");
    passed(it.organization);
    const judge = {
      ...{ name: "j", key, model: "none/none", prompt: "Rate {{output}}", enabled: true, share: 100 },
      scores: [{ name: "a", kind: "number" }],
      filter: { request_response_rmt: { properties: { due: { equals: "yes" } } } },
    };
    const made = await call("POST", "/v1/judges", { body: judge });
    expect([made.status, made.json.error]).toEqual([200, null]);
    const { id } = made.json.data;
    const due = [1, 2].map(() => passed(it.organization, ["gateway-property-due", "yes"]));
    const others = [passed(it.organization), passed(it.organization, ["gateway-property-due", "no"])];
    const states = async () =>
      it.store.records.query<{ request_id: string; state: string }>({
        sql: "select request_id, state from judgements where judge_id = ? order by request_id",
        args: [id],
      });
    await until(async () => (await rowsOf("requests", it.organization)) >= others.length + due.length);
    await call("GET", "/v1/models");
    await until(async () => {
      const known = await states();
      return known.length >= due.length && known.every(({ state }) => state !== "new");
    });
    expect((await states()).map(({ request_id }) => request_id)).toEqual([...due].sort());
  }, 300_000);

  test("spans are joined to requests of the gateway, those that come twice once, and a session shows them", async () => {
    const session = `trip-${crypto.randomUUID()}`;
    const made = passed(it.organization, ["gateway-session-id", session]);
    await until(async () => (await call("GET", `/v1/request/${made}`)).status === 200);
    const trace = { resourceSpans: [{ scopeSpans: [{ spans: spansOf(session, made) }] }] };
    const count = async () => (await call("POST", "/v1/request/count/query", { body: ofSession(session) })).json.data;
    const shown = () => call("GET", `/v1/session/${session}/spans`);
    for (let time = 0; time < 2; time++) {
      const { status } = await call("POST", "/v1/traces", { body: trace });
      expect(status).toBe(200);
      it.spool.flush();
      // It waits for what is in the journal.
      await shown();
      expect(await count()).toBe(2);
    }
    const { json } = await shown();
    expect(json.data.map(({ name }: { name: string }) => name).sort()).toEqual(["chat", "search"]);
    expect(json.data.find(({ name }: { name: string }) => name === "chat")).toMatchObject({ request_id: made });
  }, 300_000);

  test("storage is counted by day", async () => {
    const { json } = await call("GET", "/v1/storage");
    const finished = await rowsOf("requests", it.organization);
    const days: readonly { records: number; bytes: number }[] = json.data.per_day;
    expect(days.reduce((sum, { records }) => sum + records, 0)).toBe(finished);
    expect(days.every(({ bytes }) => bytes > 0)).toBe(true);
    expect([json.data.records_uncounted, json.data.records >= finished, json.data.sent_bytes > 0]).toEqual([
      0,
      true,
      true,
    ]);
  }, 300_000);

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
    const first = await call("DELETE", `/v1/organizations/${it.other}`, order);
    expect(first.json.data).toMatchObject({ remaining: expect.any(Number), done: false });
    while ((await rowsOf("requests", it.other)) > 0) {
      const { json } = await call("DELETE", `/v1/organizations/${it.other}`, order);
      expect(json.data.done).toBe(false);
    }
    expect((await it.store.content.get(gone, ["request"])).size).toBe(0);

    const now = Date.now();
    const end = { time: now, forwardedAt: now, firstByteAt: now, requestBytes: 0, responseBytes: 0 };
    it.spool.head(late, { time: now, status: 200, headers: [] });
    it.spool.end(late, { ...end, outcome: "complete" });
    it.spool.flush();
    await until(async () => (await rowsOf("requests", it.other)) === 1 && (await rowsOf("open", it.other)) === 0);
    const { json } = await call("DELETE", `/v1/organizations/${it.other}`, order);
    expect(json.data).toMatchObject({ removed: 1, remaining: 0, done: true });
    expect(await rowsOf("requests", it.other)).toBe(0);
    const exported = readFileSync(json.data.exported, "utf8").trim().split("\n");
    const ids = exported.map((line) => JSON.parse(line).request_id);
    expect(new Set(ids)).toEqual(new Set([...gone, late]));

    expect((await call("GET", `/v1/request/${kept}`)).status).toBe(200);
    const { json: all } = await call("GET", "/v1/organizations");
    expect(all.data.map(({ id }: { id: string }) => id)).not.toContain(it.other);
  }, 300_000);
}

const isOdd = ({ model }: { model: string }) => model === "odd";
const ofSession = (session: string) => ({
  filter: { sessions_request_response_rmt: { session_session_id: { equals: session } } },
});

/** A call that the gateway has recorded, and a tool beside it. */
function spansOf(session: string, requestId: string) {
  const now = BigInt(Date.now()) * 1_000_000n;
  const span = (name: string, spanId: string, attributes: Record<string, string>) => ({
    ...{ traceId: "0123456789abcdef0123456789abcdef", spanId, name, kind: 3 },
    ...{ startTimeUnixNano: String(now - 2_000_000_000n), endTimeUnixNano: String(now - 1_000_000_000n) },
    attributes: Object.entries({ "session.id": session, ...attributes }).map(([key, value]) => ({
      key,
      value: { stringValue: value },
    })),
  });
  return [
    span("chat", "00000000000000aa", { "gen_ai.operation.name": "chat", "weir.request.id": requestId }),
    span("search", "00000000000000bb", { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" }),
  ];
}
