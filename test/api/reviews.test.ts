import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { DATABASES, openApiOn } from "./databases.ts";
import { insertRecord, type TestApi } from "./open.ts";

describe.each(DATABASES)("reviews, on %s", (kind) => {
  let it: TestApi;
  beforeAll(async () => {
    it = await openApiOn(kind);
  });
  afterAll(() => it[Symbol.asyncDispose]());

  /** `all` and `write` are the two reviewers. */
  const data = async (method: string, path: string, body?: object, key = it.keys.all): Promise<Json> => {
    const { status, json } = await it.call(method, path, { key, ...(body && { body }) });
    expect([status, json.message]).toEqual([200, undefined]);
    return json.data;
  };
  const SCORES = [
    { name: "helpful", kind: "boolean" },
    {
      name: "tone",
      kind: "choice",
      choices: [
        { label: "warm", value: 1 },
        { label: "cold", value: 0 },
      ],
    },
    { name: "depth", kind: "number", min: 1, max: 5, step: 0.5 },
  ];
  const BASE = Date.UTC(2026, 0, 1);
  /** A review of so many new requests; the last of the ids is the newest. */
  const review = async (name: string, requests: number, more: object = {}): Promise<{ id: string; ids: string[] }> => {
    const ids: string[] = [];
    for (let at = 0; at < requests; at++)
      ids.push(await insertRecord(it.store, it.organization, { request_created_at: BASE + at * 1_000 }));
    const { id } = await data("POST", "/v1/reviews", { name, scores: SCORES, ...more });
    expect(await data("POST", `/v1/reviews/${id}/requests`, { requestIds: ids })).toEqual({
      added: requests,
      skipped: 0,
    });
    return { id, ids };
  };
  const next = (id: string, key?: string) => data("POST", `/v1/reviews/${id}/next`, undefined, key);
  const answer = (id: string, request: string, body: object, key?: string) =>
    data("PUT", `/v1/reviews/${id}/answers/${request}`, body, key);
  const scoresOf = async (request: string) => {
    const scores = (await data("GET", `/v1/request/${request}/scores`)) as Json[];
    return Object.fromEntries(scores.map(({ name, value }) => [name, value]));
  };

  test("need at least one score, and the error gives the number", async () => {
    const { status, json } = await it.call("POST", "/v1/reviews", { body: { name: "none", scores: [] } });
    expect({ status, message: json.message }).toEqual({ status: 400, message: "scores: give at least 1 entry" });
  });

  test("hand out each request to one reviewer at a time, the newest first, until all are scored", async () => {
    const { id, ids } = await review("one each", 3);
    const mine = await next(id);
    expect(mine).toMatchObject({ request_id: ids[2], left: 3, done: 0 });
    expect((await next(id)).request_id).toBe(ids[2]);
    const theirs = await next(id, it.keys.write);
    expect(theirs.request_id).toBe(ids[1]);
    await answer(id, ids[2]!, { scores: { helpful: true }, reason: " solved it " });
    expect(await answer(id, ids[1]!, { skip: true }, it.keys.write)).toMatchObject({ skipped: 1, left: 1 });
    expect((await next(id)).request_id).toBe(ids[1]);
    await answer(id, ids[1]!, { scores: { helpful: false } });
    await answer(id, (await next(id)).request_id, { scores: { depth: 2.5 } });
    expect(await next(id)).toMatchObject({ request_id: null, left: 0, done: 3 });
    const { progress } = await data("GET", `/v1/reviews/${id}`);
    expect(progress).toMatchObject({ requests: 3, done: 3, left: 0 });
    expect(progress.reviewers.map(({ name, done, skipped }: Json) => [name, done, skipped])).toEqual([
      ["all", 3, 0],
      ["write", 0, 1],
    ]);
    const [{ ratings }] = await data("GET", `/v1/request/${ids[2]}/scores`);
    expect(ratings).toMatchObject([{ value: 1, reason: "solved it", author: "all" }]);
    expect(ratings[0].source).toMatch(/^reviewer:/);
  });

  test("hand a request to another reviewer once its lease has expired", async () => {
    const { id, ids } = await review("lease", 1);
    expect((await next(id)).request_id).toBe(ids[0]);
    expect(await next(id, it.keys.write)).toMatchObject({ request_id: null, left: 1 });
    await it.store.records.batch([
      { sql: "update review_answers set leased_until = 1 where review_id = ?", args: [id] },
    ]);
    expect((await next(id, it.keys.write)).request_id).toBe(ids[0]);
    expect(await next(id)).toMatchObject({ request_id: null, left: 1 });
  });

  test("store the mean of scores whose sum would be infinite", async () => {
    const scores = [{ name: "size", kind: "number", min: 0, max: 1e308 }];
    const { id, ids } = await review("the largest", 1, { scores, reviewers: 2 });
    await answer(id, ids[0]!, { scores: { size: 1e308 } });
    await answer(id, ids[0]!, { scores: { size: 1e308 } }, it.keys.write);
    expect(await scoresOf(ids[0]!)).toEqual({ size: 1e308 });
  });

  test("store the mean of the reviewers, report their agreement, and remove a score that its reviewer removes", async () => {
    const { id, ids } = await review("two each", 2, { reviewers: 2, order: "oldest" });
    const [first, second] = ids as [string, string];
    expect([(await next(id)).request_id, (await next(id, it.keys.write)).request_id]).toEqual([first, first]);
    await answer(id, first, { scores: { helpful: true, tone: "warm", depth: 4 } });
    await answer(id, first, { scores: { helpful: false, tone: "warm", depth: 1 } }, it.keys.write);
    expect(await scoresOf(first)).toEqual({ helpful: 0.5, tone: 1, depth: 2.5 });
    await answer(id, second, { scores: { helpful: true } });
    const shown = await data("GET", `/v1/reviews/${id}`);
    expect(shown.progress).toMatchObject({ requests: 2, done: 1, left: 1 });
    expect(shown.agreement).toEqual([
      { name: "helpful", pairs: 1, equal: 0, difference: null },
      { name: "tone", pairs: 1, equal: 1, difference: null },
      { name: "depth", pairs: 1, equal: null, difference: 3 },
    ]);
    // A score that is left out the second time is removed; the other reviewer's stays.
    await answer(id, first, { scores: { helpful: true, depth: 5 } }, it.keys.write);
    expect(await scoresOf(first)).toEqual({ helpful: 1, tone: 1, depth: 4.5 });
    await data("DELETE", `/v1/reviews/${id}/answers/${first}`, undefined, it.keys.write);
    expect(await scoresOf(first)).toEqual({ helpful: 1, tone: 1, depth: 4 });
    expect((await next(id, it.keys.write)).request_id).toBe(first);
    await answer(id, second, { skip: true });
    expect(await scoresOf(second)).toEqual({});
    const answers = (await data("GET", `/v1/reviews/${id}/answers?mine=true`)) as Json[];
    expect(answers.map(({ request_id, state }) => [request_id, state]).sort()).toEqual(
      [
        [first, "done"],
        [second, "skipped"],
      ].sort(),
    );
  });

  test("leave a score of another source alone when a reviewer skips", async () => {
    const { id, ids } = await review("skip", 1);
    await data("POST", `/v1/request/${ids[0]}/score`, { scores: { helpful: 1 } });
    await answer(id, ids[0]!, { skip: true });
    expect(await scoresOf(ids[0]!)).toEqual({ helpful: 1 });
    await answer(id, ids[0]!, { scores: { helpful: false } });
    expect(await scoresOf(ids[0]!)).toEqual({ helpful: 0 });
    await data("DELETE", `/v1/reviews/${id}/answers/${ids[0]}`);
    expect(await scoresOf(ids[0]!)).toEqual({ helpful: 1 });
  });

  test("take requests by filter and from a dataset, each once, and forget those that are deleted", async () => {
    const ids = [
      await insertRecord(it.store, it.organization, { model: "m-review" }),
      await insertRecord(it.store, it.organization, { model: "m-review" }),
    ];
    const { id } = await data("POST", "/v1/reviews", { name: "filtered", scores: SCORES, order: "random" });
    const filter = { request_response_rmt: { model: { equals: "m-review" } } };
    expect(await data("POST", `/v1/reviews/${id}/requests`, { filter })).toEqual({ added: 2, skipped: 0 });
    expect(await data("POST", `/v1/reviews/${id}/requests`, { requestIds: ids })).toEqual({ added: 0, skipped: 2 });
    const dataset = (await data("POST", "/v1/datasets", { name: "of nothing" })).id;
    expect(await data("POST", `/v1/reviews/${id}/requests`, { dataset })).toEqual({ added: 0, skipped: 0 });
    expect((await next(id)).request_id).toBe((await next(id)).request_id);
    expect(await data("DELETE", "/v1/request", { requestIds: ids })).toBe(2);
    expect((await data("GET", `/v1/reviews/${id}`)).progress.requests).toBe(0);
    await data("DELETE", `/v1/reviews/${id}`);
    expect((await it.call("GET", `/v1/reviews/${id}`)).status).toBe(404);
  });

  test("are refused with the path of the wrong member", async () => {
    const { id, ids } = await review("refused", 1);
    const path = `/v1/reviews/${id}/answers/${ids[0]}`;
    const cases: [string, string, object, number, string][] = [
      ["PUT", path, {}, 400, "give either scores, or skip"],
      ["PUT", path, { scores: {} }, 400, "give one score at least"],
      ["PUT", path, { scores: { helpful: 1 } }, 400, "scores.helpful: give true or false"],
      ["PUT", path, { scores: { tone: "tepid" } }, 400, 'scores.tone: give one of "warm", "cold"'],
      ["PUT", path, { scores: { depth: 6 } }, 400, "scores.depth: give a number from 1 to 5"],
      ["PUT", path, { scores: { depth: 1.3 } }, 400, "whole steps of 0.5"],
      ["PUT", path, { scores: { constructor: 1 } }, 400, "does not ask for this score"],
      ["PUT", `${path.slice(0, -12)}000000000000`, { skip: true }, 404, "no request with this id"],
      ["POST", "/v1/reviews", { name: "refused", scores: SCORES }, 409, "there is a review"],
      ["POST", "/v1/reviews", { name: "x", scores: [SCORES[0], SCORES[0]] }, 400, "there are two scores"],
      ["POST", "/v1/reviews", { name: "x", scores: [{ name: "a", kind: "choice" }] }, 400, "scores.0.choices"],
      ["POST", "/v1/reviews", { name: "x", scores: [{ name: "a", kind: "number", min: 1 }] }, 400, "scores.0.max"],
      ["POST", `/v1/reviews/${id}/requests`, {}, 400, "requestIds"],
    ];
    for (const [method, to, body, status, message] of cases) {
      const got = await it.call(method, to, { body });
      expect([got.status, got.json.message]).toEqual([status, expect.stringContaining(message)]);
    }
    expect((await it.call("POST", `/v1/reviews/${id}/next`, { key: it.keys.other })).status).toBe(404);
    expect((await it.call("POST", `/v1/reviews/${id}/next`, { key: it.keys.read })).status).toBe(403);
    expect(await scoresOf(ids[0]!)).toEqual({});
  });
});
