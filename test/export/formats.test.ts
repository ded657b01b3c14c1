import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { tableColumns } from "../../src/export/columns.ts";
import { csv, jsonArray, jsonLines } from "../../src/export/encoder.ts";
import { parquet } from "../../src/export/parquet.ts";
import { readPage } from "../../src/export/read-page.ts";
import { countOf } from "../../src/export/record-lines.ts";
import { RowReader } from "../../src/export/row-reader.ts";
import { assertProperty } from "../chance.ts";
import { startApi } from "./api-server.ts";
import { cell, expectRecords, readParquet } from "./independent.ts";
import { HOSTILE, lasting, makeRecord } from "./records.ts";
import { run } from "./run-in-test.ts";

const RECORDS = Array.from({ length: 2 * HOSTILE.length * 6 }, (_, index) => makeRecord(index));
const ALL = ["--start-date", "2026-01-01", "--end-date", "2026-12-31", "--output", "-"];
const PROPERTIES = ["Note, odd", "Team"];

function pageOf(records: readonly object[], indent?: string | number): Buffer {
  return Buffer.from(JSON.stringify({ data: records, error: null, next_cursor: null }, null, indent));
}

async function exported(argv: readonly string[]): Promise<{ bytes: Buffer; records: Record<string, unknown>[] }> {
  await using api = await startApi({ records: RECORDS });
  const { status, stdout, stderr } = await run(api.url, [...ALL, ...argv]);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return { bytes: stdout, records: api.records.map((record) => lasting(record, argv.includes("--include-body"))) };
}

describe.each(["jsonl", "json", "csv", "parquet"])("%s", (format) => {
  test.each([[[]], [["--include-body"]]])("with %j, shows the API's records less what expires", async (more) => {
    const { bytes, records } = await exported(["--format", format, ...more]);
    await expectRecords(format, bytes, records, PROPERTIES);
  });
});

test("CSV has no columns for bodies unless they are requested", async () => {
  const head = async (more: string[]) => (parse((await exported(["--format", "csv", ...more])).bytes) as string[][])[0];
  expect(await head([])).not.toContain("request_body");
  expect(await head(["--include-body"])).toContain("request_body");
});

test("Parquet has columns of types", async () => {
  const [, row] = await readParquet((await exported(["--format", "parquet"])).bytes);
  expect(typeof row?.["prompt_tokens"]).toBe("bigint");
  expect(row?.["request_created_at"]).toBeInstanceOf(Date);
  expect(row?.["streamed"]).toBeBoolean();
});

test("Parquet in many row groups is whole", async () => {
  const columns = tableColumns(["request_id", "prompt_tokens", "request_created_at", "model"], [], false);
  const text = "x".repeat(100_000);
  const records = Array.from({ length: 700 }, (_, index) => ({
    request_id: `${index}`,
    prompt_tokens: index % 5 === 0 ? null : index,
    request_created_at: new Date(index * 1000).toISOString(),
    model: text,
  }));
  const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const encoder = parquet(columns);
  const bytes = Buffer.concat([encoder.head(), encoder.rows(lines, 0), encoder.tail(records.length)] as Uint8Array[]);
  const { row_groups: groups } = parquetMetadata(new Uint8Array(bytes).buffer);
  expect(groups.length).toBeGreaterThan(20);
  const column = (name: string) => groups.at(-1)?.columns[columns.findIndex((each) => each.name === name)]?.meta_data;
  expect(column("prompt_tokens")?.statistics).toMatchObject({ max_value: 699n, null_count: 2n });
  const read = await readParquet(bytes);
  const expected = records.map(({ request_id, prompt_tokens, request_created_at }) => [
    request_id,
    prompt_tokens === null ? undefined : BigInt(prompt_tokens),
    new Date(request_created_at),
  ]);
  expect(read.map((row) => [row["request_id"], row["prompt_tokens"] ?? undefined, row["request_created_at"]])).toEqual(
    expected,
  );
});

const anyValue = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
);
const anyName = fc.oneof(fc.constantFrom("a", "b", 'quo"te', "back\\", "sig", "__proto__"), fc.string());
const space = fc.constantFrom("", " ", "\n ");

