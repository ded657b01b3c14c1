import { expect, test } from "bun:test";
import { WordSearch } from "../../src/engine/libsql/find/word-search.ts";
import { rewriteRecords } from "../../src/engine/libsql/write/rewrite.ts";
import { ALL } from "../../src/filter/tree.ts";
import { TextFiller } from "../../src/jobs/remap/texts.ts";
import { createLog } from "../../src/log.ts";
import { Deadline } from "../../src/store/database/deadline.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { leftToFill, readUnfilled } from "../../src/store/words/unfilled.ts";
import { readWordQuery } from "../../src/store/words/word-query.ts";
import { insertRecord } from "../api/open.ts";
import { ownDirectory } from "../store/open.ts";

const TIME = Date.UTC(2026, 0, 1);
const json = (value: unknown) => ({ form: "json", content: JSON.stringify(value) });

/** Records of an earlier version, one a second. */
async function older(count: number) {
  const directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  for (let seq = 1; seq <= count; seq++) {
    const request = json({ model: "m", messages: [{ role: "user", content: `question number${seq} common` }] });
    const response = json({ choices: [{ message: { role: "assistant", content: `answer${seq}` } }] });
    const row = { seq, wire_schema: "chat-completions", request_created_at: TIME + seq * 1_000 };
    // Of every tenth nothing is known.
    await insertRecord(store, "o", row, seq % 10 === 0 ? {} : { request, response });
  }
  const reader = await openStore(directory.config, "current");
  const filler = (rewrites: { left: number }, search_index: "yes" | "no" = "yes") =>
    new TextFiller({
      config: { ...directory.config, search_index },
      log: createLog({ level: "error", format: "text" }),
      reader,
      writer: async () => store,
      ofProviders: async () => ({}),
      stepRecords: 7,
      rewrite: async (changes) => {
        if (rewrites.left-- <= 0) throw new Error("killed");
        return rewriteRecords(store, changes, { config: { search_index }, now: Date.now() });
      },
    });
  return {
    store,
    filler,
    left: async () => leftToFill(await readUnfilled(store.records)),
    search: (words: string) =>
      new WordSearch(
        reader.records,
        { organizationId: "o", tree: ALL },
        {
          query: readWordQuery(words),
          limit: 1_000,
          after: undefined,
          deadline: new Deadline(180_000),
          isIndexed: true,
          ofProviders: async () => ({}),
        },
      ).page(),
    texts: () =>
      store.records.query<{ seq: number; input: string | null; output: string | null }>({
        sql: "select seq, input, output from requests order by seq",
        args: [],
      }),
    async [Symbol.asyncDispose]() {
      await reader.close();
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

test("older records get input, output and words newest first, despite kills, and a search reports how far back it is complete", async () => {
  await using it = await older(60);
  const found: number[] = [];
  for (let turns = 0; turns < 100; turns++) {
    const filler = it.filler({ left: 2 });
    const isLeft = await filler.turn().catch(() => true);
    const { rows, searchedTo } = await it.search("common");
    found.push(rows.length);
    if (searchedTo === undefined) expect(rows.length).toBe(54);
    else {
      const whole = Array.from({ length: 60 }, (_, at) => at + 1).filter(
        (seq) => seq % 10 !== 0 && TIME + seq * 1_000 > searchedTo,
      );
      for (const seq of whole) expect(rows.map((row) => row.seq)).toContain(seq);
    }
    if (!isLeft) break;
  }
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found.at(-1)).toBe(54);
  expect(found.length).toBeGreaterThan(3);
  expect(await it.left()).toBe(0);
  for (const { seq, input, output } of await it.texts()) {
    const expected = seq % 10 === 0 ? [null, null] : [`question number${seq} common`, `answer${seq}`];
    expect([input, output]).toEqual(expected);
  }
  expect((await it.search("number33")).rows.map(({ seq }) => seq)).toEqual([33]);
});

test("with the index off records get input and output, and their words once it is on", async () => {
  await using it = await older(12);
  const all = { left: 100 };
  expect(await it.filler(all, "no").turn()).toBe(false);
  expect((await it.texts())[0]).toMatchObject({ input: "question number1 common" });
  expect(await it.store.bodies.query({ sql: "select 1 from word_shards", args: [] })).toEqual([]);
  expect(await it.filler(all).turn()).toBe(false);
  expect((await it.search("common")).rows.length).toBe(11);
  const used = all.left;
  expect(await it.filler(all).turn()).toBe(false);
  expect(all.left).toBe(used);
});
