import { expect } from "bun:test";
import { parse } from "csv-parse/sync";
import { parquetReadObjects } from "hyparquet";

type Records = readonly Readonly<Record<string, unknown>>[];

/**
 * Reads an export with other libraries than the ones that wrote it, and compares it with the API's own records.
 *
 * @param properties - the names that have a column, in their order.
 */
export async function expectRecords(
  format: string,
  bytes: Buffer,
  records: Records,
  properties: readonly string[],
): Promise<void> {
  if (format === "jsonl") {
    const lines = bytes.toString().split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line))).toEqual([...records]);
  } else if (format === "json") {
    expect(JSON.parse(bytes.toString())).toEqual(records);
  } else if (format === "csv") {
    expectCsv(bytes, records, properties);
  } else {
    await expectParquet(bytes, records, properties);
  }
}

function expectCsv(bytes: Buffer, records: Records, properties: readonly string[]): void {
  const [head = [], ...rows] = parse(bytes, { record_delimiter: "\r\n", relax_column_count: false }) as string[][];
  expect(head.filter((name) => name.startsWith("property:"))).toEqual(properties.map((name) => `property:${name}`));
  expect(rows.length).toBe(records.length);
  for (const [index, record] of records.entries()) {
    const shown = Object.fromEntries(head.map((name, at) => [name, rows[index]?.[at]]));
    for (const [name, value] of Object.entries(record)) expect([name, shown[name]]).toEqual([name, cell(value)]);
    for (const name of properties) expect(shown[`property:${name}`]).toBe(cell(propertyOf(record, name)));
  }
}

async function expectParquet(bytes: Buffer, records: Records, properties: readonly string[]): Promise<void> {
  const rows = await readParquet(bytes);
  expect(rows.length).toBe(records.length);
  for (const [index, record] of records.entries()) {
    for (const [name, value] of Object.entries(record)) {
      expect([name, comparable(rows[index]?.[name])]).toEqual([name, comparable(value)]);
    }
    for (const name of properties) {
      expect(comparable(rows[index]?.[`property:${name}`])).toEqual(comparable(propertyOf(record, name)));
    }
  }
}

function propertyOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return (record["properties"] as Record<string, unknown>)[name];
}

/** What a cell of a spreadsheet shows for a value, by the rules of the documentation. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return typeof value === "object" ? JSON.stringify(value) : String(value);
  const text = value.toWellFormed(); // UTF-8 has no lone surrogates
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

export async function readParquet(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const file = new Uint8Array(bytes).buffer;
  return parquetReadObjects({ file });
}

/** A value of either side in one shape: nested values as JSON text, whole numbers as numbers, times as ISO 8601. */
function comparable(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "string") return value.toWellFormed();
  return typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null);
}
