import { expect, test } from "bun:test";
import { migrate } from "../../src/store/migrate.ts";
import { WALKS } from "../../src/store/migrations/0041-walks.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { nextReread } from "../../src/store/models/mappings.ts";
import { openStore, type Statement } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

const insert = (table: string, row: Readonly<Record<string, string | number | null>>): Statement => ({
  sql: `insert into ${table} (${Object.keys(row).join(", ")}) values (${Object.keys(row).map(() => "?")})`,
  args: Object.values(row),
});
const record = (seq: number, more: Readonly<Record<string, string | number | null>> = {}) =>
  insert("requests", {
    ...{ seq, request_id: `r-${seq}`, organization_id: "org-1", key_id: "k", method: "POST", provider: "CUSTOM" },
    ...{ request_created_at: 1_000 - seq, updated_at: 2_000, properties: "{}", ...more },
  });
const judge = (id: string, position: number, enabled: number) =>
  insert("judges", {
    ...{ id, organization_id: "org-1", name: id, enabled, model: "m", key_id: "k", prompt: "p", scores: "[]" },
    ...{ filter: '"all"', share: 100, budget: "null", created_at: 1, updated_at: 1, position },
  });
const judgement = (request: string, state: string) =>
  insert("judgements", {
    ...{ judge_id: "on", request_id: request, organization_id: "org-1", state, created_at: 1, updated_at: 1 },
  });
const mapping = (model: string, after: number | null) =>
  insert("mappings", {
    ...{ organization_id: "org-1", provider: "CUSTOM", model, version: 1, state: "active", origin: "edited" },
    ...{ mapping: "{}", confidence: 1, samples: 1, created_at: 1, updated_at: 1, reread_after: after },
  });

test("judges and mappings continue behind the record that they had reached by its number", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(
    store,
    MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex(({ statements }) => statements === WALKS),
    ),
  );
  await store.records.batch([
    ...[1, 2, 3, 4].map((seq) => record(seq)),
    record(5, { organization_id: "org-2" }),
    record(6, { attempt_of: "r-4" }),
    record(7, { properties: '{"Weir-Judge":"on"}' }),
    judge("on", 2, 1),
    judge("off", 0, 0),
    judgement("r-1", "in_flight"),
    judgement("r-3", "done"),
    mapping("m-1", 2),
  ]);
  await migrate(store);
  const judgements = await store.records.query({
    sql: "select judge_id, request_id, state from judgements order by request_id",
    args: [],
  });
  expect(judgements).toEqual([
    { judge_id: "on", request_id: "r-1", state: "new" },
    { judge_id: "on", request_id: "r-3", state: "done" },
    { judge_id: "on", request_id: "r-4", state: "new" },
  ]);
  expect(await nextReread(store.records)).toMatchObject({
    model: "m-1",
    after: { createdAt: 998, requestId: "r-2" },
  });
  await store.close();
});
