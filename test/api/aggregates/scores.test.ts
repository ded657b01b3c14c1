import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Exchange, idOf, insert } from "../../filter/world.ts";
import { DATABASES, openApiOn } from "../databases.ts";
import type { TestApi } from "../open.ts";

describe.each(DATABASES)("scores in metrics, on %s", (kind) => {
  const START = Date.UTC(2026, 0, 10, 12);
  const QUOTED = 'a "b"';
  const NOTHING = { request_response_rmt: { model: { equals: "no such model" } } };
  let it: TestApi;

  /** Forty records, half an hour apart; every fourth has scores. */
  const exchange = (n: number, organization = it.organization): Exchange => ({
    columns: {
      request_id: idOf(n),
      organization_id: organization,
      request_created_at: START + n * 1_800_000,
      model: n % 2 === 0 ? "m-even" : "m-odd",
      ...(n % 4 === 0 ? { scores: JSON.stringify({ quality: n / 40, [QUOTED]: n % 8 === 0 ? 1 : 0 }) } : {}),
    },
  });

  beforeAll(async () => {
    it = await openApiOn(kind);
    await insert(it.store, [...Array.from({ length: 40 }, (_, n) => exchange(n)), exchange(80, it.other)]);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  async function post(path: string, body: unknown) {
    const { status, json } = await it.call("POST", path, { body });
    expect([status, json.message]).toEqual([200, undefined]);
    return json.data;
  }
  const metrics = (body: unknown) => post("/v1/metrics/query", body);

  test("have count, mean, min and max", async () => {
    const [whole] = await metrics({ scores: ["quality", QUOTED, "none", "quality"] });
    expect(whole.requests).toBe(40);
    expect(whole.scores).toEqual({
      quality: { count: 10, mean: expect.closeTo(0.45, 12), min: 0, max: 0.9 },
      [QUOTED]: { count: 10, mean: 0.5, min: 0, max: 1 },
      none: { count: 0, mean: null, min: null, max: null },
    });
    expect(await metrics({ filter: NOTHING, scores: ["quality"] })).toMatchObject([
      { requests: 0, scores: { quality: { count: 0, mean: null } } },
    ]);
  });

  test("are measured by group and by time", async () => {
    const byModel = await metrics({ scores: ["quality"], group_by: ["model"], latencies: false });
    expect(byModel).toMatchObject([
      { model: "m-even", scores: { quality: { count: 10 } } },
      { model: "m-odd", scores: { quality: { count: 0 } } },
    ]);
    const days = await metrics({ scores: ["quality"], time_bucket: "day" });
    expect(days).toMatchObject([{ scores: { quality: { count: 6 } } }, { scores: { quality: { count: 4 } } }]);
  });

  test("are what requests are grouped by", async () => {
    const groups = await metrics({ group_by: [`score:${QUOTED}`] });
    expect(groups).toMatchObject([
      { [`score:${QUOTED}`]: null, requests: 30 },
      { [`score:${QUOTED}`]: 0, requests: 5 },
      { [`score:${QUOTED}`]: 1, requests: 5 },
    ]);
    const values = [
      { value: null, requests: 30 },
      { value: 0, requests: 5 },
      { value: 1, requests: 5 },
    ];
    expect(await post("/v1/request/facets/query", { facets: [`score:${QUOTED}`] })).toMatchObject([{ values }]);
  });

  test.each<[string, object, string]>([
    ["an empty name", { scores: [""] }, "scores.0"],
    ["too many names", { scores: Array.from({ length: 17 }, (_, n) => `s${n}`) }, "scores"],
    ["a group without a name", { group_by: ["score:"] }, "group_by.0"],
  ])("are refused: %s", async (_name, body, path) => {
    const { status, json } = await it.call("POST", "/v1/metrics/query", { body });
    expect([status, json.path]).toEqual([400, path]);
  });
});
