import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Exchange, idOf, insert } from "../filter/world.ts";
import { DATABASES, openApiOn } from "./databases.ts";
import type { TestApi } from "./open.ts";

describe.each(DATABASES)("on %s", (kind) => {
  const START = Date.UTC(2026, 0, 10, 12);
  const MINUTE = 60_000;
  const COUNT = 30;
  let it: TestApi;

  /** Thirty records, a minute apart; id and minute carry the same number. */
  const exchange = (n: number): Exchange => ({
    columns: {
      request_id: idOf(n),
      organization_id: it.organization,
      request_created_at: START + n * MINUTE,
      model: n % 2 === 0 ? "m-even" : "m-odd",
      request_model: `asked-${n % 3}`,
      user_id: n % 4 === 0 ? null : `user-${n % 4}`,
      cost: n % 5 === 0 ? null : n / 10,
      response_status: n % 10 === 0 ? 500 : 200,
      cached: n % 6 === 0 ? 1 : 0,
      experiment_id: n === 7 ? "exp" : null,
      feedback_id: n === 3 ? 3 : null,
      feedback_rating: n === 3 ? 1 : null,
      prompt_tokens: n,
    },
    properties: [
      { name: "Tier", value: n % 3 === 0 ? "gold" : "silver" },
      { name: "environment", value: "production", erased: n % 2 === 0 },
    ],
    inputs: [{ name: "city", value: `city ${n % 3}` }],
    scores: n === 4 ? { quality: 0.5 } : {},
    requestBody: JSON.stringify({ question: `What is ${n}?` }),
    responseBody: JSON.stringify({ answer: `It is caf\u00e9 ${n}` }),
  });

  beforeAll(async () => {
    it = await openApiOn(kind);
    await insert(
      it.store,
      Array.from({ length: COUNT }, (_, n) => exchange(n)),
    );
    const others = [100, 101].map((n) => {
      const { columns, ...rest } = exchange(n);
      return { ...rest, columns: { ...columns, organization_id: it.other } };
    });
    await insert(it.store, others);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  const wrapped = (field: string, condition: unknown) => ({ request_response_rmt: { [field]: condition } });
  const property = (name: string, condition: unknown) => wrapped("properties", { [name]: condition });
  const join = (left: unknown, operator: string, right: unknown) => ({ left, operator, right });
  const at = (n: number) => new Date(START + n * MINUTE).toISOString();
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const newestFirst = (ns: readonly number[]) => [...ns].sort((a, b) => b - a);

  async function post(path: string, body: unknown, key?: string) {
    return it.call("POST", `/v1/request/${path}`, key === undefined ? { body } : { body, key });
  }

  const NUMBER_OF = new Map(numbers(0, 110).map((n) => [idOf(n), n]));
  async function found(filter: unknown, rest: object = {}, path = "query-fast"): Promise<number[]> {
    const { status, json } = await post(path, { filter, limit: 1000, includeBody: false, ...rest });
    expect([status, json.error, json.message]).toEqual([200, null, undefined]);
    return json.data.map((row: { request_id: string }) => NUMBER_OF.get(row.request_id));
  }

  test("rule 1: a property filter without the wrapper finds nothing, and the response says why; with it, it finds records", async () => {
    const bare = await post("query-fast", { filter: { properties: { Tier: { equals: "gold" } } } });
    expect(bare.status).toBe(200);
    expect(bare.json).toMatchObject({ data: [], error: null });
    expect(bare.headers.get("gateway-warning")).toContain("request_response_rmt");
    expect(await found(property("Tier", { equals: "gold" }))).toEqual(
      newestFirst(numbers(0, 29).filter((n) => n % 3 === 0)),
    );
  });

  test("rule 1, inside a tree: the unwrapped leaf matches nothing and the rest counts", async () => {
    const bare = { properties: { Tier: { equals: "gold" } } };
    expect(await found(join(bare, "or", wrapped("prompt_tokens", { equals: 4 })))).toEqual([4]);
    expect(await found(join(bare, "and", wrapped("prompt_tokens", { equals: 3 })))).toEqual([]);
  });

  test("rule 2: two conditions are two leaves under a branch; in one leaf they are joined by and as well", async () => {
    const [low, high] = [{ gte: at(3) }, { lte: at(5) }];
    const two = join(wrapped("request_created_at", low), "and", wrapped("request_created_at", high));
    expect(await found(two)).toEqual([5, 4, 3]);
    expect(await found(wrapped("request_created_at", { ...low, ...high }))).toEqual([5, 4, 3]);
  });

  test("rule 3: branches nest to any depth, and a branch is and or or", async () => {
    let filter: unknown = wrapped("prompt_tokens", { equals: 0 });
    for (const n of numbers(1, 9)) filter = join(wrapped("prompt_tokens", { equals: n }), "or", filter);
    let narrowed = join(filter, "and", wrapped("model", { equals: "m-odd" }));
    for (let level = 0; level < 2_000; level++) {
      narrowed =
        level % 2 === 0 ? join(narrowed, "and", "all") : join(wrapped("model", { equals: "none" }), "or", narrowed);
    }
    expect(await found(narrowed)).toEqual([9, 7, 5, 3, 1]);
  });

  test.each([
    ["gte", [5, 4]],
    ["gt", [5]],
    ["lte", [4, 3]],
    ["lt", [3]],
  ])("rule 4: %s treats its bound as specified, for times and numbers", async (operator, expected) => {
    const window = join(wrapped("prompt_tokens", { gte: 3 }), "and", wrapped("prompt_tokens", { lte: 5 }));
    expect(await found(join(window, "and", wrapped("request_created_at", { [operator]: at(4) })))).toEqual(expected);
    expect(await found(join(window, "and", wrapped("prompt_tokens", { [operator]: 4 })))).toEqual(expected);
  });

  test(`rule 5: "all" finds every request of the organization, and no other`, async () => {
    expect(await found("all")).toEqual(newestFirst(numbers(0, 29)));
    expect(await found("all", {}, "query")).toEqual(newestFirst(numbers(0, 29)));
    const other = await post("query-fast", { filter: "all" }, it.keys.other);
    expect(other.json.data.map((row: { request_id: string }) => NUMBER_OF.get(row.request_id))).toEqual([101, 100]);
  });

  test("rule 6: property names are case-sensitive, and another spelling is hinted at", async () => {
    const wrong = await post("query-fast", { filter: property("tier", { equals: "gold" }) });
    expect(wrong.json).toMatchObject({ data: [], error: null });
    expect(wrong.headers.get("gateway-warning")).toContain('"Tier"');
    const right = await post("query-fast", { filter: property("Tier", { equals: "gold" }) });
    expect(right.headers.get("gateway-warning")).toBeNull();
  });

  test.each(["request/count", "metrics", "user/metrics", "session"])(
    "%s hints at another spelling too",
    async (path) => {
      const { headers } = await it.call("POST", `/v1/${path}/query`, {
        body: { filter: property("tier", { equals: "gold" }) },
      });
      expect(headers.get("gateway-warning")).toContain('"Tier"');
    },
  );

  test("a bound between two milliseconds is one, however close to the first", async () => {
    const between = at(4).replace(".000Z", ".0000001Z");
    const times = (bounds: object) =>
      join(wrapped("request_created_at", bounds), "and", wrapped("prompt_tokens", { gte: 3, lte: 5 }));
    expect(await found(times({ gte: between }))).toEqual([5]);
    expect(await found(times({ lt: between }))).toEqual([4, 3]);
    expect(await found(times({ equals: between }))).toEqual([]);
  });

  test("a name that lost its case on the way is found in Train-Case too, and only such a name", async () => {
    const lost = newestFirst(numbers(0, 29).filter((n) => n % 2 === 0));
    expect(await found(property("Environment", { equals: "production" }))).toEqual(lost);
    expect(await found(wrapped("property_key", { equals: "Environment" }))).toEqual(lost);
    expect(await found(property("environment", { equals: "production" }))).toHaveLength(30);
    expect(await found(wrapped("search_properties", { ENVIRONMENT: { equals: "production" } }))).toHaveLength(30);
  });

  test("rule 8: a date range with a property is three leaves", async () => {
    const range = join(
      wrapped("request_created_at", { gte: at(3) }),
      "and",
      wrapped("request_created_at", { lte: at(9) }),
    );
    expect(await found(join(range, "and", property("Tier", { equals: "gold" })))).toEqual([9, 6, 3]);
  });

  test("the point query takes all groups, and properties unwrapped", async () => {
    expect(await found({ properties: { Tier: { equals: "gold" } } }, { limit: 3 }, "query")).toEqual([27, 24, 21]);
    expect(await found({ values: { city: { equals: "city 1" } } }, { limit: 2 }, "query")).toEqual([28, 25]);
    const model = { request: { model: { equals: "asked-1" } } };
    expect(await found(join(model, "and", { feedback: { rating: { equals: null } } }), { limit: 2 }, "query")).toEqual([
      28, 25,
    ]);
    expect(await found({ feedback: { id: { equals: 3 } } }, {}, "query")).toEqual([3]);
  });

  test.each([
    ["isCached", numbers(0, 29).filter((n) => n % 6 === 0)],
    ["isScored", [3, 4]],
    ["isPartOfExperiment", [7]],
  ])("%s keeps with true, removes with false, and ignores when absent", async (flag, those) => {
    expect(await found("all", { [flag]: true })).toEqual(newestFirst(those));
    expect(await found("all", { [flag]: false })).toEqual(
      newestFirst(numbers(0, 29).filter((n) => !those.includes(n))),
    );
    expect(await found("all", { [flag]: null })).toHaveLength(30);
  });

  test("bodies are searched in any place of a tree, compressed or not, escaped or not", async () => {
    const request = (text: string) => wrapped("request_body", { contains: text });
    const response = (text: string) => wrapped("response_body", { contains: text });
    expect(await found(request("WHAT IS 17?"))).toEqual([17]);
    expect(await found(join(response("CAFÉ 2"), "and", wrapped("model", { equals: "m-odd" })))).toEqual([
      29, 27, 25, 23, 21,
    ]);
    expect(await found(join(response("café 28"), "or", wrapped("prompt_tokens", { equals: 1 })))).toEqual([28, 1]);
    expect(await found(response("café 2"), { limit: 3, offset: 2 })).toEqual([27, 26, 25]);
    expect(await found(response("café 2"), { sort: { prompt_tokens: "asc" }, limit: 3 })).toEqual([2, 20, 21]);
    const { json } = await post("count/query", { filter: response("café 2") });
    expect(json).toMatchObject({ data: 11, error: null });
  });

  test("without limit there are ten rows; offset passes over rows; limit 0 returns none", async () => {
    const { json } = await post("query-fast", { filter: "all" });
    expect(json.data).toHaveLength(10);
    expect(await found("all", { limit: 3, offset: 28 })).toEqual([1, 0]);
    expect(await found("all", { limit: 0 })).toEqual([]);
    expect(await found("all", { offset: 1e300 })).toEqual([]);
  });

  test("a row is a whole record; bodies and inputs are included as requested", async () => {
    const whole = (await post("query-fast", { filter: wrapped("prompt_tokens", { equals: 8 }), includeInputs: true }))
      .json.data[0];
    expect(whole).toMatchObject({
      request_id: idOf(8),
      request_body: { question: "What is 8?" },
      response_body: { answer: "It is café 8" },
      properties: { Tier: "silver", environment: "production" },
      prompt_inputs: { city: "city 2" },
      organization_id: it.organization,
    });
    const bare = (await post("query-fast", { filter: wrapped("prompt_tokens", { equals: 8 }), includeBody: false }))
      .json.data[0];
    expect(Object.keys(bare)).not.toContain("request_body");
    expect(Object.keys(bare)).not.toContain("llmSchema");
    expect(Object.keys(bare)).not.toContain("prompt_inputs");
  });

  test("the count counts what the query finds", async () => {
    const filter = join(property("Tier", { equals: "gold" }), "and", wrapped("cost", { "not-equals": null }));
    const { json } = await post("count/query", { filter, isCached: true });
    expect(json).toEqual({ data: (await found(filter, { isCached: true })).length, error: null });
    expect(json.data).toBe(4);
  });
});
