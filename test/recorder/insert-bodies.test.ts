import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BodyInserts } from "../../src/recorder/insert-bodies.ts";
import type { StoredPart } from "../../src/recorder/prepare.ts";
import { loadBodies } from "../../src/store/bodies.ts";
import { openLocal } from "../../src/store/local.ts";
import { migrate } from "../../src/store/migrate.ts";
import type { Statement } from "../../src/store/store.ts";

const directory = mkdtempSync(join(tmpdir(), "weir-bodies-"));
const store = openLocal(join(directory, "weir.db"), "write");
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

test("bodies of any mixture of forms and sizes are read back as they were, also when they are written twice", async () => {
  await migrate(store);
  const records = Array.from({ length: 300 }, (_, at) => ({ id: `id-${at}`, parts: KINDS[at % KINDS.length]! }));
  for (let round = 0; round < 2; round++) {
    const bodies = new BodyInserts();
    const statements: Statement[] = [];
    for (const { id, parts } of records) bodies.add(id, parts);
    bodies.appendTo(statements);
    await store.bodies.batch(statements);
  }
  const names = ["headers", "request", "response", "raw"] as const;
  const ids = records.map(({ id }) => id);
  const rows = await store.bodies.query<{ request_id: string; part: string; form: string; bytes: number }>({
    sql: "select request_id, part, form, bytes from bodies",
    args: [],
  });
  const stored = new Map(rows.map((row) => [`${row.request_id} ${row.part}`, `${row.form} ${row.bytes}`]));
  const loaded = await loadBodies(store.bodies, ids, names);
  for (const { id, parts } of records) {
    for (const { part: name, form, bytes } of parts) {
      expect(stored.get(`${id} ${name}`)).toBe(`${form} ${bytes.byteLength}`);
      if (bytes.byteLength > 0) expect(Buffer.from(loaded.get(id)![name]!.content)).toEqual(Buffer.from(bytes));
    }
  }
  expect(rows).toHaveLength(records.reduce((sum, { parts }) => sum + parts.length, 0));
});
