import { expect, test } from "bun:test";
import fc from "fast-check";
import { listedRecords, wholeRecords } from "../../src/engine/libsql/find/records.ts";
import { Kinds } from "../../src/engine/libsql/write/kinds.ts";
import { keysOf } from "../../src/engine/record-source.ts";
import { splitUsage, usageText } from "../../src/record/kinds.ts";
import { MADE_FROM } from "../../src/record/request-record.ts";
import type { RequestRow } from "../../src/record/written-row.ts";
import type { Value } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { pass, type Rig, rig } from "./harness.ts";

const anyUsage = fc.oneof(
  fc.dictionary(
    fc.string({ maxLength: 6 }),
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, "1", ":#", ":5,", "a:0}", '"', { a: 0, b: [1, { c: 2 }] }),
    ),
  ),
  fc.jsonValue(),
);

test("a usage block is the same text after it was split", () => {
  assertProperty(
    fc.property(anyUsage, (usage) => {
      const raw = JSON.stringify(usage);
      const parts = splitUsage(raw);
      if (parts === undefined) return;
      expect(usageText(JSON.stringify([parts.shape, parts.numbers]))).toBe(raw);
    }),
  );
  const usage = (tokens: number) => splitUsage(`{"in":${tokens},"cost":1.5e-7,"details":{"cached":0,"tier":"a"}}`);
  expect(usage(7)).toEqual({ shape: '{"in":#,"cost":#,"details":{"cached":#,"tier":"a"}}', numbers: "7,1.5e-7," });
  expect(usageText('{"in":1}')).toBe('{"in":1}');
});

test("a kind is stored when it comes for the second time, and rows that indexes know by it hold it themselves", () => {
  const row = (more: Partial<RequestRow> = {}): RequestRow => ({
    request_id: crypto.randomUUID(),
    organization_id: "o",
    key_id: "k",
    method: "POST",
    provider: "OPENAI",
    model: "m",
    outcome: "complete",
    response_status: 200,
    wire_schema: "chat-completions",
    request_created_at: 1,
    updated_at: 1,
    ...more,
  });
  const plain: readonly (Partial<RequestRow> & { readonly [name: string]: unknown })[] = [
    { outcome: null },
    { response_status: null },
    { wire_schema: null },
    { wire_schema: "mapped" },
    { wire_schema: "responses" },
    { cache_enabled: 1 },
    { unread: "timeout" },
  ];
  const kinds = new Kinds();
  const used = new Map<number, readonly Value[]>();
  for (let time = 0; time < 3; time++) {
    for (const more of plain) expect(kinds.share(row(more), used)).toMatchObject({ ...more, model: "m" });
  }
  expect(kinds.share(row(), used).model).toBe("m");
  expect(used.size).toBe(0);
  const shared = kinds.share(row({ usage_raw: '{"in":3}' }), used);
  expect(shared).toMatchObject({ model: "m", usage_raw: '{"in":3}' });
  expect(kinds.share(row({ usage_raw: '{"in":4}' }), used)).toMatchObject({
    model: null,
    provider: null,
    usage_raw: "4",
  });
  expect(used.size).toBe(1);
  // Others that write the same come to the same id.
  const others = new Map<number, readonly Value[]>();
  const other = new Kinds();
  for (let time = 0; time < 2; time++) other.share(row({ usage_raw: '{"in":5}' }), others);
  expect([...others]).toEqual([...used]);
  for (let at = 0; at < 5_000; at++) kinds.share(row({ request_path: `/${at}` }), used);
  expect(used.size).toBe(1);
});

async function kindsOf({ store }: Rig): Promise<number[]> {
  const rows = await store.records.query<{ kind: number }>({
    sql: "select kind from requests where kind is not null",
    args: [],
  });
  return rows.map(({ kind }) => kind);
}

test("rows of a kind read as the first one, which holds its values itself, and stay so when they are read again", async () => {
  await using weir = await rig();
  const ids = Array.from({ length: 5 }, (_, at) =>
    pass(weir.spool, {
      request: `{"model":"m-1","prompt":"p ${at}"}`,
      response: `{"model":"m-1-long","text":"t","usage":{"in":${at},"out":4}}`,
    }),
  );
  await weir.recorder.barrier();
  const rows = async () => {
    const found = await wholeRecords(weir.store.records, "org-1", keysOf(ids));
    const query = { organizationId: "org-1", sight: "bodies", keys: keysOf(ids) } as const;
    const listed = await listedRecords(weir.store.records, query, MADE_FROM);
    expect(listed.map(({ stored }) => JSON.parse(stored).target_url)).toEqual(found.map((row) => row.target_url));
    return found.map(({ seq, request_id, request_created_at, updated_at, kind, input, ...row }) => ({
      ...row,
      usage_raw: usageText(row.usage_raw!),
      response_created_at: 0,
    }));
  };
  expect(await kindsOf(weir)).toHaveLength(4);
  const before = await rows();
  const [first] = before;
  expect(first).toMatchObject({
    model: "m-1-long",
    provider: "CUSTOM",
    outcome: "complete",
    storage_location: "libsql",
  });
  expect(before).toEqual(
    before.map((_, at) => ({ ...first!, prompt_tokens: at, total_tokens: at + 4, usage_raw: `{"in":${at},"out":4}` })),
  );
  await weir.recorder.rewrite(
    ids.slice(0, 3).map((requestId) => ({ requestId, columns: { cost: 1, cost_source: "own" } })),
  );
  expect(await kindsOf(weir)).toHaveLength(2);
  expect(await rows()).toEqual(before.map((row, at) => (at < 3 ? { ...row, cost: 1, cost_source: "own" } : row)));
});
