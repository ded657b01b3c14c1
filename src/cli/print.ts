import type { Invocation, Terminal } from "./commands.ts";

interface Listing<Row> {
  readonly headings: readonly string[];
  readonly cells: (row: Row) => readonly string[];
  /** Said on stderr where there are no rows; an empty table is shown where this is missing. */
  readonly none?: string;
}

/** A list on stdout: as JSON where that is asked for, else as a table. */
export function printList<Row>(
  { options, terminal }: Pick<Invocation, "options" | "terminal">,
  rows: readonly Row[],
  { headings, cells, none }: Listing<Row>,
): void {
  if (options["json"]) printJson(terminal, rows);
  else if (rows.length === 0 && none !== undefined) terminal.err(`${none}\n`);
  else terminal.out(table(headings, rows.map(cells)));
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Rows as columns of text under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows];
  const widths = headings.map((_heading, at) => Math.max(...all.map((row) => (row[at] ?? "").length)));
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ");
  return all.map((row) => `${line(row).trimEnd()}\n`).join("");
}
