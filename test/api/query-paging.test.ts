import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tiedRecord } from "../filter/tied-record.ts";
import { type Exchange, idOf, insert } from "../filter/world.ts";
import { DATABASES, openApiOn } from "./databases.ts";
import type { TestApi } from "./open.ts";

describe.each(DATABASES)("on %s", (kind) => {
  const COUNT = 60;
  let it: TestApi;

  const exchange = (n: number): Exchange => {
    const { columns, ...more } = tiedRecord(n);
    return { ...more, columns: { ...columns, organization_id: it.organization } };
  };

  beforeAll(async () => {
    it = await openApiOn(kind);
    await insert(
      it.store,
      Array.from({ length: COUNT }, (_, n) => exchange(n)),
    );
  });
  afterAll(() => it[Symbol.asyncDispose]());

  /** Ids from the newest to the oldest, ties from the highest id down. */
  const NEWEST = Array.from({ length: COUNT }, (_, n) => ({ second: Math.floor(n / 4), id: idOf(n) }))
    .sort((a, b) => b.second - a.second || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);

  async function page(body: object) {
    const { status, json } = await it.call("POST", "/v1/request/query-fast", {
      body: { filter: "all", includeBody: false, limit: 1000, ...body },
    });
    expect([status, json.message]).toEqual([200, undefined]);
    return { ids: json.data.map((row: { request_id: string }) => row.request_id) as string[], next: json.next_cursor };
  }

  test("without a sort the newest come first", async () => {
    expect((await page({})).ids).toEqual(NEWEST);
    expect((await page({ sort: {} })).ids).toEqual(NEWEST);
    expect((await page({ sort: null })).ids).toEqual(NEWEST);
    expect((await page({ sort: { random: false } })).ids).toEqual(NEWEST);
  });

  test("random shuffles, and has no next page", async () => {
    const [one, other] = [await page({ sort: { random: true } }), await page({ sort: { random: true, cost: "asc" } })];
    expect(one.ids.toSorted()).toEqual(NEWEST.toSorted());
    expect(other.ids).not.toEqual(one.ids);
    expect(one.next).toBeNull();
    expect((await page({ sort: { random: true }, limit: 5 })).next).toBeNull();
  });

  test("a cursor belongs to its filter, sort, flags and organization", async () => {
    const { next } = await page({ limit: 5, sort: { cost: "asc" } });
    const status = async (body: object, key = it.keys.all) =>
      (
        await it.call("POST", "/v1/request/query-fast", {
          body: { filter: "all", cursor: next, sort: { cost: "asc" }, ...body },
          key,
        })
      ).status;
    expect(await status({})).toBe(200);
    expect(await status({ limit: 100, offset: 3, includeBody: false })).toBe(200);
    expect(await status({ sort: { cost: "desc" } })).toBe(400);
    expect(await status({ sort: { cost: "asc", created_at: "desc" } })).toBe(400);
    expect(await status({ sort: { random: true } })).toBe(400);
    expect(await status({ sort: {} })).toBe(400);
    expect(await status({ filter: { request_response_rmt: { cost: { gte: 0 } } } })).toBe(400);
    expect(await status({ isCached: false })).toBe(400);
    expect(await status({}, it.keys.other)).toBe(400);
  });

  test("paging on bodies continues where it stopped too", async () => {
    await insert(
      it.store,
      [0, 1, 2, 3, 4].map((n) => ({
        ...exchange(n),
        columns: { ...exchange(n).columns, request_id: idOf(900 + n), organization_id: it.other },
        requestBody: n === 2 ? "nothing" : "some needle",
      })),
    );
    const filter = { request_response_rmt: { request_body: { contains: "NEEDLE" } } };
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { json } = await it.call("POST", "/v1/request/query-fast", {
        body: { filter, limit: 1, cursor },
        key: it.keys.other,
      });
      ids.push(...json.data.map((row: { request_id: string }) => row.request_id));
      cursor = json.next_cursor;
    } while (cursor !== null);
    expect(ids.toSorted()).toEqual([0, 1, 3, 4].map((n) => idOf(900 + n)).toSorted());
  });

  test("pages by cursor lose and double nothing while records arrive", async () => {
    const before = new Set((await page({})).ids);
    let arrived = 0;
    let writing = true;
    const writer = (async () => {
      while (writing && arrived < 20_000) {
        const batch = Array.from({ length: 50 }, (_, n) => exchange(10_000 + arrived + n));
        await insert(it.store, batch);
        arrived += batch.length;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    for (const sort of [{ created_at: "desc" }, { cost: "asc" }, { properties: { Tier: "desc" } }]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const { ids, next } = await page({ sort, limit: 97, cursor });
        seen.push(...ids);
        cursor = next;
      } while (cursor !== null && seen.length < 30_000);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => before.has(id))).toHaveLength(before.size);
    }
    writing = false;
    await writer;
    expect(arrived).toBeGreaterThan(0);
  });
});
