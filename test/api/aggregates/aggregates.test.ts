import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Exchange, idOf, insert } from "../../filter/world.ts";
import { DATABASES, openApiOn } from "../databases.ts";
import type { TestApi } from "../open.ts";

describe.each(DATABASES)("on %s", (kind) => {
  const START = Date.UTC(2026, 0, 10, 12);
  const HOUR = 3_600_000;
  let it: TestApi;

  const isRefused = (n: number) => n % 10 === 7;
  /** Forty records, half an hour apart. */
  const exchange = (n: number): Exchange => ({
    columns: {
      request_id: idOf(n),
      organization_id: it.organization,
      request_created_at: START + (n * HOUR) / 2,
      model: n % 2 === 0 ? "m-even" : "m-odd",
      provider: "OPENAI",
      user_id: n % 4 === 0 ? null : `user-${n % 4}`,
      cost: n % 5 === 0 ? null : n,
      delay_ms: n === 39 ? null : (n * 7) % 40,
      response_status: n % 10 === 0 ? 500 : isRefused(n) ? 429 : 200,
      outcome: isRefused(n) ? "refused" : "complete",
      cached: n % 8 === 0 ? 1 : 0,
      prompt_tokens: n,
      completion_tokens: 1,
      total_tokens: n + 1,
      ...(n % 3 === 0 ? {} : { session_id: `s/${n % 3}`, session_name: n > 30 ? `late ${n % 3}` : "early" }),
    },
    properties: [
      ...(n % 4 === 3 ? [] : [{ name: "Tier", value: ["gold", "silver", "Bronze %"][n % 4]! }]),
      ...(n < 10 ? [{ name: "größe", value: "x" }] : []),
      ...(n < 4 ? [{ name: "app-name", value: "lost", erased: true }] : []),
      ...(n === 5 ? [{ name: "App-Name", value: "kept" }] : []),
    ],
    requestBody: JSON.stringify({ text: n < 20 ? "low" : "high" }),
  });
  const ALL = Array.from({ length: 40 }, (_, n) => n);

  beforeAll(async () => {
    it = await openApiOn(kind);
    await insert(it.store, ALL.map(exchange));
    const other = exchange(50);
    await insert(it.store, [{ ...other, columns: { ...other.columns, organization_id: it.other } }]);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  async function post(path: string, body: unknown = {}): Promise<Record<string, unknown>[]> {
    const { status, json } = await it.call("POST", path, { body });
    expect([status, json.message]).toEqual([200, undefined]);
    return json.data;
  }

  const at = (n: number) => new Date(START + (n * HOUR) / 2).toISOString();
  const withSortedUsers = (row: Record<string, unknown>): Record<string, unknown> => ({
    ...row,
    users: (row["users"] as string[]).toSorted(),
  });
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const costs = (ns: number[]) => ns.filter((n) => n % 5 !== 0);
  /** The lowest of the values that at least so many percent do not exceed. */
  function rank(ns: number[], percent: number): number {
    const values = ns.filter((n) => n !== 39).map((n) => (n * 7) % 40);
    return [...values]
      .sort((a, b) => a - b)
      .find((limit) => values.filter((value) => value <= limit).length * 100 >= percent * values.length)!;
  }

  test("metrics without latencies are the same but for them", async () => {
    const body = { group_by: ["model"], time_bucket: "day" };
    const rows = await post("/v1/metrics/query", body);
    const without = rows.map((row) => Object.entries(row).filter(([name]) => !name.startsWith("latency_")));
    expect(await post("/v1/metrics/query", { ...body, latencies: false })).toEqual(without.map(Object.fromEntries));
  });

  test("requests are counted by the values of each facet, the most frequent first, within the filter", async () => {
    const path = "/v1/request/facets/query";
    expect(await post(path, { facets: ["status", "user", "property:Tier"], limit: 3 })).toEqual([
      {
        name: "status",
        values: [
          { value: 200, requests: 32 },
          { value: 429, requests: 4 },
          { value: 500, requests: 4 },
        ],
        more: false,
      },
      {
        name: "user",
        values: ["user-1", "user-2", "user-3"].map((value) => ({ value, requests: 10 })),
        more: true,
      },
      {
        name: "property:Tier",
        values: ["Bronze %", "gold", "silver"].map((value) => ({ value, requests: 10 })),
        more: true,
      },
    ]);
    const filter = { request_response_rmt: { model: { equals: "m-odd" } } };
    expect(await post(path, { filter, facets: ["user"] })).toEqual([
      { name: "user", values: ["user-1", "user-3"].map((value) => ({ value, requests: 10 })), more: false },
    ]);
    const low = { request_response_rmt: { request_body: { contains: "low" } } };
    expect(await post(path, { filter: low, facets: ["model"] })).toEqual([
      { name: "model", values: ["m-even", "m-odd"].map((value) => ({ value, requests: 10 })), more: false },
    ]);
    const { status, json } = await it.call("POST", path, { body: { facets: ["modle"] } });
    expect([status, json.path]).toEqual([400, "facets.0"]);
  });

  test("metrics by model are counted, added up and ranked exactly", async () => {
    const rows = await post("/v1/metrics/query", { filter: "all", group_by: ["model"] });
    for (const [index, ns] of [ALL.filter((n) => n % 2 === 0), ALL.filter((n) => n % 2 === 1)].entries()) {
      const measured = ns.filter((n) => n !== 39);
      expect(rows.find(({ model }) => model === ["m-even", "m-odd"][index])).toEqual({
        model: ["m-even", "m-odd"][index],
        requests: 20,
        errors: ns.filter((n) => n % 10 === 0).length,
        refused: ns.filter(isRefused).length,
        error_rate: ns.filter((n) => n % 10 === 0).length / ns.filter((n) => !isRefused(n)).length,
        cache_hits: ns.filter((n) => n % 8 === 0).length,
        cost: sum(costs(ns)),
        prompt_tokens: sum(ns),
        completion_tokens: 20,
        total_tokens: sum(ns) + 20,
        latency_avg: sum(measured.map((n) => (n * 7) % 40)) / measured.length,
        latency_p50: rank(ns, 50),
        latency_p90: rank(ns, 90),
        latency_p95: rank(ns, 95),
        latency_p99: rank(ns, 99),
      });
    }
    expect(rows).toHaveLength(2);
  });

  test("metrics go by time, by several names at once, and by a property with its case-erased spelling", async () => {
    const hours = await post("/v1/metrics/query", { filter: "all", time_bucket: "hour" });
    expect(hours).toHaveLength(20);
    expect(hours[0]).toMatchObject({ time: new Date(START).toISOString(), requests: 2, prompt_tokens: 1 });
    expect(hours.at(-1)).toMatchObject({ time: new Date(START + 19 * HOUR).toISOString(), requests: 2 });
    const days = await post("/v1/metrics/query", { filter: "all", time_bucket: "day", group_by: ["provider"] });
    expect(days.map(({ time, requests }) => [time, requests])).toEqual([
      ["2026-01-10T00:00:00.000Z", 24],
      ["2026-01-11T00:00:00.000Z", 16],
    ]);
    const quarters = await post("/v1/metrics/query", { time_bucket: "6h" });
    expect(quarters.map(({ time, requests }) => [time, requests])).toEqual([
      ["2026-01-10T12:00:00.000Z", 12],
      ["2026-01-10T18:00:00.000Z", 12],
      ["2026-01-11T00:00:00.000Z", 12],
      ["2026-01-11T06:00:00.000Z", 4],
    ]);
    const names = await post("/v1/metrics/query", { group_by: ["property:App-Name", "user"] });
    expect(names.filter((row) => row["property:App-Name"] === "lost")).toHaveLength(4);
    expect(names.filter((row) => row["property:App-Name"] === "kept").map(({ user }) => user)).toEqual(["user-1"]);
    const minutes = await post("/v1/metrics/query", { time_bucket: "minute", limit: 3, offset: 1 });
    expect(minutes.map(({ prompt_tokens }) => prompt_tokens)).toEqual([1, 2, 3]);
  });

  test("metrics take any filter, one on bodies and one on session totals too", async () => {
    const body = { request_response_rmt: { request_body: { contains: "LOW" } } };
    expect(await post("/v1/metrics/query", { filter: body })).toMatchObject([{ requests: 20, prompt_tokens: 190 }]);
    const busy = { sessions_request_response_rmt: { session_total_requests: { gte: 13 } } };
    expect(await post("/v1/metrics/query", { filter: busy, group_by: ["session"] })).toMatchObject([
      { session: "s/1", requests: 13 },
      { session: "s/2", requests: 13 },
    ]);
  });

  test("refused requests are not errors: they have a group, a filter and a count of their own", async () => {
    const rows = await post("/v1/metrics/query", { filter: "all", group_by: ["outcome"] });
    const refused = ALL.filter(isRefused).length;
    expect(rows.map(({ outcome, ...row }) => [outcome, row["requests"], row["errors"], row["refused"]])).toEqual([
      ["complete", 40 - refused, 4, 0],
      ["refused", refused, 0, refused],
    ]);
    expect(rows.map(({ error_rate }) => error_rate)).toEqual([4 / 36, null]);
    const leaf = (condition: object) => ({ request_response_rmt: { outcome: condition } });
    const only = { filter: leaf({ equals: "refused" }) };
    expect(await post("/v1/metrics/query", only)).toMatchObject([{ requests: refused, errors: 0, refused }]);
    expect((await it.call("POST", "/v1/request/count/query", { body: only })).json.data).toBe(refused);
    const others = { filter: leaf({ "not-equals": "refused" }) };
    expect(await post("/v1/metrics/query", others)).toMatchObject([{ requests: 36, errors: 4, refused: 0 }]);
    expect(await post("/v1/metrics/query", { filter: leaf({ equals: null }) })).toMatchObject([{ requests: 0 }]);
  });

  test("over no records there is one row of zeros, and over unknown costs null", async () => {
    const none = { request_response_rmt: { model: { equals: "none" } } };
    const [empty] = await post("/v1/metrics/query", { filter: none });
    expect(empty).toMatchObject({
      requests: 0,
      errors: 0,
      refused: 0,
      error_rate: null,
      cost: 0,
      total_tokens: 0,
      latency_avg: null,
      latency_p50: null,
    });
    expect(await post("/v1/metrics/query", { filter: none, group_by: ["model"] })).toEqual([]);
    const unknown = { request_response_rmt: { cost: { equals: null } } };
    expect(await post("/v1/metrics/query", { filter: unknown })).toMatchObject([{ requests: 8, cost: null }]);
  });

  test("users are added up, sorted and paged", async () => {
    const rows = await post("/v1/user/metrics/query", { filter: "all", sort: { user_id: "desc" } });
    expect(rows.map(({ user_id }) => user_id)).toEqual(["user-3", "user-2", "user-1"]);
    const ns = ALL.filter((n) => n % 4 === 1);
    expect(rows[2]).toEqual({
      user_id: "user-1",
      requests: 10,
      errors: 0,
      refused: ns.filter(isRefused).length,
      cost: sum(costs(ns)),
      prompt_tokens: sum(ns),
      completion_tokens: 10,
      total_tokens: sum(ns) + 10,
      first_active: new Date(START + HOUR / 2).toISOString(),
      last_active: new Date(START + (37 * HOUR) / 2).toISOString(),
    });
    const page = await post("/v1/user/metrics/query", { filter: "all", sort: { cost: "asc" }, limit: 1, offset: 1 });
    expect(page).toHaveLength(1);
  });

  test("sessions are added up, the last active first, under their newest name", async () => {
    const rows = (await post("/v1/session/query", { filter: "all" })).map(withSortedUsers);
    const ns = ALL.filter((n) => n % 3 === 2);
    expect(rows.map(({ session_id, session_name }) => [session_id, session_name])).toEqual([
      ["s/2", "late 2"],
      ["s/1", "late 1"],
    ]);
    expect(rows[0]).toEqual({
      session_id: "s/2",
      session_name: "late 2",
      users: ["user-1", "user-2", "user-3"],
      requests: 13,
      errors: 1,
      refused: 1,
      cost: sum(costs(ns)),
      prompt_tokens: sum(ns),
      completion_tokens: 13,
      total_tokens: sum(ns) + 13,
      created_at: new Date(START + HOUR).toISOString(),
      latest_request_created_at: new Date(START + 19 * HOUR).toISOString(),
    });
  });

  test("a filter selects sessions by one of their requests; on request their metrics cover the whole session", async () => {
    const eighth = { request_response_rmt: { request_created_at: { gte: at(8), lt: at(9) } } };
    const [part] = await post("/v1/session/query", { filter: eighth });
    expect(part).toMatchObject({ session_id: "s/2", requests: 1, created_at: at(8) });
    expect(await post("/v1/session/query", { filter: eighth, whole: true })).toMatchObject([
      { session_id: "s/2", requests: 13, created_at: at(2) },
    ]);
    const nobody = { request_response_rmt: { user_id: { equals: "nobody" } } };
    expect(await post("/v1/session/query", { filter: nobody, whole: true })).toEqual([]);
    const inBody = { request_response_rmt: { request_body: { contains: "low" } } };
    const low = await post("/v1/session/query", { filter: inBody, whole: true });
    expect(low.map(({ requests }) => requests)).toEqual([13, 13]);
  });

  test.each([
    [{ requests: "asc", session_id: "asc" }, ["s/1", "s/2"]],
    [{ errors: "desc", session_id: "asc" }, ["s/1", "s/2"]],
    [{ refused: "desc", session_id: "desc" }, ["s/1", "s/2"]],
    [{ cost: "desc" }, ["s/1", "s/2"]],
    [{ created_at: "desc" }, ["s/2", "s/1"]],
  ])("sessions are sorted by %p", async (sort, expected) => {
    const rows = await post("/v1/session/query", { sort });
    const by = (name: "cost") => rows.map((row) => Number(row[name]));
    if ("cost" in sort) expect(by("cost")).toEqual(by("cost").toSorted((a, b) => b - a));
    else expect(rows.map(({ session_id }) => session_id)).toEqual(expected);
  });

  test("sessions are not sorted by what they do not have", async () => {
    const { status, json } = await it.call("POST", "/v1/session/query", { body: { sort: { coast: "asc" } } });
    expect([status, json.path]).toEqual([400, "sort.coast"]);
    expect(json.message).toContain('"cost"');
  });

  test("a tag on a session is found by the very next filter, is replaced, and goes away with null", async () => {
    const tag = (value: unknown, id = "s%2F1") => it.call("PUT", `/v1/session/${id}/tag`, { body: { tag: value } });
    const count = async (filter: unknown) =>
      (await it.call("POST", "/v1/request/count/query", { body: { filter } })).json.data;
    const read = async () => (await it.call("GET", "/v1/session/s%2F1/tag")).json.data;
    expect(await read()).toEqual({ session_id: "s/1", tag: null });
    const tagged = (value: string) => ({ sessions_request_response_rmt: { session_tag: { equals: value } } });
    expect((await tag("ünïcode")).json).toEqual({ data: [{ session_id: "s/1", tag: "ünïcode" }], error: null });
    expect(await read()).toEqual({ session_id: "s/1", tag: "ünïcode" });
    expect(await count(tagged("ünïcode"))).toBe(14 - 1);
    await tag("second");
    expect([await count(tagged("ünïcode")), await count(tagged("second"))]).toEqual([0, 13]);
    await tag(null);
    expect(await count(tagged("second"))).toBe(0);
    expect((await tag("x", "unknown")).status).toBe(404);
    expect((await tag(5)).json).toMatchObject({ error: 400, path: "tag" });
  });

  test("properties are listed, searched, and sorted by what they cost", async () => {
    expect(await post("/v1/property/query")).toEqual([
      { property: "App-Name" },
      { property: "Tier" },
      { property: "app-name" },
      { property: "größe" },
    ]);
    expect(await post("/v1/property/Tier/search")).toEqual([
      { value: "Bronze %" },
      { value: "gold" },
      { value: "silver" },
    ]);
    expect(await post("/v1/property/Tier/search", { search: "BRONZE %" })).toEqual([{ value: "Bronze %" }]);
    expect(await post("/v1/property/Tier/search", { limit: 1, offset: 1 })).toEqual([{ value: "gold" }]);
    expect(await post("/v1/property/App-Name/search")).toEqual([{ value: "kept" }, { value: "lost" }]);
    expect(await post(`/v1/property/${encodeURIComponent("größe")}/search`)).toEqual([{ value: "x" }]);
    const of = (rest: number) => costs(ALL.filter((n) => n % 4 === rest));
    const top = await post("/v1/property/Tier/top-costs/query", { filter: "all" });
    expect(top).toEqual(
      [
        { value: "gold", cost: sum(of(0)), requests: 10 },
        { value: "silver", cost: sum(of(1)), requests: 10 },
        { value: "Bronze %", cost: sum(of(2)), requests: 10 },
      ].sort((a, b) => b.cost - a.cost || (a.value < b.value ? -1 : 1)),
    );
    const last = { request_response_rmt: { request_created_at: { gte: new Date(START + 18 * HOUR).toISOString() } } };
    expect(await post("/v1/property/Tier/top-costs/query", { filter: last, limit: 1 })).toEqual([
      { value: "Bronze %", cost: 38, requests: 1 },
    ]);
  });

  test("costs by value are the same from entries and from records, and follow a changed cost", async () => {
    const every = { left: "all", operator: "or", right: "all" };
    const everyBody = { request_response_rmt: { request_body: { contains: "text" } } };
    for (const name of ["Tier", "App-Name", "app-name", 'a "name"', "none"]) {
      const fast = await post(`/v1/property/${name}/top-costs/query`, { filter: "all" });
      expect(await post(`/v1/property/${name}/top-costs/query`, { filter: every })).toEqual(fast);
      expect(await post(`/v1/property/${name}/top-costs/query`, { filter: everyBody })).toEqual(fast);
    }
    expect(await post("/v1/property/App-Name/top-costs/query")).toEqual([
      { value: "lost", cost: 6, requests: 4 },
      { value: "kept", cost: null, requests: 1 },
    ]);
    await it.store.records.batch([{ sql: "update requests set cost = 9 where request_id = ?", args: [idOf(5)] }]);
    expect((await post("/v1/property/App-Name/top-costs/query"))[0]).toEqual({ value: "kept", cost: 9, requests: 1 });
  });

  test("requests are deleted by filter, those of the organization only", async () => {
    const filter = { request_response_rmt: { prompt_tokens: { gte: 35 } } };
    expect((await it.call("DELETE", "/v1/request", { body: { filter } })).json).toEqual({ data: 5, error: null });
    const left = await it.call("POST", "/v1/request/count/query", { body: { filter: "all" } });
    expect(left.json.data).toBe(35);
    const others = await it.call("POST", "/v1/request/count/query", { body: { filter: "all" }, key: it.keys.other });
    expect(others.json.data).toBe(1);
    expect((await it.call("DELETE", "/v1/request", { body: {} })).status).toBe(400);
    expect((await it.call("DELETE", "/v1/request", { body: { isCached: true } })).status).toBe(400);
  });
});
