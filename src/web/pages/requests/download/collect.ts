import { call } from "../../../api.ts";
import { type Format, type Named, TableFile } from "../../../download/table-file.ts";
import type { RequestsQuestion } from "../query.ts";

type Row = Readonly<Record<string, unknown>>;

interface Wanted {
  readonly question: RequestsQuestion;
  readonly format: Format;
  readonly includeBody: boolean;
  readonly named: Named;
  readonly signal: AbortSignal;
  /** Called with the number of records so far, after each page. */
  readonly onProgress: (rows: number) => void;
}

/** Records per call: bodies may be megabytes each. */
const PAGE_ROWS = 1_000;
const PAGE_ROWS_WITH_BODIES = 50;

/** All records of a query as one file. */
export async function collect(wanted: Wanted): Promise<Blob> {
  const { question, format, includeBody, named, signal, onProgress } = wanted;
  const { path, filter, sort, search, isInParts } = question;
  const file = new TableFile(format, named);
  let cursor: string | null = null;
  const headers = { "gateway-export": crypto.randomUUID() };
  let rows = 0;
  do {
    const body: object = {
      ...{ filter, sort, search, includeBody, limit: includeBody ? PAGE_ROWS_WITH_BODIES : PAGE_ROWS },
      ...(isInParts && search === undefined ? { partial: true } : {}),
      ...(cursor === null ? {} : { cursor }),
    };
    const response = await call<readonly Row[]>("POST", path, { body, signal, headers });
    await file.add(response.data);
    rows += response.data.length;
    onProgress(rows);
    cursor = response.next_cursor ?? null;
  } while (cursor !== null);
  return file.end();
}
