import type { Column } from "./columns.ts";
import { membersOf, type Row } from "./page.ts";

/**
 * Turns records into the bytes of a file. What it writes depends on the records and their order alone, never on how
 * they came in pages: that is what makes a resumed export the same as an unbroken one.
 */
export interface Encoder {
  /** What stands before the first record. */
  head(): string | Uint8Array;
  /** @param before - records written before these. */
  rows(rows: readonly Row[], before: number): string | Uint8Array;
  /** @param total - records written. */
  tail(total: number): string | Uint8Array;
}

/** One record a line. */
export const jsonLines: Encoder = {
  head: () => "",
  rows: (rows) => rows.map((row) => `${row}\n`).join(""),
  tail: () => "",
};

/** One array, with each record on a line of its own. */
export const jsonArray: Encoder = {
  head: () => "",
  rows: (rows, before) => rows.map((row, index) => `${before + index === 0 ? "[\n" : ",\n"}${row}`).join(""),
  tail: (total) => (total === 0 ? "[]\n" : "\n]\n"),
};

/** RFC 4180: CRLF, quotes where they are needed, the first line names the columns. */
export function csv(columns: readonly Column[]): Encoder {
  return {
    head: () => `${columns.map(({ name }) => textCell(name)).join(",")}\r\n`,
    rows: (rows) => rows.map((row) => csvLine(columns, row)).join(""),
    tail: () => "",
  };
}

/** The text of a JSON value as a cell shows it: undefined for null, text as it is, everything else as JSON. */
export function shownText(value: string | undefined): string | undefined {
  if (value === undefined || value === "null") return undefined;
  if (value.charCodeAt(0) !== 0x22) return value;
  return value.includes("\\") ? (JSON.parse(value) as string) : value.slice(1, -1);
}

/** The custom properties of a record, each as text; empty when it has none. */
export function propertiesOf(members: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const text = members.get("properties");
  if (text === undefined || text === "{}" || !text.startsWith("{")) return NONE;
  const values = Object.entries(JSON.parse(text) as Record<string, unknown>).filter(([, value]) => value !== null);
  return new Map(values.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]));
}

const NONE: ReadonlyMap<string, string> = new Map();

function csvLine(columns: readonly Column[], row: Row): string {
  const members = membersOf(row);
  let line = "";
  let properties: ReadonlyMap<string, string> | undefined;
  for (const column of columns) {
    if (line !== "" || column !== columns[0]) line += ",";
    if (column.property === undefined) {
      const value = members.get(column.name);
      line += isText(value) ? textCell(shownText(value) ?? "") : valueCell(shownText(value));
    } else {
      properties ??= propertiesOf(members);
      const value = properties.get(column.property);
      line += value === undefined ? "" : textCell(value);
    }
  }
  return `${line}\r\n`;
}

function isText(value: string | undefined): boolean {
  return value !== undefined && value.charCodeAt(0) === 0x22;
}

/** Numbers, booleans and JSON: nothing in there is read as a formula, and a negative number stays a number. */
function valueCell(value: string | undefined): string {
  return value === undefined ? "" : quotedIfNeeded(value);
}

/**
 * A spreadsheet runs a cell that starts with one of these as a formula, and what stands in a record comes from
 * strangers: an apostrophe in front makes it text. Empty text is `""`, which is not the empty cell of null.
 */
function textCell(value: string): string {
  if (value === "") return '""';
  return quotedIfNeeded(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}

/** Control characters and outer spaces are quoted as well, because readers differ on whether they trim them. */
function quotedIfNeeded(text: string): string {
  return /[",\x00-\x1f]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
