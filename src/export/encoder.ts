import type { Column } from "./columns.ts";
import type { Row } from "./page.ts";
import { RowReader } from "./row-reader.ts";

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
  const cells = new Cells(columns);
  const line = (row: Row) => {
    cells.read(row);
    return `${columns.map((column, index) => csvCell(column, cells.valueOf(index))).join(",")}\r\n`;
  };
  return {
    head: () => `${columns.map(({ name }) => textCell(name)).join(",")}\r\n`,
    rows: (rows) => rows.map(line).join(""),
    tail: () => "",
  };
}

/** The values of one record at a time, by column. */
export class Cells {
  readonly #columns: readonly Column[];
  readonly #reader = new RowReader();
  #names: readonly string[] | undefined;
  /** Per column the index of its member, -1 where the record has none. */
  #places: readonly number[] = [];
  #propertiesPlace = -1;
  #row: Row = "{}";
  #properties: ReadonlyMap<string, string> | undefined;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  read(row: Row): void {
    this.#row = row;
    this.#properties = undefined;
    this.#reader.read(row, 0);
    if (this.#names === this.#reader.names) return;
    const names = this.#reader.names;
    this.#names = names;
    const places = new Map(names.map((name, index) => [name, index]));
    this.#places = this.#columns.map(({ name }) => places.get(name) ?? -1);
    this.#propertiesPlace = places.get("properties") ?? -1;
  }

  /** The JSON text of a member's value, or a property's text itself. */
  valueOf(index: number): string | undefined {
    const property = this.#columns[index]?.property;
    if (property === undefined) return this.#textAt(this.#places[index] ?? -1);
    this.#properties ??= propertiesOf(this.#textAt(this.#propertiesPlace));
    return this.#properties.get(property);
  }

  #textAt(place: number): string | undefined {
    return place === -1 ? undefined : this.#row.slice(this.#reader.valueAt[place], this.#reader.valueEnd[place]);
  }
}

/** The text of a JSON value as a cell shows it: undefined for null, text as it is, everything else as JSON. */
export function shownText(value: string | undefined): string | undefined {
  if (value === undefined || value === "null") return undefined;
  if (value.charCodeAt(0) !== 0x22) return value;
  return value.includes("\\") ? (JSON.parse(value) as string) : value.slice(1, -1);
}

/** The custom properties of a record, each as text; empty when it has none. */
function propertiesOf(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined || text === "{}" || !text.startsWith("{")) return NONE;
  const values = Object.entries(JSON.parse(text) as Record<string, unknown>).filter(([, value]) => value !== null);
  return new Map(values.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]));
}

const NONE: ReadonlyMap<string, string> = new Map();

function csvCell(column: Column, value: string | undefined): string {
  if (value === undefined) return "";
  if (column.property !== undefined) return textCell(value);
  return value.charCodeAt(0) === 0x22 ? textCell(shownText(value) ?? "") : valueCell(shownText(value));
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
