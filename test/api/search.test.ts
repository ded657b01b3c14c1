import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findPage } from "../../src/engine/libsql/find/find.ts";
import { insertRequests } from "../../src/engine/libsql/write/insert-requests.ts";
import { removeRecords } from "../../src/engine/libsql/write/remove.ts";
import type { Position } from "../../src/filter/cursor.ts";
import { decodeFilter } from "../../src/filter/decode.ts";
import { NEWEST_FIRST } from "../../src/filter/sort.ts";
import { Deadline } from "../../src/store/database/deadline.ts";
import { maintain } from "../../src/store/retention/maintain.ts";
import { openStore } from "../../src/store/store.ts";
import { insertWords, SHARD_RECORDS, shards } from "../../src/store/words/shards.ts";
import { until } from "../until.ts";
import { DATABASES, openApiOn } from "./databases.ts";
import { openApi, type TestApi } from "./open.ts";

type Message = { readonly role: string; readonly content: string };

/** Imports records as they would be recorded; the first is the oldest. */
async function say(
  api: TestApi,
  turns: readonly {
    said: readonly Message[];
    answer?: string;
    error?: string;
    user?: string;
    at?: string;
    session?: string;
  }[],
  key = api.keys.all,
) {
  const ids: string[] = [];
  const lines = turns.map(({ said, answer, error, user, at, session }) => {
    const request_id = randomUUID();
    ids.push(request_id);
    return JSON.stringify({
      request_id,
      request_created_at: at ?? "2026-02-01T00:00:00Z",
      request_path: "/v1/chat/completions",
      response_status: error === undefined ? 200 : 400,
      request_user_id: user ?? null,
      ...(session === undefined ? {} : { session_id: session }),
      request_body: { model: "m", messages: said },
      response_body:
        error === undefined
          ? answer && { object: "chat.completion", choices: [{ message: { role: "assistant", content: answer } }] }
          : { error: { message: error, type: "invalid_request_error", code: "context_length_exceeded" } },
    });
  });
  const { status, json } = await api.call("POST", "/v1/import", {
    key,
    body: lines.join("\n"),
    headers: { "Content-Type": "application/x-ndjson" },
  });
  expect([status, json.data.imported]).toEqual([200, turns.length]);
  return ids;
}

const user = (content: string): Message => ({ role: "user", content });

async function search(api: TestApi, text: string, more: object = {}, key = api.keys.read) {
  const body = { filter: "all", search: text, includeBody: false, ...more };
  const { status, json } = await api.call("POST", "/v1/request/query-fast", { key, body });
  if (status !== 200) return { status, json, ids: [] as string[] };
  return { status, json, ids: json.data.map((record: { request_id: string }) => record.request_id) as string[] };
}

/** All hits, page by page: a page ends early on a slow machine, because a call is bounded by time. Words are in the index soon. */
async function searchToEnd(api: TestApi, text: string, more: object = {}, key = api.keys.read) {
  let found: Awaited<ReturnType<typeof searchPages>>;
  await until(async () => {
    found = await searchPages(api, text, more, key);
    return found.searchedTo === null;
  });
  return found!;
}

async function searchPages(api: TestApi, text: string, more: object, key: string) {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await search(api, text, { ...more, ...(cursor === undefined ? {} : { cursor }) }, key);
    expect(page.status).toBe(200);
    ids.push(...page.ids);
    cursor = page.json.next_cursor ?? undefined;
    if (cursor === undefined) return { ids, searchedTo: page.json.searched_to };
  }
}

