import type { RequestRow as ReadRow } from "../../record/request-record.ts";
import { wordsOf } from "../../store/words/tokens.ts";
import { TEXT_LENGTH_MAX } from "../contents.ts";
import type { Storable } from "../storable.ts";
import { COLUMN_TYPES, REQUEST_TYPES, type Structured } from "./columns.ts";

/** Where in the object store the bodies of a record are. */
export interface BodyPlace {
  readonly object: string;
  readonly offset: number;
  readonly bytes: number;
}

interface RowOptions {
  /** Whether prompts and responses are kept as columns. */
  readonly keepsTexts: boolean;
  readonly place?: BodyPlace | undefined;
}

/** A row as `insert` takes it. A column that is missing gets its default, which is null wherever it may be. */
export type TableRow = Readonly<Record<string, unknown>>;

const NAMES = Object.keys(REQUEST_TYPES) as (keyof typeof REQUEST_TYPES)[];

/** The row of a record that is to be stored. */
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
    input: excerpts?.input ?? row.input ?? null,
    output: excerpts?.output ?? row.output ?? null,
    ...(keepsTexts && {
      prompt_text: shortened(texts.prompt),
      completion_text: shortened(texts.completion),
      said_words: spacedWords(texts.said),
    }),
    ...(place && { body_object: place.object, body_offset: place.offset, body_bytes: place.bytes }),
  });
}

/** Defaults of SQLite's table that are not the ones of their type. */
const STORED_DEFAULTS = {
  storage_location: "libsql",
  gateway_warnings: "[]",
  ai_gateway_body_mapping: "NO_MAPPING",
};

/** Columns that hold JSON text in SQLite. */
const STRUCTURED: ReadonlySet<string> = new Set<Structured>(["properties", "prompt_inputs", "scores", "assets"]);

/** A row that was read, as a row of SQLite: nothing above an engine tells them apart. */
export function toRequestRow<Column extends keyof ReadRow>(read: TableRow): Pick<ReadRow, Column> {
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(read)) row[name] = STRUCTURED.has(name) ? JSON.stringify(value) : value;
  return row as Pick<ReadRow, Column>;
}

/** Those of some columns of SQLite's table that are columns here; the others are null in every record. */
export const storedColumns = (columns: readonly string[]): string[] =>
  columns.filter((column) => Object.hasOwn(COLUMN_TYPES, column));

/** The words of a text in their order, with a space around each: a phrase is found by looking for it. */
function spacedWords(text: string | null): string | null {
  return text === null ? null : ` ${wordsOf(shortened(text)!).join(" ")} `;
}

function shortened(text: string | null): string | null {
  return text !== null && text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX).toWellFormed() : text;
}
