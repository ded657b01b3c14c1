/** Members of a record that a table leaves out: expiring links, and duplicates under other names. */
const LEFT_OUT = new Set(["asset_urls", "signed_body_url", "request_properties", "costUSD", "asset_ids", "llmSchema"]);

type Row = Readonly<Record<string, unknown>>;

/** A column of a table: a member of a record, or one property or score. */
export interface CsvColumn {
  readonly name: string;
  readonly valueOf: (row: Row) => unknown;
}

/** @param named - the properties and scores with a column of their own. */
export function csvColumns(
  first: Row | undefined,
  named: { readonly properties: readonly string[]; readonly scores: readonly string[] },
): readonly CsvColumn[] {
  const members = Object.keys(first ?? { request_id: "" }).filter((name) => !LEFT_OUT.has(name));
  const inside = (member: string, name: string): CsvColumn => ({
    name: `${member === "properties" ? "property" : "score"}:${name}`,
    valueOf: (row) => {
      const map = row[member];
      return typeof map === "object" && map !== null && Object.hasOwn(map, name) ? (map as Row)[name] : null;
    },
  });
  return [
    ...members.map((name): CsvColumn => ({ name, valueOf: (row) => row[name] })),
    ...named.properties.map((name) => inside("properties", name)),
    ...named.scores.map((name) => inside("scores", name)),
  ];
}

/** Text that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180: null is an empty cell, objects are JSON, and text is never a formula. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return safe === "" || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvHead = (columns: readonly CsvColumn[]): string =>
  `${columns.map(({ name }) => csvCell(name)).join(",")}\r\n`;

export const csvLines = (columns: readonly CsvColumn[], rows: readonly Row[]): string =>
  rows.map((row) => `${columns.map((column) => csvCell(column.valueOf(row))).join(",")}\r\n`).join("");