for (const kind of DATABASES) {
  describe(`searching words on ${kind}`, () => {
    let it: TestApi;
    let ids: string[];
    beforeAll(async () => {
      it = await openApiOn(kind);
      ids = await say(it, [
        { said: [{ role: "system", content: "instructions" }, user("where is the old weir?")], answer: "Upstream." },
        {
          said: [user("where is the old weir?"), { role: "assistant", content: "Upstream." }, user("How old exactly?")],
          answer: "Built in 1862, the quick brown way",
          user: "ada",
        },
        { said: [user("北京大学在哪里")], answer: "Crème brûlée café" },
        { said: [user("brown and"), user("quick")], at: "2026-03-01T00:00:00Z" },
        { said: [user("a whole library")], error: "at most 128000 tokens, you sent 130442" },
      ]);
    });
    afterAll(() => it[Symbol.asyncDispose]());

    test.each([
      ["a word of the request", "WEIR", [0]],
      ["what an earlier turn said is not new", "upstream", [0]],
      ["several words, newest first", "old", [1, 0]],
      ["words of both sides together", "exactly 1862", [1]],
      ["the beginning of a word", "exact*", [1]],
      ["a word is no beginning", "exact", []],
      ["a phrase", '"quick brown"', [1]],
      ["no phrase from the request into the response", '"exactly built"', []],
      ["no phrase from one message into the next", '"and quick"', []],
      ["the same words in any order", "quick brown", [3, 1]],
      ["without accents", "creme cafe", [2]],
      ["a part of a Chinese sentence", "京大学", [2]],
      ["one character", "京", [2]],
      ["characters with separators between", "京学", []],
      ["a system prompt is nothing that was said", "instructions", []],
      ["the message of an error", '"128000 tokens"', [4]],
      ["the code of an error, as words", '"context length exceeded"', [4]],
      ["text that occurs nowhere", "absent", []],
    ])("%s: %p", async (_name, text, expected) => {
      expect((await searchToEnd(it, text)).ids).toEqual(expected.map((at) => ids[at]!));
    });

    test("with a filter, page by page, and only of the caller's organization", async () => {
      const byUser = { request_response_rmt: { user_id: { equals: "ada" } } };
      expect((await searchToEnd(it, "old", { filter: byUser })).ids).toEqual([ids[1]!]);
      const inBody = { request_response_rmt: { request_body: { contains: 'old weir?"}' } } };
      expect((await searchToEnd(it, "old", { filter: inBody })).ids).toEqual([ids[1]!, ids[0]!]);
      const march = { request_response_rmt: { request_created_at: { gte: "2026-02-15T00:00:00Z" } } };
      expect((await searchToEnd(it, "quick", { filter: march })).ids).toEqual([ids[3]!]);
      // A search may respond before the newest words are in the index; it then says so.
      const whole = "2026-02-01T00:00:00.000Z";
      let first = await search(it, "old", { limit: 1 });
      await until(async () => {
        first = await search(it, "old", { limit: 1 });
        return first.json.searched_to === whole;
      });
      expect(first.ids).toEqual([ids[1]!]);
      const cursor = first.json.next_cursor;
      expect((await search(it, "old", { limit: 1, cursor })).ids).toEqual([ids[0]!]);
      expect((await search(it, "weir", { limit: 1, cursor })).json).toMatchObject({ path: "cursor" });
      const theirs = await say(it, [{ said: [user("their old weir")] }], it.keys.other);
      expect((await searchToEnd(it, "weir", {}, it.keys.other)).ids).toEqual(theirs);
      expect((await searchToEnd(it, "weir")).ids).toEqual([ids[0]!]);
    });

    test("what does not fit a search is refused", async () => {
      const refused = async (more: object) => (await search(it, "old", more)).json;
      expect(await refused({ sort: { cost: "desc" } })).toMatchObject({ error: 400, code: "sort_invalid" });
      expect(await refused({ sort: { created_at: "asc" } })).toMatchObject({ path: "sort" });
      expect(await refused({ offset: 1 })).toMatchObject({ path: "offset" });
      expect((await search(it, "…")).json).toMatchObject({ error: 400, path: "search" });
      expect((await search(it, "old", { sort: { created_at: "desc" } })).status).toBe(200);
    });

    test("sessions are found by words of one of their requests, and are whole", async () => {
      await say(it, [
        { said: [user("a heron stands")], session: "birds", user: "ada" },
        { said: [user("and an otter swims")], session: "birds", user: "bob" },
        { said: [user("an otter sleeps")], session: "otters" },
        { said: [user("an otter eats")] },
      ]);
      const found = async (more: object) => {
        const body = { sort: { session_id: "asc" }, ...more };
        return (await it.call("POST", "/v1/session/query", { key: it.keys.read, body })).json;
      };
      // All words are in the index.
      await until(async () => (await found({ search: "otter" })).searched_to === null);
      const otters = await found({ search: "otter" });
      expect(otters.data).toMatchObject([
        { session_id: "birds", requests: 2 },
        { session_id: "otters", requests: 1, users: [] },
      ]);
      expect(otters.data[0].users.toSorted()).toEqual(["ada", "bob"]);
      const byAda = { request_response_rmt: { user_id: { equals: "ada" } } };
      expect((await found({ search: "otter", filter: byAda })).data).toEqual([]);
      expect((await found({ search: "heron", filter: byAda })).data).toMatchObject([{ session_id: "birds" }]);
      expect(await found({ search: "otter", whole: false })).toMatchObject({ error: 400, path: "whole" });
      expect(await found({ search: "…" })).toMatchObject({ error: 400, path: "search" });
    });

    test("a removed record, or one without its bodies, is found no more, and its words leave the index", async () => {
      const [gone, bare, kept] = await say(it, [
        { said: [user("zebrasecret one")] },
        { said: [user("zebrasecret two")] },
        { said: [user("zebrakept three")] },
      ]);
      expect((await searchToEnd(it, "zebra*")).ids).toEqual([kept!, bare!, gone!]);
      await removeRecords(it.store, it.organization, [gone!]);
      await maintain(it.store, { kind: "bodies", organizationId: it.organization, requestIds: [bare!] });
      expect((await searchToEnd(it, "zebra*")).ids).toEqual([kept!]);
      while ((await maintain(it.store, { kind: "erase" })) > 0);
      expect(await shards(it.store.bodies)).toEqual([{ shard: 0, removals: 0 }]);
      const blocks = await it.store.bodies.query<{ block: Uint8Array }>({
        sql: "select block from words_0_data",
        args: [],
      });
      const holds = (word: string) => blocks.some(({ block }) => Buffer.from(block).includes(word));
      expect([holds("ebrasecret"), holds("ebrakept")]).toEqual([false, true]);
      expect((await searchToEnd(it, "old")).ids).toEqual([ids[1]!, ids[0]!]);
    });
  });
}

