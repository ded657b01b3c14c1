import { expect, test } from "bun:test";
import { parquetReadObjects } from "hyparquet";
import { tableColumns } from "../../src/export/columns.ts";
import { csvColumns } from "../../src/web/download/csv.ts";
import { kindOf } from "../../src/web/download/kinds.ts";
import { ParquetFile } from "../../src/web/download/parquet.ts";
import { TableFile } from "../../src/web/download/table-file.ts";

const NAMED = { properties: ["Team"], scores: ["helpful"] };

async function read(blob: Blob) {
  return parquetReadObjects({ file: await blob.arrayBuffer() });
}

test.each(tableColumns([], [], true).map(({ name, kind }) => [name, kind] as const))(
  "%s is %s, as in a file of the export, also where no record has it",
  (name, kind) => {
    expect(kindOf(name, [null])).toBe(kind);
  },
);

test.each([
  [[1, 2, null], "integer"],
  [[1, 2.5], "number"],
  [[1, "two"], "text"],
  [["2026-01-01T00:00:00.000Z", null], "time"],
  [["2026-01-01T00:00:00.000Z", "soon"], "text"],
  [[true, null], "boolean"],
  [[{ a: 1 }], "json"],
  [[null], "text"],
])("a column of %p is %s", (values, kind) => {
  expect(kindOf("anything", values)).toBe(kind as never);
});

test("a Parquet file has typed columns, also for what only later rows know", async () => {
  const file = new TableFile("parquet", NAMED);
  const first = { request_id: "r1", request_created_at: "2026-01-01T00:00:00.000Z", cost: null, cached: true };
  await file.add([{ ...first, response_status: 200, properties: { Team: "blue" }, scores: {} }]);
  await file.add([{ ...first, request_id: "r2", cost: 0.5, properties: {}, scores: { helpful: 1 } }]);
  expect(await read(await file.end())).toEqual([
    {
      ...{ request_id: "r1", request_created_at: new Date("2026-01-01T00:00:00Z"), cost: null, cached: true },
      ...{ response_status: 200n, properties: '{"Team":"blue"}', scores: "{}" },
      ...{ "property:Team": "blue", "score:helpful": null },
    },
    {
      ...{ request_id: "r2", request_created_at: new Date("2026-01-01T00:00:00Z"), cost: 0.5, cached: true },
      ...{ response_status: null, properties: "{}", scores: '{"helpful":1}' },
      ...{ "property:Team": null, "score:helpful": 1 },
    },
  ]);
});

test("rows go out in groups, so that a large file is not held in memory", async () => {
  const file = new ParquetFile(csvColumns({ request_id: "", n: 0 }, { properties: [], scores: [] }));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let part = 0; part < 25; part++) {
    parts.push(file.add(Array.from({ length: 1_000 }, (_, at) => ({ request_id: `r${at}`, n: part * 1_000 + at }))));
  }
  parts.push(file.end());
  expect(parts.filter(({ length }) => length > 0).length).toBe(3);
  const rows = await read(new Blob(parts));
  expect(rows.length).toBe(25_000);
  expect(rows.map(({ n }) => Number(n))).toEqual(Array.from({ length: 25_000 }, (_, n) => n));
});

test("a Parquet file without a row can be read", async () => {
  expect(await read(await new TableFile("parquet").end())).toEqual([]);
});
