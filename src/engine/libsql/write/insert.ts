import type { requests } from "../../../record/tables.ts";
import { REQUEST_COLUMNS } from "../../../record/written-row.ts";
import { quoted } from "../../../store/database/statements.ts";
import type { Statement, Value } from "../../../store/store.ts";
import { statementsBeside } from "../../control-statements.ts";
import type { Storable } from "../../storable.ts";
import { insertRequests, type NumberedRow } from "./insert-requests.ts";
import { insertKinds, type Kinds } from "./kinds.ts";
import { PACKED } from "./pack-excerpts.ts";
import { Properties } from "./properties.ts";
import type { TimePartitions } from "./time-partitions.ts";

/**
 * Not written again when a record in flight ends: columns that are final from the beginning, and columns that the API may
 * have changed meanwhile. This also leaves indexes on these columns untouched.
 */
const KEPT: ReadonlySet<string> = new Set<keyof typeof requests.$inferInsert>([
  ...(["seq", "request_id", "organization_id", "key_id", "gateway_user", "auth_hash", "request_created_at"] as const),
  ...(["method", "request_path", "request_referrer", "country_code", "model_override"] as const),
  ...(["session_id", "session_name", "session_path", "prompt_id", "prompt_version", "prompt_inputs"] as const),
  ...(["node_id", "job_id", "experiment_id", "storage_location"] as const),
  ...(["cache_enabled", "cached", "cache_reference_id", "cache_created_at"] as const),
  ...(["scores", "feedback_id", "feedback_rating", "feedback_created_at"] as const),
]);
const FINAL_COLUMNS = REQUEST_COLUMNS.filter((column) => !KEPT.has(column));
/** Properties stay as received unless a plugin changed them, and changes by the API on any node stay. */
const UNLABELLED_COLUMNS = FINAL_COLUMNS.filter((column) => column !== "properties");
const completing = (columns: readonly string[]) =>
  `update requests set ${columns.map((column) => `${quoted(column)} = ?`).join(", ")}
  where seq = ? and request_id = ? and response_status is null`;
const COMPLETE_REQUEST = completing(UNLABELLED_COLUMNS);
const COMPLETE_RELABELLED = completing(FINAL_COLUMNS);

/**
 * Notes new rows that a block covers already. That happens if nodes share a database: one reserves numbers, and another builds
 * a block with higher ones before these are used.
 */
const NOTE_LATE = `insert into block_changes (seq)
  select seq from requests where seq between ? and min(?, (select seq from block_watch))
  on conflict (seq) do update set taken = 0`;

/** The content of the transaction of records. */
export interface RowBatch {
  /** Rows that are not in the database yet, each with its `seq`, in ascending order. */
  readonly fresh: readonly { readonly record: Storable; readonly seq: number }[];
  /** Rows that are stored as in flight and end now. */
  readonly completed: readonly { readonly record: Storable; readonly seq: number; readonly relabelled: boolean }[];
  /** Statements that store the spool's positions. */
  readonly positions: readonly Statement[];
  /** Statements that enqueue these records for webhooks and judges. */
  readonly deliveries?: readonly Statement[];
  readonly kinds: Kinds;
  readonly partitions: TimePartitions;
  readonly now: number;
}

/** Columns whose values are stored with the bodies. */
const movedOf = ({ excerpts }: Storable) => (excerpts === undefined ? undefined : PACKED);

/** The second transaction: rows, what is counted with them, and how far the spool has been read. */
export function recordStatements(batch: RowBatch): Statement[] {
  const { fresh, completed, positions, deliveries = [], now } = batch;
  const kinds = new Map<number, readonly Value[]>();
  const statements: Statement[] = [];
  const rows: NumberedRow[] = [];
  const properties = new Properties();
  for (const { record, seq } of fresh) {
    const added = { ...movedOf(record), time_partition: batch.partitions.of(record.row.request_created_at) };
    rows.push({ key: seq, row: batch.kinds.share(record.row, kinds, added) });
    properties.add(record, seq);
  }
  for (const { record, seq, relabelled } of completed) {
    const row = { ...record.row, ...movedOf(record) };
    const args: Value[] = (relabelled ? FINAL_COLUMNS : UNLABELLED_COLUMNS).map((column) => row[column] ?? null);
    const sql = relabelled ? COMPLETE_RELABELLED : COMPLETE_REQUEST;
    statements.push({ sql, args: [...args, seq, row.request_id] });
    if (relabelled) {
      statements.push({ sql: "delete from properties where seq = ?", args: [seq] });
      properties.add(record, seq);
    }
  }
  insertKinds(kinds, statements);
  insertRequests(rows, statements);
  if (fresh.length > 0) statements.push({ sql: NOTE_LATE, args: [fresh[0]!.seq, fresh.at(-1)!.seq] });
  properties.insert(statements);
  const records = [...fresh, ...completed].map(({ record }) => record);
  statements.push(...statementsBeside(records, now), ...deliveries, ...positions);
  return statements;
}
