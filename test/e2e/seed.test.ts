import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { callApi, ROOT, startWeir } from "./weir.ts";

const RECORDS = 3_000;
const folder = mkdtempSync(join(tmpdir(), "weir-seed-"));
const [seeded, served] = [join(folder, "seeded"), join(folder, "served")];
const FILES = ["weir.db", "bodies.db"];

beforeAll(async () => {
  mkdirSync(served);
  const options = ["--records", String(RECORDS), "--data-dir", seeded];
  const seed = Bun.spawn([process.execPath, join(ROOT, "bench/seed.ts"), ...options], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = await new Response(seed.stderr).text();
  if ((await seed.exited) !== 0) throw new Error(said);
  await (await startWeir({ dataDirectory: served })).stop();
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function rows(directory: string, file: string, sql: string): unknown[] {
  const database = new Database(`file:${join(directory, file)}?mode=ro`, {});
  const found = database.prepare(sql).raw(true).all();
  database.close();
  return found;
}

test.each(FILES)("the seed's %s has the schema of a service's, and is sound", (file) => {
  const schema = "select type, name, tbl_name, sql from sqlite_master order by type, name";
  const pragmas = "select * from pragma_journal_mode, pragma_page_size, pragma_auto_vacuum, pragma_user_version";
  expect(rows(seeded, file, schema)).toEqual(rows(served, file, schema));
  expect(rows(seeded, file, pragmas)).toEqual(rows(served, file, pragmas));
  expect(rows(seeded, file, "pragma integrity_check")).toEqual([["ok"]]);
});

test("the table of a seed's properties says what its records say", () => {
  const inTable = "select seq, kind, name, value, request_created_at, cost from properties order by 1, 2, 3";
  const inRecords = `select seq, 0, j.key, j.value, request_created_at, cost from requests, json_each(properties) j
    union all select seq, 1, j.key, j.value, request_created_at, cost from requests, json_each(prompt_inputs) j order by 1, 2, 3`;
  const found = rows(seeded, "weir.db", inTable);
  expect(found).toEqual(rows(seeded, "weir.db", inRecords));
  expect(found.length).toBeGreaterThan(2 * RECORDS);
});

test("the models of a seed are counted", () => {
  const inTable = "select provider, model, count, since from models order by 1, 2";
  const inRecords =
    "select provider, model, count(*), min(request_created_at) from whole_requests group by 1, 2 order by 1, 2";
  expect(rows(seeded, "weir.db", inTable)).toEqual(rows(seeded, "weir.db", inRecords));
});

test("a service starts on a seed and returns its records with their bodies", async () => {
  await using weir = await startWeir({ dataDirectory: seeded });
  const ask = async (path: string, question: object) =>
    (await (await callApi(weir, path, { method: "POST", body: JSON.stringify(question) })).json()) as {
      data: { request_body: unknown; response_body: unknown; llmSchema: unknown; properties: object }[];
    };
  expect(await ask("/v1/request/count/query", { filter: "all" })).toMatchObject({ data: RECORDS });
  const filter = { request_response_rmt: { properties: { Environment: { equals: "production" } } } };
  const { data } = await ask("/v1/request/query-fast", { filter, limit: 20 });
  expect(data).toHaveLength(20);
  for (const record of data) {
    expect(record).toMatchObject({
      request_body: { messages: [{ role: "system" }, { role: "user" }] },
      response_body: { object: "chat.completion" },
      llmSchema: { response: { messages: [{ role: "assistant" }] } },
      properties: { Environment: "production" },
    });
  }
}, 300_000);
