import { expect, test } from "bun:test";
import fc from "fast-check";
import { findPage } from "../../src/engine/libsql/find/find.ts";
import { listedRecords, wholeRecords } from "../../src/engine/libsql/find/records.ts";
import { keysOf } from "../../src/engine/record-source.ts";
import { decodeFilter } from "../../src/filter/decode.ts";
import { decodeSort } from "../../src/filter/sort.ts";
import { MADE_FROM } from "../../src/record/request-record.ts";
import { Deadline } from "../../src/store/database/deadline.ts";
import { assertProperty } from "../chance.ts";
import { pass, type Rig, rig } from "./harness.ts";

const LONG = 9_000;

/** What lists and single records show of these requests; both must agree. */
async function shown({ store }: Rig, ids: readonly string[]) {
  const rows = await wholeRecords(store.records, "org-1", keysOf(ids));
  const query = { organizationId: "org-1", sight: "bodies", keys: keysOf(ids) } as const;
  const listed = await listedRecords(store.records, query, MADE_FROM);
  const members = listed.map(({ stored }) => JSON.parse(stored));
  expect(members.map(({ input, output }) => [input, output])).toEqual(rows.map(({ input, output }) => [input, output]));
  return rows.map(({ input, output }) => ({ input, output }));
}

/** Which of these requests have something of their excerpts in the row. */
async function inRows({ store }: Rig): Promise<string[]> {
  const sql = "select request_id as id from requests where coalesce(input, output) is not null";
  return (await store.records.query<{ id: string }>({ sql, args: [] })).map(({ id }) => id);
}

async function found({ store }: Rig, condition: object): Promise<string[]> {
  const filter = { request_response_rmt: condition };
  const scope = { organizationId: "org-1", tree: decodeFilter(filter, "legacy").tree };
  const options = { sort: decodeSort(undefined), limit: 1_000, offset: 0, deadline: new Deadline(180_000) };
  return (await findPage(store.records, scope, options)).rows.map(({ request_id }) => request_id);
}

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("null", '"input":null,"output":null', "$&", "back\\slash", "line\nbreak", "🙂".repeat(300)),
);
const anyCall = fc.record({ prompt: anyText, text: anyText, isLong: fc.boolean() });

test("input and output read the same in the row and in the packs, and filters find them in both", async () => {
  await using weir = await rig();
  await assertProperty(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 8 }), async (calls) => {
      const ids = calls.map(({ prompt, text, isLong }) =>
        pass(weir.spool, {
          request: JSON.stringify({ prompt, padding: isLong ? "x".repeat(LONG) : "" }),
          response: JSON.stringify({ text, model: "m-1" }),
        }),
      );
      await weir.recorder.barrier();
      const expected = calls.map(({ prompt, text }) => ({
        input: beginningOf(prompt),
        output: beginningOf(text),
      }));
      expect(await shown(weir, ids)).toEqual(expected);
      const long = ids.filter((_, at) => calls[at]!.isLong);
      expect((await inRows(weir)).filter((id) => ids.includes(id)).sort()).toEqual([...long].sort());
      for (const [column, at] of [
        ["input", 0],
        ["output", calls.length - 1],
      ] as const) {
        const wanted = expected[at]![column];
        const same = ids.filter((_, index) => expected[index]![column] === wanted);
        const hits = await found(weir, { [column]: { equals: wanted } });
        expect(hits.filter((id) => ids.includes(id)).sort()).toEqual([...same].sort());
      }
    }),
    { numRuns: 15 },
  );
});

/** 500 characters, and no half of one. */
function beginningOf(text: string): string {
  const cut = text.slice(0, 500);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

const KEY = `sk-proj-${"Ab3dEf6hIj".repeat(4)}`;

test.each([
  ["short", 0],
  ["long", LONG],
])("credentials in input and output are masked, and not found, if the bodies are %s", async (_, padding) => {
  await using weir = await rig();
  const call = (prompt: string) =>
    pass(weir.spool, {
      request: JSON.stringify({ prompt, padding: "x".repeat(padding) }),
      response: JSON.stringify({ text: `Use "${KEY}", or password=hunter22.`, model: "m-1" }),
    });
  const before = "word ".repeat(98);
  const ids = [call(`My key is ${KEY} now`), call(`${before}${KEY} and more`)];
  await weir.recorder.barrier();
  const output = 'Use "***", or password=***';
  expect(await shown(weir, ids)).toEqual([
    { input: "My key is *** now", output },
    { input: `${before}*** and mo`, output },
  ]);
  expect(await inRows(weir)).toEqual(padding === 0 ? [] : expect.arrayContaining(ids));
  for (const column of ["input", "output"]) {
    for (const secret of [KEY, "Ab3d", "hunter22"])
      expect(await found(weir, { [column]: { contains: secret } })).toEqual([]);
    expect((await found(weir, { [column]: { contains: "***" } })).sort()).toEqual([...ids].sort());
  }
});

test("input and output go with the bodies, wherever they stand", async () => {
  await using weir = await rig();
  const call = (padding: number) =>
    pass(weir.spool, {
      request: JSON.stringify({ prompt: "a question", padding: "x".repeat(padding) }),
      response: JSON.stringify({ text: "an answer", model: "m-1" }),
    });
  const ids = [call(0), call(LONG)];
  const kept = call(0);
  await weir.recorder.barrier();
  const said = { input: "a question", output: "an answer" };
  expect(await shown(weir, [...ids, kept])).toEqual([said, said, said]);
  await weir.recorder.maintain({ kind: "bodies", organizationId: "org-1", requestIds: ids });
  const nothing = { input: null, output: null };
  expect(await shown(weir, [...ids, kept])).toEqual([nothing, nothing, said]);
  expect(await found(weir, { input: { equals: "a question" } })).toEqual([kept]);
  expect((await found(weir, { output: { equals: null } })).sort()).toEqual([...ids].sort());
});

test("omitted bodies and bodies without text are null in both places", async () => {
  await using weir = await rig();
  const omitted = pass(weir.spool, {
    begin: { omitResponse: true },
    request: '{"prompt":"kept"}',
    response: '{"text":"omitted","model":"m-1"}',
  });
  const binary = pass(weir.spool, { request: '{"model":"m-1"}', response: new Uint8Array([0, 255, 3]) });
  await weir.recorder.barrier();
  expect(await shown(weir, [omitted, binary])).toEqual([
    { input: "kept", output: null },
    { input: null, output: null },
  ]);
  expect(await inRows(weir)).toEqual([]);
});
