import { shownExcerpts } from "../../record/excerpt.ts";
import type { RequestRow as ReadRow } from "../../record/request-record.ts";
import { spacedWords } from "../../store/words/tokens.ts";
import { TEXT_LENGTH_MAX } from "../contents.ts";
import type { Storable } from "../storable.ts";
import { COLUMN_TYPES, REQUEST_TYPES, type Structured } from "./columns.ts";

/** Where the bodies of a record are in the object store. */
export interface BodyPlace {
  readonly object: string;
  readonly offset: number;
  readonly bytes: number;
}

interface RowOptions {
  /** Whether prompts and responses are stored as columns. */
  readonly keepsTexts: boolean;
  readonly place?: BodyPlace | undefined;
}

/** A row for `insert`. A missing column gets its default, which is null if the column is nullable. */
export type TableRow = Readonly<Record<string, unknown>>;

const NAMES = Object.keys(REQUEST_TYPES) as (keyof typeof REQUEST_TYPES)[];

/** Converts a record to a row. */
export function toTableRow({ row, labels, texts, excerpts }: Storable, { keepsTexts, place }: RowOptions): TableRow {
  const result: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = row[name];
    if (value !== undefined && value !== null) result[name] = value;
  }
  return Object.assign(result, {
    ...STORED_DEFAULTS,
    ...result,
    properties: labels.properties,
    prompt_inputs: labels.promptInputs,
    scores: JSON.parse(row.scores ?? "{}"),
    assets: JSON.parse(row.assets ?? "[]"),
    case_erased: [...labels.erasedProperties],
    inputs_case_erased: [...labels.erasedInputs],
    ...(excerpts === undefined ? { input: row.input ?? null, output: row.output ?? null } : shownExcerpts(excerpts)),
    ...(keepsTexts && {
      prompt_text: shortened(texts.prompt),
      completion_text: shortened(texts.completion),
      said_words: texts.said === null ? null : spacedWords(shortened(texts.said)!),
    }),
    ...(place && { body_object: place.object, body_offset: place.offset, body_bytes: place.bytes }),
  });
}

/** A row for `requests`, with `whole`. */
export function withWhole(row: TableRow): TableRow {
  const given = NAMES.filter((name) => row[name] !== undefined && row[name] !== null);
  return { ...row, whole: JSON.stringify(Object.fromEntries(given.map((name) => [name, row[name]]))) };
}

/** The columns of REQUEST_TYPES from the text of `whole`. */
export function rowOfWhole(whole: string): TableRow {
  return { ...DEFAULTS, ...(JSON.parse(whole) as TableRow) };
}

/** What a column contains if an insert leaves it out. */
const DEFAULTS: TableRow = Object.fromEntries(NAMES.map((name) => [name, defaultOf(REQUEST_TYPES[name])]));

function defaultOf(type: string): unknown {
  if (type.includes("Nullable(")) return null;
  if (type.startsWith("Map(")) return {};
  if (type.startsWith("Array(")) return [];
  return /^(LowCardinality\()?String/.test(type) ? "" : 0;
}

/** Defaults of SQLite's table that differ from the defaults of the types here. */
const STORED_DEFAULTS = {
  storage_location: "libsql",
  gateway_warnings: "[]",
  ai_gateway_body_mapping: "NO_MAPPING",
};

/** Columns with JSON text in SQLite. */
const STRUCTURED: ReadonlySet<string> = new Set<Structured>(["properties", "prompt_inputs", "scores", "assets"]);

/** Converts a row to one of SQLite: code above the engines does not distinguish them. */
export function toRequestRow<Column extends keyof ReadRow>(read: TableRow): Pick<ReadRow, Column> {
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(read)) row[name] = STRUCTURED.has(name) ? JSON.stringify(value) : value;
  return row as Pick<ReadRow, Column>;
}

/** From this many columns on, `whole` is read in their place. */
const COLUMNS_OF_WHOLE = 8;

/** Whether these columns are read from `whole`. */
export const areReadWhole = (columns: readonly string[]): boolean =>
  columns.length >= COLUMNS_OF_WHOLE && columns.every((column) => Object.hasOwn(REQUEST_TYPES, column));

/** Those of these SQLite columns that exist here; the others are null in every record. */
export const storedColumns = (columns: readonly string[]): string[] =>
  columns.filter((column) => Object.hasOwn(COLUMN_TYPES, column));

function shortened(text: string | null): string | null {
  return text !== null && text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX).toWellFormed() : text;
}
