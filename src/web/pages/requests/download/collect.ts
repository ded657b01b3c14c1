import { call } from "../../../api.ts";
import type { RequestsQuestion } from "../query.ts";
import { type CsvColumn, csvColumns, csvHead, csvLines } from "./csv.ts";

export const FORMATS = { csv: "CSV", jsonl: "JSONL" } as const;
export type Format = keyof typeof FORMATS;

type Row = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly question: RequestsQuestion;
  readonly format: Format;
  readonly includeBody: boolean;
  /** Properties and scores that have a column of their own in a table. */
  readonly named: { readonly properties: readonly string[]; readonly scores: readonly string[] };
  readonly signal: AbortSignal;
  /** Called with the number of records so far, after each page. */
  readonly onProgress: (rows: number) => void;
}

/** Records of one call: bodies may be megabytes each. */
const PAGE_ROWS = 1_000;
const PAGE_ROWS_WITH_BODIES = 50;

const TYPES: Readonly<Record<Format, string>> = { csv: "text/csv;charset=utf-8", jsonl: "application/x-ndjson" };

/** All records of a question as one file. The browser keeps the parts, on disk where they are many. */
export async function collect(wanted: Wanted): Promise<Blob> {
  const { question, format, includeBody, named, signal, onProgress } = wanted;
  const { path, filter, sort, search, isInParts } = question;
  const parts: Blob[] = [];
  let columns: readonly CsvColumn[] | undefined;
  let cursor: string | null = null;
  let rows = 0;
  do {
    const body: object = {
      ...{ filter, sort, search, includeBody, limit: includeBody ? PAGE_ROWS_WITH_BODIES : PAGE_ROWS },
      ...(isInParts && search === undefined ? { partial: true } : {}),
      ...(cursor === null ? {} : { cursor }),
    };
    const answer = await call<readonly Row[]>("POST", path, { body, signal });
    if (format === "jsonl") parts.push(new Blob(answer.data.map((row) => `${JSON.stringify(row)}\n`)));
    else {
      if (columns === undefined && (answer.data.length > 0 || !answer.next_cursor)) {
        columns = csvColumns(answer.data[0], named);
        parts.push(new Blob([csvHead(columns)]));
      }
      if (columns !== undefined) parts.push(new Blob([csvLines(columns, answer.data)]));
    }
    rows += answer.data.length;
    onProgress(rows);
    cursor = answer.next_cursor ?? null;
  } while (cursor !== null);
  return new Blob(parts, { type: TYPES[format] });
}

/** Has the browser save a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
