import type { Invocation, Terminal } from "./command.ts";
import { cutTo, widthOf } from "./width.ts";

const GAP = "  ";
/** Minimum width of a table column; if the terminal is too narrow, the last columns are left out. */
const LEAST = 8;
/** Characters that break a line, move the cursor or change the text direction: names also come from requests. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

interface Listing<Row> {
  readonly headings: readonly string[];
  readonly cells: (row: Row) => readonly string[];
  /** Headings of free-text columns, which may be cut; by default all except the first. */
  readonly cuts?: readonly string[];
  /** Printed on stderr if there are no rows; by default an empty table is printed. */
  readonly none?: string;
}

/** Prints a list as JSON if requested, else as a table. */
export function printList<Row>(
  { options, terminal }: Pick<Invocation, "options" | "terminal">,
  rows: readonly Row[],
  { headings, cells, cuts, none }: Listing<Row>,
): void {
  if (options["json"]) printJson(terminal, rows);
  else if (rows.length === 0 && none !== undefined) terminal.err(`${none}\n`);
  else printTable(terminal, headings, rows.map(cells), cuts);
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints rows as columns of text under their headings: fitted to a terminal's width, otherwise complete. */
export function printTable(
  terminal: Terminal,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  cuts: readonly string[] = headings.slice(1),
): void {
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows].map((row) =>
    row.map((cell) => cell.replace(UNPRINTABLE, " ")),
  );
  const wanted = widthsOf(all);
  const least = wanted.map((width, at) => (cuts.includes(headings[at]!) ? Math.min(width, LEAST) : width));
  const widths = fitted(wanted, least, terminal.columns ?? Number.POSITIVE_INFINITY);
  const line = (row: readonly string[]) =>
    widths
      .map((width, at) => {
        const cell = cutTo(width, row[at] ?? "");
        const room = at === widths.length - 1 ? "" : " ".repeat(width - widthOf(cell));
        return `${painted(terminal, cell)}${room}`;
      })
      .join(GAP)
      .trimEnd();
  terminal.out(all.map((row) => `${line(row)}\n`).join(""));
  const left = headings.slice(widths.length);
  if (left.length > 0) terminal.err(`columns left out: ${left.join(", ")}\n`);
}

/** Words for states, and their colours on a terminal. */
const TONES: Readonly<Record<string, "red" | "yellow" | "green">> = {
  ...{ ok: "green", usable: "green", approved: "green", mapped: "green", delivered: "green" },
  ...{ ready: "green", resting: "yellow", "limit spent": "yellow", locked: "red" },
  ...{ warn: "yellow", pending: "yellow", unapproved: "yellow", retrying: "yellow" },
  ...{ fail: "red", failed: "red", expired: "red", revoked: "red", denied: "red", firing: "red", triggered: "red" },
};
const CODES = { red: 31, yellow: 33, green: 32 } as const;

/** The text in its colour, if it is one of those words and the terminal shows colours. */
export function painted({ columns, env }: Terminal, text: string): string {
  const word = text.trim();
  const isPlain = columns === undefined || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  if (isPlain || !Object.hasOwn(TONES, word)) return text;
  return `\u001b[${CODES[TONES[word]!]}m${text}\u001b[39m`;
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  return widths;
}

/**
 * The widths of the shown columns; fewer than requested if the last columns are left out. Columns wider than their minimum
 * shrink, the widest first.
 */
function fitted(wanted: readonly number[], least: readonly number[], columns: number): number[] {
  if (total(least) > columns) {
    return wanted.length > 1 ? fitted(wanted.slice(0, -1), least.slice(0, -1), columns) : [columns];
  }
  const widths = [...wanted];
  const room = (at: number) => (widths[at]! > least[at]! ? widths[at]! : 0);
  for (let over = total(widths) - columns; over > 0; over--) {
    let widest = 0;
    for (let at = 1; at < widths.length; at++) if (room(at) > room(widest)) widest = at;
    widths[widest]! -= 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}
