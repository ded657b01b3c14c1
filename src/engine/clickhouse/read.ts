import { shownMembers } from "../../filter/sight.ts";
import { type RequestRow, STORED_MEMBERS, storedMembers } from "../../record/request-record.ts";
import { REQUEST_COLUMNS } from "../../record/written-row.ts";
import type { Database } from "../../store/store.ts";
import type { ListedRecord, OfSession, RecordKey, RecordsToShow } from "../record-source.ts";
import { literal } from "./literal.ts";
import { placedRows, placesOf } from "./look-up.ts";
import { type Place, type ReaderOptions, recordsOf } from "./records.ts";
import { storedColumns, type TableRow, toRequestRow } from "./rows.ts";

type Counted = RequestRow & { readonly comments: number };

/** Complete records in the order of `keys`; those that the organization does not have are left out. */
export function wholeRecords(
  options: ReaderOptions,
  organizationId: string,
  keys: readonly RecordKey[],
): Promise<RequestRow[]> {
  return readRows(options, { organizationId, keys, columns: REQUEST_COLUMNS });
}

/** Records for printing, in the order of `keys`. @param columns - required in addition to the stored members. */
export async function listedRecords<Column extends keyof RequestRow>(
  options: ReaderOptions,
  { organizationId, keys, sight }: RecordsToShow,
  columns: readonly Column[],
): Promise<ListedRecord<Column>[]> {
  const needed = [...new Set<string>([...Object.values(STORED_MEMBERS), ...columns])];
  const rows = await readRows(options, { organizationId, keys, columns: needed });
  return rows.map((row) => ({ stored: JSON.stringify(shownMembers(storedMembers(row), sight)), row }));
}

/** Some columns of records. */
export async function recordColumns<Column extends keyof RequestRow>(
  options: ReaderOptions,
  query: { readonly organizationId: string; readonly keys: readonly RecordKey[]; readonly columns: readonly Column[] },
): Promise<Pick<RequestRow, Column>[]> {
  return readRows(options, query);
}

/** The oldest records of a session. */
export async function sessionKeys(
  options: ReaderOptions,
  { organizationId, sessionId, limit, upTo = Number.MAX_SAFE_INTEGER }: OfSession,
): Promise<readonly RecordKey[]> {
  const records = await recordsOf(options, { organizationId, tree: { kind: "all" } });
  const sql = records.select({
    columns: "r.request_id as requestId, r.request_created_at as createdAt",
    where: `r.session_id = ${literal(sessionId)}`,
    tail: `order by r.request_created_at, r.request_id limit ${limit}`,
    times: { least: -Number.MAX_SAFE_INTEGER, most: upTo },
  });
  return options.client.query<Place>(sql, { settings: records.settings });
}

interface RowQuery {
  readonly organizationId: string;
  readonly keys: readonly RecordKey[];
  readonly columns: readonly string[];
}

async function readRows(options: ReaderOptions, { organizationId, keys, columns }: RowQuery): Promise<Counted[]> {
  if (keys.length === 0) return [];
  const places = await placesOf(options, organizationId, keys);
  const named = storedColumns([...new Set([...columns, "request_id"])]);
  const [read, comments] = await Promise.all([
    placedRows<TableRow & { readonly request_id: string }>(options, { organizationId, places, columns: named }),
    commentsOn(
      options.control,
      places.map(({ requestId }) => requestId),
    ),
  ]);
  const rows = new Map(read.map((row) => [row.request_id, { ...NOT_STORED, ...toRequestRow(row) } as RequestRow]));
  return keys.flatMap(({ requestId }) => {
    const row = rows.get(requestId);
    return row === undefined ? [] : { ...row, comments: comments.get(requestId) ?? 0 };
  });
}

/** Columns that only SQLite's rows have. */
export const NOT_STORED: Partial<RequestRow> = { kind: null, excerpts_packed: null };

async function commentsOn(control: Database, requestIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await control.query<{ request_id: string; n: number }>({
    sql: `select c.request_id, count(*) as n from json_each(?) asked
      join comments c on c.request_id = asked.value group by c.request_id`,
    args: [JSON.stringify(requestIds)],
  });
  return new Map(rows.map(({ request_id, n }) => [request_id, n]));
}
