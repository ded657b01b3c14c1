import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredPart } from "../../src/recorder/prepare/stored-parts.ts";
import { BodyInserts, replaceResponse } from "../../src/recorder/write/insert-bodies.ts";
import { loadBodies, loadSearched } from "../../src/store/bodies/bodies.ts";
import { openLocal } from "../../src/store/database/local.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import type { Statement } from "../../src/store/store.ts";

const directory = mkdtempSync(join(tmpdir(), "weir-bodies-"));
const store = openLocal(join(directory, "weir.db"), "write");
await migrate(store);
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

function part(name: StoredPart["part"], form: StoredPart["form"], content: string): StoredPart {
  return { part: name, form, bytes: Buffer.from(content), contentType: null };
}

/** Every combination that goes into the database in its own way, and enough of each to fill statements of any size. */
const KINDS: readonly (readonly StoredPart[])[] = [
  [part("headers", "json", "{}"), part("request", "json", '{"a":1}'), part("response", "json", '{"b":"é"}')],
  [part("headers", "json", "{}"), part("request", "text", "plain"), part("response", "text", "")],
  [part("headers", "json", "{}"), part("request", "json", `"${"x".repeat(5_000)}"`)],
  [part("headers", "json", "{}"), part("response", "binary", "\x00\x01"), part("raw", "text", "data: 1\n\n")],
  [part("headers", "json", "{}")],
  [],
];

const NAMES = ["headers", "request", "response", "raw"] as const;
const NO_TEXTS = { prompt: null, completion: null };

async function write(records: readonly { id: string; parts: readonly StoredPart[] }[]): Promise<void> {
  const bodies = new BodyInserts();
  const statements: Statement[] = [];
  for (const { id, parts } of records) bodies.add(id, parts, NO_TEXTS);
  bodies.appendTo(statements);
  await store.bodies.batch(statements);
}

test("bodies of any mixture of forms and sizes are read back as they were, also when they are written twice", async () => {
  const records = Array.from({ length: 300 }, (_, at) => ({ id: `id-${at}`, parts: KINDS[at % KINDS.length]! }));
  for (let round = 0; round < 2; round++) await write(records);
  const ids = records.map(({ id }) => id);
  const loaded = await loadBodies(store.bodies, ids, NAMES);
  for (const { id, parts } of records) {
    const stored = Object.entries(loaded.get(id) ?? {}).map(([name, { form, bytes, content }]) =>
      part(name as StoredPart["part"], form, bytes === 0 ? "" : Buffer.from(content).toString()),
    );
    const byName = (a: StoredPart, b: StoredPart) => (a.part < b.part ? -1 : 1);
    expect(stored.sort(byName)).toEqual(parts.toSorted(byName));
  }
  const searched = await loadSearched(store.bodies, ids, ["request", "response"], () => false);
  const forms = searched
    .filter(({ content }) => content !== undefined)
    .map(({ part: name, form }) => `${name} ${form}`);
  expect(Map.groupBy(forms, (form) => form).size).toBe(5);
  expect(forms).toHaveLength(
    records.flatMap(({ parts }) => parts.filter((each) => each.part[0] === "r" && each.part !== "raw")).length,
  );
});

test.each([
  ["a small one", "x"],
  ["a large one", "x".repeat(5_000)],
])("a response is replaced by %s, wherever it stood", async (_name, text) => {
  const before = [part("response", "text", "plain"), part("response", "json", `"${"y".repeat(5_000)}"`)];
  const records = before.map((response) => ({
    id: crypto.randomUUID(),
    parts: [part("headers", "json", "{}"), part("request", "text", "asked"), response],
  }));
  await write(records);
  const after = JSON.stringify(text);
  for (const { id } of records) {
    await store.bodies.batch(replaceResponse(id, Buffer.from(after)));
    const loaded = (await loadBodies(store.bodies, [id], NAMES)).get(id)!;
    expect(loaded.response).toMatchObject({ form: "json", bytes: after.length });
    expect(Buffer.from(loaded.response!.content).toString()).toBe(after);
    expect(loaded.request).toMatchObject({ form: "text", bytes: 5 });
    const rows = await loadSearched(store.bodies, [id], ["response"], () => false);
    expect(rows.filter(({ content }) => content !== undefined)).toHaveLength(1);
  }
});

test("what an earlier version recorded is still there", async () => {
  const old = openLocal(join(directory, "old", "weir.db"), "write");
  await migrate(
    old,
    MIGRATIONS.filter(({ target, version }) => target === "records" || version === 1),
  );
  const insert = "insert into bodies (request_id, part, form, bytes, codec, data) values ('id', ?, ?, 2, 'plain', ?)";
  await old.bodies.batch([
    { sql: insert, args: ["request", "json", Buffer.from("{}")] },
    { sql: insert, args: ["response", "text", Buffer.from("hi")] },
    { sql: "insert into texts values ('id', 'p', 'c')", args: [] },
  ]);
  await migrate(old);
  const loaded = (await loadBodies(old.bodies, ["id"], NAMES)).get("id")!;
  expect(
    Object.entries(loaded).map(([name, { form, content }]) => [name, form, Buffer.from(content).toString()]),
  ).toEqual([
    ["request", "json", "{}"],
    ["response", "text", "hi"],
  ]);
  await old.close();
});
