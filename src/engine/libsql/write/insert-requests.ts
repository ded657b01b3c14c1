import { getTableColumns } from "drizzle-orm";
import { KIND_COLUMNS } from "../../../record/kinds.ts";
import { requests } from "../../../record/tables.ts";
import { REQUEST_COLUMNS, type RequestRow } from "../../../record/written-row.ts";
import { insertShared, SHARED_ROWS } from "../../../store/database/statements.ts";
import type { Statement, Value } from "../../../store/store.ts";
import { type KeyedRow, remembered, SparseInsert } from "./sparse-insert.ts";

/** Kinds of traffic distinguished in a batch; rows of further kinds bind every value. */
const KINDS_MAX = 8;
const CONFLICT = "on conflict (request_id) do nothing";

/** A row with what its insertion adds. */
export type StoredRow = RequestRow & Pick<typeof requests.$inferInsert, "time_partition">;
const STORED_COLUMNS: readonly (keyof StoredRow)[] = [...REQUEST_COLUMNS, "time_partition"];

/** The value of a column that an insert does not name. */
const DEFAULTS = Object.fromEntries(
  Object.entries(getTableColumns(requests)).map(([name, column]) => [name, column.default ?? null]),
) as Record<keyof StoredRow, Value>;

/** Columns that are equal in all requests of one client for one model, and so in most that are written together. */
const REPEATED = [
  ...(["key_id", "organization_id", "gateway_user", "auth_hash", "method", "target_url", "request_path"] as const),
  ...(["provider", "request_model", "response_model", "model", "outcome", "cost_source", "wire_schema"] as const),
  ...(["route", "credential", "routed_model", "ai_gateway_body_mapping", "storage_location"] as const),
  ...(["kind", "excerpts_packed", "response_status", "updated_at", "time_partition"] as const),
] as const satisfies readonly (keyof StoredRow)[];
/** Those of `REPEATED` that a row stores itself if its kind has the others. */
const BESIDE_KIND = REPEATED.filter((column) => !(KIND_COLUMNS as readonly string[]).includes(column));
const VARYING = STORED_COLUMNS.filter((column) => !(REPEATED as readonly string[]).includes(column));
/** Parts of the usage that are 0 for most clients. If all of them are equal in rows of one kind, they are bound once as well. */
const DETAILS: ReadonlySet<keyof StoredRow> = new Set<keyof StoredRow>([
  ...(["prompt_cache_read_tokens", "prompt_cache_write_tokens", "prompt_cache_write_1h_tokens"] as const),
  ...(["prompt_audio_tokens", "completion_audio_tokens", "reasoning_tokens"] as const),
]);

const sparse = new SparseInsert({
  table: "requests",
  key: "seq",
  columns: STORED_COLUMNS,
  defaults: DEFAULTS,
  conflict: CONFLICT,
});
const sharedSets = new Map<string, string>();

/** A row with its `seq` as key. */
export type NumberedRow = KeyedRow<keyof StoredRow>;

/**
 * Adds statements that insert these rows. Rows with equal values in the repeated columns are inserted together, and bind
 * those values once.
 */
export function insertRequests(rows: readonly NumberedRow[], into: Statement[]): void {
  const rest: NumberedRow[] = [];
  // A kind with fewer rows is not worth its own statement.
  const kinds = rows.length < SHARED_ROWS ? [rows] : byKind(rows, rest);
  for (const kind of kinds) {
    const whole = kind.length - (kind.length % SHARED_ROWS);
    if (whole > 0) insertAlike(kind.slice(0, whole), into);
    for (let at = whole; at < kind.length; at++) rest.push(kind[at]!);
  }
  sparse.insert(rest, into);
}

/** @param rest - receives the rows of kinds beyond the first few. */
function byKind(rows: readonly NumberedRow[], rest: NumberedRow[]): NumberedRow[][] {
  const kinds: NumberedRow[][] = [];
  for (const each of rows) {
    const kind = kinds.find(([first]) => isAlike(first!.row, each.row));
    if (kind !== undefined) kind.push(each);
    else if (kinds.length < KINDS_MAX) kinds.push([each]);
    else rest.push(each);
  }
  return kinds;
}

function isAlike(one: NumberedRow["row"], other: NumberedRow["row"]): boolean {
  const columns = typeof one.kind === "number" && one.kind === other.kind ? BESIDE_KIND : REPEATED;
  return columns.every((column) => one[column] === other[column]);
}

/** Inserts rows of one kind, in numbers that fill statements. */
function insertAlike(rows: readonly NumberedRow[], into: Statement[]): void {
  const named = sparse.namedIn(rows, VARYING);
  const { row } = rows[0]!;
  const details = named.filter((column) => DETAILS.has(column));
  const areEqual = details.every((column) => rows.every((each) => each.row[column] === row[column]));
  const repeated = areEqual ? [...REPEATED, ...details] : REPEATED;
  const own = areEqual ? named.filter((column) => !DETAILS.has(column)) : named;
  const shared = repeated.map((column): Value => row[column] ?? DEFAULTS[column]);
  const sql = remembered(sharedSets, `${named.join()} ${areEqual}`, () =>
    insertShared({ table: "requests", shared: repeated, own: ["seq", ...own], conflict: CONFLICT }),
  );
  for (let at = 0; at < rows.length; at += SHARED_ROWS) {
    const args = [...shared];
    for (let each = at; each < at + SHARED_ROWS; each++) sparse.pushValues(rows[each]!, own, args);
    into.push({ sql, args, hasTypedNumbers: true });
  }
}
