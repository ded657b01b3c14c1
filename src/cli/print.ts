import { printable } from "../observe.ts";

/** Longer cells are cut, so that one name does not push all other columns away; the last column of a row is not. */
const CELL_CHARS_MAX = 80;

/** Rows as columns of text under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const last = headings.length - 1;
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows].map((row) =>
    row.map((cell, at) =>
      cut(printable(cell).replaceAll("\n", " "), at === last ? Number.POSITIVE_INFINITY : CELL_CHARS_MAX),
    ),
  );
  const widths = headings.map((_heading, at) => Math.max(...all.map((row) => (row[at] ?? "").length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, at) => (at === last ? cell : cell.padEnd(widths[at]!)))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

const cut = (text: string, charsMax: number) => (text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`);