test("the members of objects are found, whatever stands before, between and in them", () => {
  const object = fc.array(fc.tuple(anyName, anyValue, space), { maxLength: 6 });
  const print = (members: [string, string, string][]) =>
    `{${members.map(([name, value, gap]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${value}${gap}`).join(",")}}`;
  assertProperty(
    fc.property(fc.array(object, { maxLength: 5 }), (objects) => {
      const text = `[${objects.map(print).join(",")}]`;
      const reader = new RowReader();
      let at = 1;
      for (const members of objects) {
        const end = reader.read(text, at);
        expect(text.slice(at, end)).toBe(print(members));
        expect(reader.names).toEqual(members.map(([name]) => name));
        const values = members.map((_, index) => text.slice(reader.valueAt[index], reader.valueEnd[index]));
        expect(values).toEqual(members.map(([, value]) => value));
        at = end + 1;
      }
    }),
  );
});

test("an export without records is an empty file of its format", async () => {
  await using api = await startApi({ records: [] });
  const output = async (format: string) => (await run(api.url, [...ALL, "--format", format])).stdout;
  expect((await output("jsonl")).toString()).toBe("");
  expect(JSON.parse((await output("json")).toString())).toEqual([]);
  expect(parse(await output("csv"))).toHaveLength(1);
  expect(await readParquet(await output("parquet"))).toEqual([]);
});

test.each([
  ["as it came", undefined],
  ["through a proxy that spreads it over lines", 2],
])("a number that no double holds keeps its digits, %s", async (_name, indent) => {
  const numbers = `{"id":12345678901234567890,"small":1e-400,"point":1.0}`;
  await using api = await startApi({
    records: [{ ...makeRecord(1), request_body: "<numbers>" }],
    print: (envelope) => JSON.stringify(envelope, null, indent).replaceAll('"<numbers>"', numbers),
  });
  const { stdout } = await run(api.url, [...ALL, "--include-body"]);
  expect(stdout.toString()).toContain(`"request_body":${numbers}`);
  const table = await run(api.url, [...ALL, "--include-body", "--format", "csv"]);
  expect(table.stdout.toString()).toContain(numbers.replaceAll('"', '""'));
});

test("an API that spreads its JSON over lines gives the same file as one that does not", async () => {
  await using compact = await startApi({ records: RECORDS });
  await using spread = await startApi({ records: RECORDS, print: (envelope) => JSON.stringify(envelope, null, "\t") });
  for (const format of ["jsonl", "json", "csv"]) {
    const [a, b] = await Promise.all([compact, spread].map(({ url }) => run(url, [...ALL, "--format", format])));
    expect(a?.stdout.length).toBeGreaterThan(0);
    expect(b?.stdout.equals(a?.stdout ?? Buffer.alloc(0))).toBe(true);
  }
});

test("any JSON record is read from every text format as it was", () => {
  const anyRecord = fc.dictionary(fc.string({ unit: "binary", minLength: 1 }), fc.jsonValue());
  assertProperty(
    fc.property(fc.array(anyRecord, { maxLength: 5 }), fc.constantFrom(undefined, 1, "\t"), (records, indent) => {
      const kept = records.map(({ signed_body_url, asset_urls, ...rest }) => rest);
      const { lines, rows } = readPage(pageOf(records, indent), 10);

      expect(rows).toBe(records.length);
      const texts = String(jsonLines.rows(lines, 0)).split("\n").slice(0, -1);
      expect(texts.map((text) => JSON.stringify(JSON.parse(text)))).toEqual(
        kept.map((record) => JSON.stringify(record)),
      );
      const array = `${jsonArray.rows(lines, 0)}${jsonArray.tail(rows)}`;
      expect(JSON.stringify(JSON.parse(array))).toBe(JSON.stringify(kept));
    }),
    { numRuns: 300 },
  );
});

test("any text is read from CSV as it was, with an apostrophe where it could be a formula", () => {
  const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom(...HOSTILE));
  assertProperty(
    fc.property(fc.array(fc.record({ request_id: anyText, model: anyText }), { minLength: 1 }), (records) => {
      const columns = tableColumns([], [], false);
      const { lines } = readPage(pageOf(records), 1000);
      const encoder = csv(columns);
      const read = parse(`${encoder.head()}${encoder.rows(lines, 0)}`, { columns: true, record_delimiter: "\r\n" });
      expect(read).toMatchObject(
        records.map(({ request_id, model }) => ({ request_id: cell(request_id), model: cell(model) })),
      );
    }),
    { numRuns: 300 },
  );
});

test("Parquet is the same whatever pages the records came in, over many row groups", async () => {
  const columns = tableColumns([], [], false);
  const records = Array.from({ length: 25_000 }, (_, index) => ({ request_id: `id-${index}`, prompt_tokens: index }));
  const { lines } = readPage(pageOf(records), records.length);
  const write = (pageBytes: number) => {
    const encoder = parquet(columns);
    const parts = [encoder.head()];
    for (let at = 0, before = 0; at < lines.length; ) {
      const end = lines.indexOf("\n", Math.min(lines.length - 1, at + pageBytes)) + 1;
      const page = lines.subarray(at, end);
      parts.push(encoder.rows(page, before));
      before += countOf(page);
      at = end;
    }
    return Buffer.concat([...parts, encoder.tail(records.length)].map((part) => Buffer.from(part)));
  };
  const whole = write(lines.length);
  expect(write(7_777).equals(whole)).toBe(true);
  expect(await readParquet(whole)).toMatchObject(
    records.map(({ request_id, prompt_tokens }) => ({ request_id, prompt_tokens: BigInt(prompt_tokens) })),
  );
});
