import { expect, test } from "bun:test";
import { openLocal } from "../../../src/store/database/local.ts";
import { migrate } from "../../../src/store/migrate.ts";
import type { RequestContent } from "../../../src/store/packs/request-content.ts";
import { temporaryDirectory } from "../../directory.ts";

function saying(requestId: string, text: string): RequestContent {
  const request = { part: "request", form: "text", bytes: Buffer.from(text), contentType: null } as const;
  const response = { ...request, part: "response", bytes: Buffer.from(`re: ${text}`) } as const;
  const texts = { prompt: null, completion: null };
  return { requestId, organizationId: "o", parts: [request, response], assets: [], texts };
}

test.each([
  ["UUIDs", () => crypto.randomUUID()],
  ["UUIDs and other ids", (at: number) => (at % 40 === 39 ? `other-${at}` : crypto.randomUUID())],
])("contents of many requests with %s are stored together, and again", async (_, idOf) => {
  using directory = temporaryDirectory();
  const store = openLocal(`${directory.path}/weir.db`, "write");
  await migrate(store);
  const ids = Array.from({ length: 100 }, (_each, at) => idOf(at));
  // Their packs are different ones, so their homes are as well.
  const first = ids.map((id, at) => saying(id, `${at} `.repeat(at * 60)));
  const again = ids.slice(5, 80).map((id, at) => saying(id, `again ${at} `.repeat(at * 30)));
  await store.content.put(first);
  await store.content.put(again);
  const found = await store.content.get(ids, ["request", "response"]);
  for (const { requestId, parts } of new Map([...first, ...again].map((each) => [each.requestId, each])).values()) {
    const { request, response } = found.get(requestId)!;
    const stored = [request, response].map((part) => Buffer.from(part?.content ?? []).toString());
    expect(stored).toEqual(parts.map(({ bytes }) => bytes.toString()));
  }
  expect(await store.bodies.query({ sql: "select count(*) as n from contents", args: [] })).toEqual([{ n: 100 }]);
  await store.close();
});

test("of several contents of one request the last is stored, whatever ids are among them", async () => {
  using directory = temporaryDirectory();
  const store = openLocal(`${directory.path}/weir.db`, "write");
  await migrate(store);
  const ids = Array.from({ length: 64 }, () => crypto.randomUUID() as string);
  ids[0] = "other";
  ids[40] = ids[1]!;
  await store.content.put(ids.map((id, at) => saying(id, `text ${at}`)));
  const found = await store.content.get([ids[1]!], ["request"]);
  expect(Buffer.from(found.get(ids[1]!)?.request?.content ?? []).toString()).toBe("text 40");
  await store.close();
});
