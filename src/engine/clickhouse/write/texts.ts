import { NO_TEXTS, type RecordTexts } from "../../../record/record-texts.ts";
import type { RequestRow } from "../../../record/written-row.ts";
import { FURTHER_TYPES } from "../columns.ts";
import { type TableRow, toTableRow } from "../rows.ts";

/** Columns with text of a request. */
export const TEXT_COLUMNS: readonly string[] = Object.entries(FURTHER_TYPES)
  .filter(([, type]) => type.startsWith("Nullable(String)"))
  .map(([name]) => name);

/** Values of these columns for some texts. */
export function textColumns(texts: Partial<RecordTexts>): TableRow {
  const nothing = {
    properties: {},
    promptInputs: {},
    erasedProperties: new Set<string>(),
    erasedInputs: new Set<string>(),
  };
  const storable = { row: {} as RequestRow, labels: nothing, parts: [], assets: [], texts: { ...NO_TEXTS, ...texts } };
  const row = toTableRow(storable, { keepsTexts: true });
  return Object.fromEntries(TEXT_COLUMNS.map((name) => [name, row[name] ?? null]));
}
