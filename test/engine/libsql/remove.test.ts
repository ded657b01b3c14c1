import { expect, test } from "bun:test";
import { removeRecords } from "../../../src/engine/libsql/write/remove.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { maintain } from "../../../src/store/retention/maintain.ts";
import { openStore } from "../../../src/store/store.ts";
import { insertInto, insertRecord } from "../../api/open.ts";
import { ownDirectory } from "../../store/open.ts";

test("removing records takes all that only they refer to, and nothing of others", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const count = async (table: string) => {
    const database = ["bodies", "texts", "assets", "blobs"].includes(table) ? store.bodies : store.records;
    const [row] = await database.query<{ n: number }>({ sql: `select count(*) as n from ${table}`, args: [] });
    return row!.n;
  };
  const shared = { form: "json", content: '"shared"' };
  const mine = await insertRecord(
    store,
    "o",
    { seq: 1 },
    { request: { ...shared, blob: "both" }, response: { ...shared, blob: "own" } },
  );
  const kept = await insertRecord(store, "o", { seq: 2 });
  const foreign = await insertRecord(store, "p", { seq: 3 }, { request: shared });
  await store.bodies.batch([
    insertInto("bodies", {
      request_id: kept,
      part: "request",
      form: "json",
      bytes: 8,
      codec: "plain",
      blob_hash: "both",
    }),
    insertInto("texts", { request_id: mine, prompt: "p" }),
    insertInto("assets", {
      request_id: mine,
      asset_id: "pic",
      organization_id: "o",
      content_type: "image/png",
      bytes: 1,
    }),
    insertInto("assets", {
      request_id: mine,
      asset_id: "seen",
      organization_id: "o",
      content_type: "image/png",
      bytes: 1,
    }),
    insertInto("assets", {
      request_id: kept,
      asset_id: "seen",
      organization_id: "o",
      content_type: "image/png",
      bytes: 1,
    }),
    ...["pic", "seen"].map((hash) =>
      insertInto("blobs", { hash, codec: "plain", bytes: 1, data: new Uint8Array([1]) }),
    ),
  ]);
  const property = { organization_id: "o", kind: 0, name: "A", value: "1", request_created_at: 0 };
  await store.records.batch([
    insertInto("properties", { ...property, seq: 1 }),
    insertInto("properties", { ...property, seq: 2 }),
  ]);

  const filler = Array.from({ length: 600 }, () => crypto.randomUUID());
  expect(await removeRecords(store, "o", [...filler, mine, foreign, mine])).toBe(1);
  expect(await removeRecords(store, "o", [mine])).toBe(0);
  expect(await removeRecords(store, "o", [])).toBe(0);

  const left = await store.records.query<{ request_id: string }>({
    sql: "select request_id from requests order by seq",
    args: [],
  });
  expect(left.map(({ request_id }) => request_id)).toEqual([kept, foreign]);
  expect([await count("properties"), await count("bodies"), await count("texts"), await count("assets")]).toEqual([
    1, 2, 0, 1,
  ]);
  const blobs = await store.bodies.query<{ hash: string }>({ sql: "select hash from blobs order by hash", args: [] });
  expect(blobs.map(({ hash }) => hash)).toEqual(["both", "seen"]);
  await store.close();
});

test("a kind that a record refers to since it was looked for stays", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await insertRecord(store, "o", { seq: 50_000, kind: 1 });
  await store.records.batch([1, 2].map((id) => insertInto("kinds", { id, model: "m" })));
  expect(await maintain(store, { kind: "kinds", ids: [1, 2, 3], upTo: 49_999 })).toBe(1);
  expect(await store.records.query<{ id: number }>({ sql: "select id from kinds", args: [] })).toMatchObject([
    { id: 1 },
  ]);
  await store.close();
});
