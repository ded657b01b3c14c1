import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { assertProperty } from "../../chance.ts";
import { insertRecord, openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const START = Date.UTC(2026, 0, 1);
const wave = (user: string) => ({ request_response_rmt: { user_id: { equals: user } } });

/** So many records of a user, oldest first, and one of another organization that the same filter would find. */
async function records(user: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const row = { user_id: user, request_created_at: START + Math.floor(at / 3) };
    ids.push(await insertRecord(it.store, it.organization, row));
  }
  await insertRecord(it.store, it.other, { user_id: user });
  return ids;
}
const call = (method: string, path: string, body: object, key = it.keys.write) => it.call(method, path, { body, key });
const count = async (filter: unknown): Promise<number> =>
  (await it.call("POST", "/v1/request/count/query", { body: { filter } })).json.data;
const both = (left: unknown, right: unknown) => ({ left, operator: "and", right });
const tagged = (user: string, value: string) =>
  both(wave(user), { request_response_rmt: { properties: { Tag: { equals: value } } } });

/** Calls until there is no next cursor. @returns what each call changed. */
async function stepwise(method: string, path: string, body: object): Promise<number[]> {
  const steps: number[] = [];
  let cursor: string | null = null;
  do {
    const { status, json } = await call(method, path, { ...body, ...(cursor === null ? {} : { cursor }) });
    expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
    steps.push(json.data);
    cursor = json.next_cursor;
  } while (cursor !== null);
  return steps;
}

describe("changing many requests", () => {
  test("sets and removes properties of ids, and counts those that there are", async () => {
    const ids = await records("by-id", 3);
    const unknown = "00000000-0000-4000-8000-000000000000";
    const requestIds = [ids[0]!.toUpperCase(), ids[1], ids[0], unknown];
    const set = await call("PUT", "/v1/request/property", { requestIds, properties: { Tag: "late" } });
    expect(set.json).toEqual({ data: 2, error: null, next_cursor: null });
    expect(await count(tagged("by-id", "late"))).toBe(2);
    await call("PUT", "/v1/request/property", { requestIds: [ids[0]], properties: { Tag: null } });
    expect(await count(tagged("by-id", "late"))).toBe(1);
  });

  test("changes each request of a filter once, also where the change takes it out of the filter", async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.uuid(),
        async (many, limit, user) => {
          await records(user, many);
          const left = wave(user);
          const untagged = both(left, { request_response_rmt: { properties: { Tag: { "not-equals": "seen" } } } });
          const steps = await stepwise("PUT", "/v1/request/property", {
            ...{ filter: untagged, limit, properties: { Tag: "seen" } },
          });
          expect(steps.reduce((sum, each) => sum + each, 0)).toBe(many);
          expect(Math.max(...steps)).toBeLessThanOrEqual(limit);
          expect(await count(tagged(user, "seen"))).toBe(many);
          expect(await count(untagged)).toBe(0);
        },
      ),
      { numRuns: 12 },
    );
  }, 300_000);

  test("leaves what arrives meanwhile alone", async () => {
    await records("meanwhile", 4);
    const body = { filter: wave("meanwhile"), limit: 2, properties: { Tag: "x" } };
    const { json } = await call("PUT", "/v1/request/property", body);
    await insertRecord(it.store, it.organization, { user_id: "meanwhile", request_created_at: START + 86_400_000 });
    expect(await stepwise("PUT", "/v1/request/property", { ...body, cursor: json.next_cursor })).toEqual([2]);
    expect(await count(tagged("meanwhile", "x"))).toBe(4);
  });

  test("scores, merged with the scores that there are", async () => {
    const [id] = await records("scored", 2);
    await call("POST", `/v1/request/${id}/score`, { scores: { depth: 3 } });
    const { json } = await call("POST", "/v1/request/score", { filter: wave("scored"), scores: { good: true } });
    expect(json).toEqual({ data: 2, error: null, next_cursor: null });
    expect((await it.call("GET", `/v1/request/${id}`)).json.data.scores).toEqual({ depth: 3, good: 1 });
  });

  test("deletes a step at a time with a limit, and all without", async () => {
    await records("gone", 5);
    expect(await stepwise("DELETE", "/v1/request", { filter: wave("gone"), limit: 2 })).toEqual([2, 2, 1]);
    await records("gone at once", 5);
    const { json } = await call("DELETE", "/v1/request", { filter: wave("gone at once") });
    expect(json).toEqual({ data: 5, error: null });
  });

  test("needs write", async () => {
    const body = { requestIds: [], properties: {}, scores: {} };
    for (const [method, path] of [
      ["PUT", "/v1/request/property"],
      ["POST", "/v1/request/score"],
    ] as const)
      expect([path, (await call(method, path, body, it.keys.read)).status]).toEqual([path, 403]);
  });
});

test.each([
  ["neither ids nor a filter", { properties: { a: "b" } }, "invalid_body", null],
  ["ids and a filter", { requestIds: [], filter: "all", properties: { a: "b" } }, "invalid_body", null],
  ["an id that is none", { requestIds: ["x"], properties: { a: "b" } }, "invalid_body", "requestIds.0"],
  [
    "too many ids",
    { requestIds: Array.from({ length: 1_001 }, () => "x"), properties: {} },
    "invalid_body",
    "requestIds",
  ],
  ["no properties", { filter: "all" }, "invalid_body", "properties"],
  ["a property that is a number", { filter: "all", properties: { a: 1 } }, "invalid_body", "properties.a"],
  ["an empty name", { filter: "all", properties: { "": "b" } }, "invalid_body", "properties."],
  ["a limit of none", { filter: "all", properties: { a: "b" }, limit: 0 }, "invalid_body", "limit"],
  ["a limit over the most", { filter: "all", properties: { a: "b" }, limit: 1_001 }, "invalid_body", "limit"],
  [
    "a cursor of another filter",
    { filter: "all", properties: { a: "b" }, cursor: "WyJ4Il0" },
    "invalid_body",
    "cursor",
  ],
  [
    "a field that there is not",
    { filter: { request_response_rmt: { x: { equals: 1 } } }, properties: { a: "b" } },
    "filter_invalid",
    "filter.request_response_rmt.x",
  ],
])("a change of many with %s is refused at its member", async (_what, body, code, path) => {
  const { status, json } = await call("PUT", "/v1/request/property", body);
  expect([status, json.code, json.path]).toEqual([400, code, path]);
});
