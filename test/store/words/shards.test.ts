import { expect, test } from "bun:test";
import fc from "fast-check";
import { openLocal } from "../../../src/store/database/local.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { insertWords, SHARD_RECORDS, shardOf, tableOf, type Words } from "../../../src/store/words/shards.ts";
import { assertProperty } from "../../chance.ts";
import { temporaryDirectory } from "../../directory.ts";

const WORDS = ["zebra", "heron", "an otter", null];
/** Records of two shards, in any order, some of them several times. */
const BATCH = fc.array(
  fc.record({
    seq: fc.integer({ min: SHARD_RECORDS - 2, max: SHARD_RECORDS + 2 }),
    organizationId: fc.constant("o"),
    text: fc.constantFrom(...WORDS),
  }),
  { maxLength: 4 },
);

test("records indexed in any order, and again, have their last words", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(BATCH, { maxLength: 6 }), async (batches: Words[][]) => {
      using directory = temporaryDirectory();
      const store = openLocal(`${directory.path}/weir.db`, "write");
      await migrate(store);
      const expected = new Map<number, string>();
      for (const batch of batches) {
        await store.bodies.batch(insertWords(batch));
        for (const { seq, text } of batch) if (text !== null) expected.set(seq, text);
      }
      for (const shard of new Set([...expected.keys()].map(shardOf))) {
        for (const word of ["zebra", "heron", "otter", "_6f"]) {
          const sql = `select rowid as seq from ${tableOf(shard)} where ${tableOf(shard)} match ? order by rowid`;
          const found = await store.bodies.query<{ seq: number }>({ sql, args: [word] });
          const own = [...expected].filter(([seq, text]) => shardOf(seq) === shard && `_6f ${text}`.includes(word));
          expect(found.map(({ seq }) => seq)).toEqual(own.map(([seq]) => seq).sort((a, b) => a - b));
        }
        // Fails if the table and what it notes of its records disagree.
        await store.bodies.batch([
          { sql: `insert into ${tableOf(shard)} (${tableOf(shard)}) values ('integrity-check')`, args: [] },
        ]);
      }
      await store.close();
    }),
    { numRuns: 40 },
  );
});
