import { afterAll, beforeAll, expect, test } from "bun:test";
import { insertRecord, openApi, type TestApi } from "./open.ts";

let api: TestApi;
let ids: string[];
beforeAll(async () => {
  api = await openApi();
  ids = [];
  for (const [at, session_id] of ["a", "a", "b", null].entries()) {
    const row = { session_id, size_bytes: 1_000 + at, request_created_at: Date.now() - 10_000 + at };
    const id = await insertRecord(api.store, api.organization, row);
    const part = { part: "request", form: "text", bytes: Buffer.from("x".repeat(1_000)), contentType: null } as const;
    const texts = { prompt: null, completion: null };
    const content = { requestId: id, organizationId: api.organization, parts: [part], assets: [], texts };
    if (at < 3) await api.store.content.put([content]);
    ids.push(id);
  }
});
afterAll(() => api[Symbol.asyncDispose]());

const stored = async (id: string): Promise<number | null> =>
  (await api.call("GET", `/v1/request/${id}`)).json.data.stored_bytes;

test("a record shows its stored bytes, and null if nothing is in packs", async () => {
  expect(await stored(ids[0]!)).toBeGreaterThan(0);
  expect(await stored(ids[0]!)).toBeLessThan(1_000);
  expect(await stored(ids[3]!)).toBeNull();
});

test.each([
  ["a query", "/v1/request/query", { filter: "all", sort: { created_at: "asc" } }],
  ["a query with bodies", "/v1/request/query-fast", { filter: "all", sort: { created_at: "asc" }, includeBody: true }],
  ["ids", "/v1/request/query-ids", { ids: true }],
])("%s includes it on request, and changes nothing else", async (_name, path, { ids: byIds, ...rest }: Question) => {
  const body = { includeBody: false, ...rest, ...(byIds && { requestIds: ids }) };
  const withBytes = await api.call("POST", path, { body: { ...body, includeStoredBytes: true } });
  const expected = await Promise.all(ids.map(stored));
  expect(withBytes.json.data.map((row: { stored_bytes: number }) => row.stored_bytes)).toEqual(expected);
  const other = await api.call("POST", path, { body });
  for (const row of other.json.data) expect(row).not.toHaveProperty("stored_bytes");
});

interface Question {
  readonly ids?: boolean;
  readonly [member: string]: unknown;
}

test("a session shows the sent and the stored bytes of its requests in the scope", async () => {
  const ask = async (filter: unknown) => {
    const body = { filter, sort: { session_id: "asc" }, includeStoredBytes: true };
    const { json } = await api.call("POST", "/v1/session/query", { body });
    return json.data.map(({ session_id, size_bytes, stored_bytes }: Record<string, unknown>) => ({
      session_id,
      size_bytes,
      stored_bytes,
    }));
  };
  const [first, second, third] = await Promise.all(ids.slice(0, 3).map(stored));
  expect(await ask("all")).toEqual([
    { session_id: "a", size_bytes: 2_001, stored_bytes: first! + second! },
    { session_id: "b", size_bytes: 1_002, stored_bytes: third },
  ]);
  const one = { request_response_rmt: { request_id: { equals: ids[1] } } };
  expect(await ask(one)).toEqual([{ session_id: "a", size_bytes: 1_001, stored_bytes: second }]);
  const plain = await api.call("POST", "/v1/session/query", { body: { filter: "all" } });
  for (const row of plain.json.data) expect(row).not.toHaveProperty("stored_bytes");
});
