import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { BlockBuilder, type BlockRow } from "../../../../src/engine/libsql/column-store/build.ts";
import { NUMBER_COLUMNS, TEXT_COLUMNS } from "../../../../src/engine/libsql/column-store/columns.ts";

const EMPTY = Object.fromEntries(
  [...Object.keys(TEXT_COLUMNS), ...Object.keys(NUMBER_COLUMNS)].map((name) => [name, null]),
);

test("a name of its own on each record does not take a column's memory each", () => {
  const builder = new BlockBuilder(1, 2_000);
  for (let seq = 1; seq <= 2_000; seq++) {
    const name = `user-${seq}`;
    const record = { ...EMPTY, seq, organization_id: "o", request_created_at: seq, properties: `{"${name}":"1"}` };
    builder.add([record as unknown as BlockRow], [{ seq, name }]);
  }
  Bun.gc(true);
  expect(heapStats().objectTypeCounts["Float64Array"] ?? 0).toBeLessThan(1_000);
  expect(builder.build()).toMatchObject({ rows: 2_000, namesComplete: false });
});
