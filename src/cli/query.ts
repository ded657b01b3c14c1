import { csv } from "../export/encoder.ts";
import { within } from "../filter/written/period.ts";
import { type FilterNode, readWritten } from "../filter/written/read-written.ts";
import { readWrittenSort } from "../filter/written/sort.ts";
import type { Json } from "../plugin-host/contract.ts";
import { postToApi, wholeResponse } from "./ask-api.ts";
import type { Invocation, Run } from "./command.ts";
import { printJson, printTable } from "./print.ts";
import { cellOf, DEFAULT_COLUMNS, memberOf, readColumns, type Shown } from "./query-columns.ts";
import { readAll } from "./read-options.ts";
import { UsageError } from "./usage-error.ts";

const FORMATS = ["table", "json", "jsonl", "csv"] as const;
type Format = (typeof FORMATS)[number];

const LIMIT_DEFAULT = 20;
/** For more, use an export. */
const LIMIT_MAX = 10_000;
/** Rows per request. */
const PAGE = 1_000;

/** Columns of free text, which shrink on a narrow terminal. */
const CUTS = ["input", "output", "user", "model", "target", "path", "error_message"];

/** Finds requests of a running service and prints them. */
export const queryCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  const includeBody = options["include-body"] === true;
  const { format, columns, filter, limit, sort } = readAll({
    format: () => formatOf(options),
    columns: () => columnsOf(options, includeBody),
    filter: () => filterOf(invocation),
    limit: () => limitOf(options),
    sort: () => sortOf(options),
  });
  if (options["count"]) {
    if (options["search"] !== undefined) throw new UsageError("--count counts what a filter finds: leave --search out");
    terminal.out(`${await postToApi(invocation, "/v1/request/count/query", { filter }, "read")}\n`);
    return 0;
  }
  const { records, more } = await find(invocation, { filter, sort, limit, includeBody });
  print(invocation, format, records, columns);
  if (more && format === "table")
    terminal.err(
      `there are more than these ${records.length}: --limit shows up to ${LIMIT_MAX}, weir export takes all\n`,
    );
  return 0;
};

function formatOf(options: Invocation["options"]): Format {
  const text = options["json"] ? "json" : (options["format"]?.toString() ?? "table");
  const format = FORMATS.find((each) => each === text);
  if (format === undefined) throw new UsageError(`--format takes ${FORMATS.join(", ")}, not ${text}`);
  return format;
}

function columnsOf(options: Invocation["options"], includeBody: boolean): readonly Shown[] | undefined {
  const named = options["columns"]?.toString();
  return named === undefined ? undefined : readColumns(named, includeBody);
}

function sortOf({ sort }: Invocation["options"]): object | undefined {
  return sort === undefined ? undefined : readWrittenSort(String(sort));
}

function limitOf(options: Invocation["options"]): number {
  const text = options["limit"]?.toString() ?? `${LIMIT_DEFAULT}`;
  if (!/^\d{1,5}$/.test(text) || Number(text) > LIMIT_MAX)
    throw new UsageError(`--limit takes a number up to ${LIMIT_MAX}, not ${text}; weir export takes all records`);
  return Number(text);
}

/** From text, or from the API's JSON. */
function filterOf({ args, options }: Invocation): FilterNode {
  const text = args.join(" ").trim();
  const isJson = text.startsWith("{") || text === "all";
  const filter = isJson ? readJsonFilter(text) : readWritten(text);
  const { last, since, until } = options;
  const period = { last: last?.toString(), since: since?.toString(), until: until?.toString() };
  return within(period, filter, { prefix: "--" });
}

function readJsonFilter(text: string): FilterNode {
  if (text === "all") return "all";
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the filter is not JSON: ${(error as Error).message}`);
  }
}

interface RecordQuery {
  readonly filter: FilterNode;
  readonly sort: object | undefined;
  readonly limit: number;
  readonly includeBody: boolean;
}

async function find(invocation: Invocation, { filter, sort, limit, includeBody }: RecordQuery) {
  const { options } = invocation;
  const query = {
    filter,
    includeBody,
    ...(sort !== undefined && { sort }),
    ...(options["search"] !== undefined && { search: options["search"] }),
  };
  const records: Json[] = [];
  let cursor: string | undefined;
  do {
    const body = { ...query, limit: Math.min(PAGE, limit - records.length), ...(cursor !== undefined && { cursor }) };
    const { data, next_cursor } = await wholeResponse(invocation, "/v1/request/query", body, "read");
    records.push(...data);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined && records.length < limit);
  return { records, more: cursor !== undefined };
}

function print(
  { terminal }: Invocation,
  format: Format,
  records: readonly Json[],
  named: readonly Shown[] | undefined,
) {
  const columns = named ?? readColumns(DEFAULT_COLUMNS, false);
  if (format === "csv") {
    const encoder = csv(columns.map(({ column }) => column));
    const lines = records.map((record) => `${JSON.stringify({ ...record, ...scoresOf(record, columns) })}\n`);
    terminal.out(`${encoder.head()}${encoder.rows(Buffer.from(lines.join("")), 0)}`);
  } else if (format === "table") {
    if (records.length === 0) terminal.err("no requests\n");
    else {
      const headings = columns.map(({ heading }) => heading);
      const rows = records.map((record) => columns.map((column) => cellOf(record, column)));
      printTable(
        terminal,
        headings,
        rows,
        headings.filter((heading) => CUTS.includes(heading)),
      );
    }
  } else {
    // Without --columns, records are printed completely.
    const shown = named === undefined ? records : records.map((record) => picked(record, named));
    if (format === "json") printJson(terminal, shown);
    else for (const record of shown) terminal.out(`${JSON.stringify(record)}\n`);
  }
}

function picked(record: Json, columns: readonly Shown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((shown) => [shown.column.name, memberOf(record, shown) ?? null]));
}

/** Scores as members, named like the CSV's columns. */
function scoresOf(record: Json, columns: readonly Shown[]): Record<string, unknown> {
  return picked(
    record,
    columns.filter(({ score }) => score !== undefined),
  );
}
