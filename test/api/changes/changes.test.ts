import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashKey } from "../../../src/keys.ts";
import { until } from "../../until.ts";
import { insertInto, insertRecord, openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

describe("changing a request", () => {
  test("sets, merges and removes properties, and the next read shows it", async () => {
    const id = await insertRecord(it.store, it.organization, { properties: '{"Old":"1","Team":"a"}' });
    const path = `/v1/request/${id.toUpperCase()}/property`;
    const { json } = await it.call("PUT", path, { key: it.keys.write, body: { Team: "b", Old: null, New: "é" } });
    expect(json).toEqual({ data: [{ request_id: id, properties: { Team: "b", New: "é" } }], error: null });
    expect((await it.call("GET", `/v1/request/${id}`)).json.data.properties).toEqual({ Team: "b", New: "é" });
  });

  test("keeps of a property what the database can hold, and finds it by that", async () => {
    const id = await insertRecord(it.store, it.organization);
    const body = { "n\u0000": "v\u0000w", "\ud800": "\udc00" };
    const { json } = await it.call("PUT", `/v1/request/${id}/property`, { body });
    expect(json.data[0].properties).toEqual({ "n\uFFFD": "v\uFFFDw", "\uFFFD": "\uFFFD" });
    const score = await it.call("POST", `/v1/request/${id}/score`, { body: { scores: { "s\u0000": 2 } } });
    expect(score.json.data[0].scores).toEqual({ "s\uFFFD": 2 });
    for (const condition of [
      { properties: { "n\u0000": { like: "v_w" } } },
      { properties: { "n\u0000": { equals: "v\u0000w" } } },
      { scores: { "s\u0000": { gt: 1 } } },
    ]) {
      const left = { request_response_rmt: condition };
      const filter = { left, operator: "and", right: { request_response_rmt: { request_id: { equals: id } } } };
      expect((await it.call("POST", "/v1/request/count/query", { body: { filter } })).json.data).toBe(1);
    }
  });

  test("takes numbers and booleans as scores", async () => {
    const id = await insertRecord(it.store, it.organization, { scores: '{"a":1}' });
    const { json } = await it.call("POST", `/v1/request/${id}/score`, {
      body: { scores: { b: 0.5, c: true, d: false } },
    });
    expect(json).toEqual({ data: [{ request_id: id, scores: { a: 1, b: 0.5, c: 1, d: 0 } }], error: null });
  });

  test.each([-74512276402674610, 1e19, -1.5e300, 5e-324])("a score of %p is found by itself", async (score) => {
    const id = await insertRecord(it.store, it.organization);
    await it.call("POST", `/v1/request/${id}/score`, { body: { scores: { found: score } } });
    const filter = { request_response_rmt: { scores: { found: { equals: score } } } };
    const { json } = await it.call("POST", "/v1/request/query-fast", { body: { filter } });
    expect(json.data.map((record: { request_id: string }) => record.request_id)).toEqual([id]);
  });

  test("takes a thousand names at once, and no more", async () => {
    const id = await insertRecord(it.store, it.organization);
    const change = async (count: number) => {
      const names = Array.from({ length: count }, (_, n) => `name-${n}`);
      const properties = Object.fromEntries(names.map((name) => [name, "x"]));
      const scores = Object.fromEntries(names.map((name) => [name, 1]));
      const responses = await Promise.all([
        it.call("PUT", `/v1/request/${id}/property`, { body: properties }),
        it.call("POST", `/v1/request/${id}/score`, { body: { scores } }),
      ]);
      return responses.map(({ status, json }) => [status, json.path]);
    };
    expect(await change(1_001)).toEqual([
      [400, null],
      [400, "scores"],
    ]);
    expect((await change(1_000)).map(([status]) => status)).toEqual([200, 200]);
  });

  test.each([
    ["/v1/request/ID/property", "PUT", { Tier: 1 }, "Tier: give text, or null to remove the property"],
    ["/v1/request/ID/score", "POST", { scores: { a: "1" } }, "scores.a: give a number, true or false"],
  ])("says to %s what it takes", async (path, method, body, message) => {
    const id = await insertRecord(it.store, it.organization);
    const { status, json } = await it.call(method, path.replace("ID", id), { body });
    expect([status, json.message]).toEqual([400, message]);
  });

  test("takes a rating", async () => {
    const id = await insertRecord(it.store, it.organization);
    const { json } = await it.call("POST", `/v1/request/${id}/feedback`, { body: { rating: false } });
    expect(json.data).toEqual([
      {
        request_id: id,
        feedback_id: expect.any(String),
        feedback_rating: false,
        feedback_created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    ]);
    expect((await it.call("GET", `/v1/request/${id}`)).json.data).toMatchObject({
      feedback_id: json.data[0].feedback_id,
      feedback_rating: false,
      scores: { "gateway-score-feedback": 0 },
    });
  });

  test("loses none of a hundred changes at once", async () => {
    const id = await insertRecord(it.store, it.organization);
    const names = Array.from({ length: 100 }, (_, i) => `P${i}`);
    const path = `/v1/request/${id}/property`;
    const responses = await Promise.all(names.map((name) => it.call("PUT", path, { body: { [name]: name } })));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    const { json } = await it.call("GET", `/v1/request/${id}`);
    expect(Object.keys(json.data.properties).sort()).toEqual(names.toSorted());
  });

  test("deletes records of the own organization with their bodies", async () => {
    const body = { request: { form: "json", content: "{}" } };
    const mine = await insertRecord(it.store, it.organization, {}, body);
    const foreign = await insertRecord(it.store, it.other, {}, body);
    const requestIds = [mine.toUpperCase(), foreign, mine];
    expect((await it.call("DELETE", "/v1/request", { key: it.keys.read, body: { requestIds } })).status).toBe(403);
    const { json } = await it.call("DELETE", "/v1/request", { key: it.keys.write, body: { requestIds } });
    expect(json).toEqual({ data: 1, error: null });
    expect((await it.call("GET", `/v1/request/${mine}`)).status).toBe(404);
    expect((await it.call("GET", `/v1/request/${foreign}`, { key: it.keys.other })).status).toBe(200);
    const left = await it.store.bodies.query({ sql: "select * from bodies where request_id = ?", args: [mine] });
    expect(left).toEqual([]);
    expect((await it.call("DELETE", "/v1/request", { body: { requestIds: ["x"] } })).json.path).toBe("requestIds.0");
    expect((await it.call("DELETE", "/v1/request")).status).toBe(400);
  });
});

describe("keys", () => {
  test("reach the gateway before the API responds, and a new one works at once", async () => {
    expect(it.published().map(({ name }) => name)).toContain("all");
    const { json, status } = await it.call("POST", "/v1/keys", {
      body: { name: "ci", scopes: ["read"], expires: "1h" },
    });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      name: "ci",
      organization: "default",
      scopes: ["read"],
      region: "us",
      revoked_at: null,
    });
    expect(it.published().some(({ hash }) => hash === hashKey(json.data.key))).toBe(true);
    expect((await it.call("GET", "/v1/models", { key: json.data.key })).status).toBe(200);

    const revoked = await it.call("DELETE", `/v1/keys/${json.data.id}`);
    expect(revoked.json.data).toMatchObject({ id: json.data.id, revoked_at: expect.any(String) });
    expect((await it.call("GET", "/v1/models", { key: json.data.key })).status).toBe(401);
  });

  test("of a key that expires work no longer than it does, and it gives no other key a new secret", async () => {
    const order = { name: "brief", scopes: ["admin"], expires: "1h" };
    const { key, expires_at } = (await it.call("POST", "/v1/keys", { body: order })).json.data;
    const create = (expires?: string) => it.call("POST", "/v1/keys", { key, body: { name: "x", expires } });
    expect((await create()).json.data.expires_at).toBe(expires_at);
    expect((await create("1m")).status).toBe(200);
    expect(await create("30d")).toMatchObject({ status: 403, json: { path: "expires" } });
    const mine = (await it.call("GET", "/v1/keys")).json.data;
    const rotate = (name: string) =>
      it.call("POST", `/v1/keys/${mine.find((one: { name: string }) => one.name === name).id}/rotate`, { key });
    expect(await rotate("all")).toMatchObject({ status: 403, json: { path: "expires" } });
    expect((await rotate("x")).status).toBe(200);
  });

  test("are listed without the key itself", async () => {
    const { json } = await it.call("GET", "/v1/keys", { key: it.keys.admin });
    expect(json.data.map(({ name }: { name: string }) => name)).toContain("other");
    const text = JSON.stringify(json);
    for (const key of Object.values(it.keys)) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(hashKey(key));
    }
  });

  test("of other organizations are none of another organization's business", async () => {
    const key = it.keys.other;
    const mine = await it.call("GET", "/v1/keys");
    const { json } = await it.call("GET", "/v1/keys", { key });
    expect(json.data.map(({ organization }: { organization: string }) => organization)).toEqual(["other"]);
    expect((await it.call("DELETE", `/v1/keys/${mine.json.data[0].id}`, { key })).status).toBe(404);
    expect((await it.call("POST", "/v1/keys", { key, body: { name: "x", organization: "default" } })).status).toBe(403);
    const own = await it.call("POST", "/v1/keys", { key, body: { name: "x" } });
    expect(own.json.data.organization).toBe("other");
    const given = await it.call("POST", "/v1/keys", { body: { name: "y", organization: "third" } });
    expect(given.json.data).toMatchObject({ organization: "third", scopes: ["gateway", "read", "write"] });
  });

  test("remember when they were used", async () => {
    const startedAt = Date.now();
    await it.call("GET", "/v1/models", { key: it.keys.read });
    let used: string | null = null;
    await until(async () => {
      const { json } = await it.call("GET", "/v1/keys");
      used = json.data.find(({ name }: { name: string }) => name === "read").last_used_at;
      return used !== null;
    });
    expect(Date.parse(used!)).toBeGreaterThan(startedAt - 10_000);
  }, 300_000);
});

test("models are listed by the organization that used them", async () => {
  const model = {
    provider: "OPENAI",
    model: "m-1",
    state: "pending",
    count: 3,
    since: Date.UTC(2026, 0, 1),
    reason: "why",
  };
  await it.store.records.batch([insertInto("models", { organization_id: it.organization, ...model })]);
  const { json } = await it.call("GET", "/v1/models", { key: it.keys.read });
  expect(json.data).toEqual([{ ...model, since: "2026-01-01T00:00:00.000Z" }]);
  expect((await it.call("GET", "/v1/models", { key: it.keys.other })).json.data).toEqual([]);
});
