import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { DATABASES, openApiOn } from "./databases.ts";
import { insertRecord, type TestApi } from "./open.ts";

describe.each(DATABASES)("scores, on %s", (kind) => {
  let it: TestApi;
  beforeAll(async () => {
    it = await openApiOn(kind);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  const scored = (scores: object) =>
    insertRecord(it.store, it.organization, { scores: JSON.stringify(scores), model: "m-list" });
  const data = async (method: string, path: string, body?: object): Promise<Json> => {
    const { status, json } = await it.call(method, path, body && { body });
    expect([status, json.message]).toEqual([200, undefined]);
    return json.data;
  };

  test("are stored with their author, time and reason", async () => {
    const id = await scored({ old: 3 });
    await data("POST", `/v1/request/${id}/score`, {
      scores: { helpful: true, tone: 0.25 },
      reasons: { tone: "curt" },
    });
    const [old, helpful, tone, ...more] = await data("GET", `/v1/request/${id}/scores`);
    expect(more).toEqual([]);
    expect(old).toEqual({ name: "old", value: 3, ratings: [] });
    expect(helpful).toMatchObject({ name: "helpful", value: 1, ratings: [{ value: 1, reason: null, label: null }] });
    const { source, author, created_at, ...rating } = tone.ratings[0];
    expect(rating).toEqual({ value: 0.25, label: null, reason: "curt" });
    expect(source).toMatch(/^key:/);
    expect(author).not.toBe("");
    expect(Date.parse(created_at)).toBeGreaterThan(0);
    // A second score of the same key takes the place of the first, its reason included.
    await data("POST", `/v1/request/${id}/score`, { scores: { tone: 0.5 } });
    const again = await data("GET", `/v1/request/${id}/scores`);
    expect(again[2]).toMatchObject({ value: 0.5, ratings: [{ value: 0.5, reason: null }] });
  });

  test("of many requests have reasons too", async () => {
    const ids = [await scored({}), await scored({})];
    expect(
      await data("POST", "/v1/request/score", { requestIds: ids, scores: { bulk: 1 }, reasons: { bulk: "all good" } }),
    ).toBe(2);
    for (const id of ids)
      expect(await data("GET", `/v1/request/${id}/scores`)).toMatchObject([
        { name: "bulk", ratings: [{ reason: "all good" }] },
      ]);
  });

  test("are listed by name, within a filter", async () => {
    await scored({ listed: 0, 'odd "name"': 1 });
    await scored({ listed: 0.5 });
    const filter = { request_response_rmt: { model: { equals: "m-list" } } };
    const listed = (await data("POST", "/v1/score/query", { filter })) as Json[];
    expect(listed.find(({ score }) => score === "listed")).toEqual({
      ...{ score: "listed", requests: 2, mean: 0.25, min: 0, max: 0.5 },
    });
    expect(listed.some(({ score }) => score === 'odd "name"')).toBe(true);
    const none = { request_response_rmt: { model: { equals: "nothing" } } };
    expect(await data("POST", "/v1/score/query", { filter: none })).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["a reason without a score", { scores: { a: 1 }, reasons: { b: "why" } }, "reasons.b"],
    ["a reason that is no text", { scores: { a: 1 }, reasons: { a: 1 } }, "reasons.a"],
    ["a reason that is too long", { scores: { a: 1 }, reasons: { a: "x".repeat(4_001) } }, "reasons.a"],
  ])("%s is refused", async (_name, body, path) => {
    const id = await scored({});
    const { status, json } = await it.call("POST", `/v1/request/${id}/score`, { body });
    expect([status, json.path]).toEqual([400, path]);
  });

  test("of a request that is not there are 404", async () => {
    expect((await it.call("GET", `/v1/request/${crypto.randomUUID()}/scores`)).status).toBe(404);
  });
});