describe("the index of words", () => {
  test("is searched newest range first, and a range without records is dropped", async () => {
    await using it = await openApi();
    const seqs = [1, SHARD_RECORDS + 5, 3 * SHARD_RECORDS, 3 * SHARD_RECORDS + 1];
    const now = Date.now();
    const row = (seq: number) => ({
      request_id: `00000000-0000-7000-8000-${String(seq).padStart(12, "0")}`,
      organization_id: it.organization,
      key_id: "k",
      method: "POST",
      provider: "P",
      response_status: 200,
      request_created_at: now + seq,
      updated_at: now,
    });
    const statements: Parameters<typeof insertRequests>[1] = [];
    insertRequests(
      seqs.map((seq) => ({ key: seq, row: row(seq) })),
      statements,
    );
    await it.store.records.batch(statements);
    await it.store.bodies.batch(
      insertWords(seqs.map((seq) => ({ seq, organizationId: it.organization, text: `common n${seq}` }))),
    );
    expect((await shards(it.store.bodies)).map(({ shard }) => shard)).toEqual([3, 1, 0]);
    expect((await searchToEnd(it, "common")).ids).toEqual(seqs.toReversed().map((seq) => row(seq).request_id));
    expect((await searchToEnd(it, "n1")).ids).toEqual([row(1).request_id]);
    await removeRecords(it.store, it.organization, [row(SHARD_RECORDS + 5).request_id]);
    while ((await maintain(it.store, { kind: "erase" })) > 0);
    expect((await shards(it.store.bodies)).map(({ shard }) => shard)).toEqual([3, 0]);
    // What a crash left without a record.
    await it.store.bodies.batch(insertWords([{ seq: 77, organizationId: it.organization, text: "lost" }]));
    expect(await maintain(it.store, { kind: "lost words", seqs: [1, 77] })).toBe(1);
    expect((await searchToEnd(it, "common")).ids).toHaveLength(3);
  });

  test("a search in bodies returns a part and its position, and continues from there", async () => {
    await using it = await openApi();
    const turns = Array.from({ length: 250 }, (_, n) => ({
      said: [user(n === 3 || n === 120 ? "the needle" : "hay")],
      at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
    }));
    const ids = await say(it, turns);
    const filter = { request_response_rmt: { request_body: { contains: "NEEDLE" } } };
    const scope = { organizationId: it.organization, tree: decodeFilter(filter, "fast").tree };
    const reader = await openStore(it.config, "read");
    const found: string[] = [];
    const times: (number | undefined)[] = [];
    let after: Position | undefined;
    do {
      const options = { sort: NEWEST_FIRST, limit: 10, offset: 0, after, deadline: new Deadline(180_000), withinMs: 0 };
      const page = await findPage(reader.records, scope, options);
      found.push(...page.rows.map(({ request_id }) => request_id));
      times.push(page.searchedTo);
      after = page.next;
    } while (after !== undefined);
    await reader.close();
    expect(found).toEqual([ids[120]!, ids[3]!]);
    expect(times).toEqual([...[150, 50, 0].map((second) => Date.UTC(2026, 0, 1, 0, 0, second)), undefined]);
    const query = { filter, limit: 1, includeBody: false, partial: true };
    const { json } = await it.call("POST", "/v1/request/query-fast", { key: it.keys.read, body: query });
    expect(json).toMatchObject({ data: [{ request_id: ids[120] }], searched_to: null });
    expect(json.next_cursor).toBeString();
    const wrong = await it.call("POST", "/v1/request/query-fast", { key: it.keys.read, body: { ...query, offset: 1 } });
    expect(wrong.json).toMatchObject({ error: 400, path: "offset" });
  });

  test("can be switched off", async () => {
    await using it = await openApi({ search_index: "no" });
    await say(it, [{ said: [user("hidden")] }]);
    expect((await search(it, "hidden")).json).toMatchObject({ error: 400, code: "search_off" });
    expect(await shards(it.store.bodies)).toEqual([]);
    expect(readFileSync(join(it.config.data_dir, "bodies.db")).includes("words_0")).toBe(false);
  });
});
