import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import {
  type BlockRow,
  KIND_TEXTS,
  type KindTexts,
  ROW_TEXTS,
} from "../../../../src/engine/libsql/column-store/block-rows.ts";
import { BlockBuilder } from "../../../../src/engine/libsql/column-store/build.ts";
import { NUMBER_COLUMNS } from "../../../../src/engine/libsql/column-store/columns.ts";

const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
const EMPTY = nulls([...ROW_TEXTS, ...Object.keys(NUMBER_COLUMNS)]);
const TEXTS = nulls(KIND_TEXTS) as KindTexts;

const recordOf = (seq: number, more: Partial<BlockRow>) =>
  ({ ...EMPTY, seq, kind: null, organization_id: "o", request_created_at: seq, properties: "{}", ...more }) as BlockRow;

/** Of the whole process: other tests may have left some. */
function numberColumns(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Float64Array"] ?? 0;
}

test("a name of its own on each record does not take a column's memory each", () => {
  const before = numberColumns();
  const builder = new BlockBuilder(1, 2_000);
  for (let seq = 1; seq <= 2_000; seq++) {
    const name = `user-${seq}`;
    const records = [recordOf(seq, { properties: `{"${name}":"1"}` })];
    builder.add({ records, kinds: new Map(), own: new Map([[seq, TEXTS]]), erased: [{ seq, name }] });
  }
  expect(numberColumns() - before).toBeLessThan(1_000);
  expect(builder.build()).toMatchObject({ rows: 2_000, namesComplete: false });
});

test("a record is read individually if its texts, or those of its kind, are missing or long", () => {
  const builder = new BlockBuilder(1, 8);
  builder.add({
    records: [1, 2, 3, 4, 5, 6].map((seq) => recordOf(seq, { kind: seq > 3 ? seq : null })),
    kinds: new Map([
      [4, TEXTS],
      [6, { ...TEXTS, model: "m".repeat(1_001) }],
      // Ids of kinds are no numbers of records.
      [2, TEXTS],
    ]),
    own: new Map([
      [1, TEXTS],
      [3, { ...TEXTS, model: "m".repeat(1_001) }],
      [5, TEXTS],
    ]),
    erased: [],
  });
  expect(builder.build()).toMatchObject({ rows: 2, odd: [2, 3, 5, 6] });
});
