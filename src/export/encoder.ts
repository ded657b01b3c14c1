import type { Column } from "./columns.ts";
import { countOf, LINE_END, type Lines, textsOf } from "./record-lines.ts";
import { RowReader } from "./row-reader.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const LETTER_N = 0x6e;
const OPEN_OBJECT = 0x7b;

/**
 * Turns records into the bytes of a file. The output depends only on the records and their order, never on the page
 * boundaries, so a resumed export is the same as an uninterrupted one.
 */
export interface Encoder {
  /** About how often a character is copied on its way into the file, to estimate garbage. */
  readonly copies: number;
  /** The text before the first record. */
  head(): string | Uint8Array;
  /** @param before - records written before these. */
  rows(lines: Lines, before: number): string | Uint8Array;
  /** @param total - records written. */
  tail(total: number): string | Uint8Array;
}

/** One record per line. */
export const jsonLines: Encoder = {
  copies: 1,
  head: () => "",
  rows: (lines) => lines,
  tail: () => "",
};

/** One array, with each record on its own line. */
export const jsonArray: Encoder = {
  copies: 2,
  head: () => "",
  rows: (lines, before) => {
    const bytes = Buffer.allocUnsafe(lines.length + countOf(lines)); // a comma or the bracket for each record
    let length = 0;
    let from = 0;
    for (let end = lines.indexOf(LINE_END); end !== -1; end = lines.indexOf(LINE_END, from)) {
      bytes[length++] = before + from === 0 ? OPEN_LIST : COMMA;
      bytes[length++] = LINE_END;
      length += lines.copy(bytes, length, from, end);
      from = end + 1;
    }
    return bytes;
  },
  tail: (total) => (total === 0 ? "[]\n" : "\n]\n"),
};

/** RFC 4180: CRLF, quotes only if needed, column names in the first line. */
export function csv(columns: readonly Column[]): Encoder {
  const cells = new Cells(columns);
  const line = (row: string) => {
    cells.read(row);
    return `${columns.map((column, index) => csvCell(column, cells.valueOf(index))).join(",")}\r\n`;
  };
  return {
    copies: 3,
    head: () => `${columns.map(({ name }) => textCell(name)).join(",")}\r\n`,
    rows: (lines) => Array.from(textsOf(lines), line).join(""),
    tail: () => "",
  };
}

/** The values of one record at a time, by column. */
export class Cells {
  readonly #columns: readonly Column[];
  readonly #reader = new RowReader();
  #names: readonly string[] | undefined;
  /** Per column the index of its member, -1 if the record has none. */
  #places: readonly number[] = [];
  #propertiesPlace = -1;
  #row = "{}";
  #properties: Readonly<Record<string, unknown>> | undefined;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** @param row - a record's JSON text. */
  read(row: string): void {
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

  /** The JSON text of a member's value, or a property's text itself; undefined for null. */
  valueOf(index: number): string | undefined {
    const property = this.#columns[index]?.property;
    if (property === undefined) return this.#textAt(this.#places[index] ?? -1);
    this.#properties ??= propertiesOf(this.#textAt(this.#propertiesPlace));
    const value = Object.hasOwn(this.#properties, property) ? (this.#properties[property] ?? undefined) : undefined;
    return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
  }

  #textAt(place: number): string | undefined {
    if (place === -1) return undefined;
    const at = this.#reader.valueAt[place]!;
    return this.#row.charCodeAt(at) === LETTER_N ? undefined : this.#row.slice(at, this.#reader.valueEnd[place]);
  }
}

/** A JSON value as cell text: undefined for null, text unchanged, everything else as JSON. */
export function shownText(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.charCodeAt(0) !== QUOTE) return value;
  return value.includes("\\") ? (JSON.parse(value) as string) : value.slice(1, -1);
}

/** The custom properties of a record; empty when it has none. */
function propertiesOf(text: string | undefined): Readonly<Record<string, unknown>> {
  return text === undefined || text === "{}" || !text.startsWith("{") ? NONE : JSON.parse(text);
}

const NONE = {};

function csvCell({ property }: Column, value: string | undefined): string {
  if (value === undefined) return "";
  return property === undefined ? valueCell(value) : textCell(value);
}

/** Numbers, booleans and JSON are never read as formulas, and a negative number stays a number. */
function valueCell(value: string): string {
  const first = value.charCodeAt(0);
  if (first === QUOTE) return textCell(shownText(value) ?? "");
  return first === OPEN_OBJECT || first === OPEN_LIST ? quotedIfNeeded(value) : value;
}

/**
 * A spreadsheet runs a cell that starts with one of these as a formula, and record contents are untrusted: an apostrophe in
 * front makes it text. Empty text is `""`, unlike the empty cell of null.
 */
function textCell(value: string): string {
  if (value === "") return '""';
  return quotedIfNeeded(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}

/** Control characters and outer spaces are quoted as well, because readers differ on whether they trim them. */
function quotedIfNeeded(text: string): string {
  return /[",\x00-\x1f]|^ | $/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
