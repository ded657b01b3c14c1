import type { Invocation, Terminal } from "./command.ts";
import { cutTo, widthOf } from "./width.ts";

const GAP = "  ";
/** Columns of a terminal down to which those of a table are cut before the last of them are left out. */
const LEAST = 8;
/** What would break a line, move the cursor or turn the direction of what follows: names come from requests, too. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

interface Listing<Row> {
  readonly headings: readonly string[];
  readonly cells: (row: Row) => readonly string[];
  /** Said on stderr where there are no rows; an empty table is shown where this is missing. */
  readonly none?: string;
}

/** Prints a list as JSON where that is asked for, else as a table. */
export function printList<Row>(
  { options, terminal }: Pick<Invocation, "options" | "terminal">,
  rows: readonly Row[],
  { headings, cells, none }: Listing<Row>,
): void {
  if (options["json"]) printJson(terminal, rows);
  else if (rows.length === 0 && none !== undefined) terminal.err(`${none}\n`);
  else printTable(terminal, headings, rows.map(cells));
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints rows as columns of text under their headings: on a terminal within its width, elsewhere whole. */
export function printTable(
  terminal: Terminal,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows].map((row) =>
    row.map((cell) => cell.replace(UNPRINTABLE, " ")),
  );
  const widths = fitted(widthsOf(all), terminal.columns ?? Number.POSITIVE_INFINITY);
  const line = (row: readonly string[]) =>
    widths
      .map((width, at) => {
        const cell = cutTo(width, row[at] ?? "");
        return cell + " ".repeat(width - widthOf(cell));
      })
      .join(GAP)
      .trimEnd();
  terminal.out(all.map((row) => `${line(row)}\n`).join(""));
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  return widths;
}

/**
 * The widths within which columns are shown; fewer than were wanted where the last columns are left out. The first one, which
 * is what other commands take, is whole as long as that is possible; of the others the widest give way.
 */
function fitted(wanted: readonly number[], columns: number): number[] {
  const least = wanted.map((width, at) => (at === 0 ? width : Math.min(width, LEAST)));
  if (total(least) > columns) return wanted.length > 1 ? fitted(wanted.slice(0, -1), columns) : [columns];
  const widths = [...wanted];
  for (let over = total(widths) - columns; over > 0; over--) {
    let widest = 1;
    for (let at = 2; at < widths.length; at++) if (widths[at]! > widths[widest]!) widest = at;
    widths[widest]! -= 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}
