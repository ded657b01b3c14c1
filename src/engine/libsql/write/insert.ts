import type { requests } from "../../../record/tables.ts";
import { REQUEST_COLUMNS } from "../../../record/written-row.ts";
import { keepCalls } from "../../../store/answers/call-states.ts";
import type { BodyStore } from "../../../store/bodies/body-store.ts";
import { quoted } from "../../../store/database/statements.ts";
import type { RequestContent } from "../../../store/packs/request-content.ts";
import type { Statement, Value } from "../../../store/store.ts";
import type { Storable } from "../../storable.ts";
import { insertRequests, type NumberedRow } from "./insert-requests.ts";
import { insertKinds, type Kinds } from "./kinds.ts";
import { CountedModels } from "./models.ts";
import { Properties } from "./properties.ts";

/** Characters of prompt and completion that are kept for searching. */
const TEXT_LENGTH_MAX = 1_000_000;

/**
 * Not written again when a row in flight ends: what the beginning of an exchange says for good, and what the API may have
 * changed meanwhile. An index on columns that are not named need not be touched either.
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
/** Properties are as they came unless a plugin changed them, and what the API sets meanwhile, here or on another node, stays. */
const UNLABELLED_COLUMNS = FINAL_COLUMNS.filter((column) => column !== "properties");
const completing = (columns: readonly string[]) =>
  `update requests set ${columns.map((column) => `${quoted(column)} = ?`).join(", ")}
  where seq = ? and request_id = ? and response_status is null`;
const COMPLETE_REQUEST = completing(UNLABELLED_COLUMNS);
const COMPLETE_RELABELLED = completing(FINAL_COLUMNS);

/** What of a record is said in it, and belongs to its bodies. */
type Told = Pick<Storable, "parts" | "texts" | "assets" | "excerpts"> & {
  readonly row: Pick<Storable["row"], "request_id" | "organization_id">;
};

interface PutOptions {
  /** Statements of the same transaction. */
  readonly beside?: readonly Statement[];
  /** Requests of which nothing can be stored yet. */
  readonly newIds?: ReadonlySet<string>;
}

/** The transaction that comes first: everything that a record refers to, in `bodies.db`. */
export async function putContents(
  content: BodyStore,
  records: readonly Told[],
  { beside = [], newIds = new Set() }: PutOptions = {},
): Promise<void> {
  const contents: RequestContent[] = [];
  for (const { row, parts, texts, assets, excerpts } of records) {
    // A row in flight: nothing is decoded yet.
    if (parts.length === 0 && texts.prompt === null && texts.completion === null) continue;
    const { request_id: requestId, organization_id: organizationId } = row;
    const [prompt, completion] = [shortened(texts.prompt), shortened(texts.completion)];
    const isNew = newIds.has(requestId);
    const said = { prompt, completion };
    contents.push({ requestId, organizationId, parts, assets, texts: said, isNew, ...(excerpts && { excerpts }) });
  }
  await content.put(contents, beside);
}

function shortened(text: string | null): string | null {
  return text !== null && text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text;
}

/** What the transaction of records holds. */
interface RecordBatch {
  /** Rows that are not in the database yet, each with its `seq`. */
  readonly fresh: readonly { readonly record: Storable; readonly seq: number }[];
  /** Rows that are there as in flight, and end now. */
  readonly completed: readonly { readonly record: Storable; readonly seq: number; readonly relabelled: boolean }[];
  /** Say how far the spool is read. */
  readonly positions: readonly Statement[];
  /** What webhooks are told of these records. */
  readonly deliveries?: readonly Statement[];
  readonly kinds: Kinds;
  readonly now: number;
}

/** The transaction that comes second: rows, what is counted with them, and how far the spool has been read. */
export function recordStatements(batch: RecordBatch): Statement[] {
  const { fresh, completed, positions, deliveries = [], now } = batch;
  const kinds = new Map<number, readonly Value[]>();
  const statements: Statement[] = [];
  const rows: NumberedRow[] = [];
  const properties = new Properties();
  const models = new CountedModels();
  const keys = new Map<string, number>();
  for (const { record, seq } of fresh) {
    rows.push({ key: seq, row: batch.kinds.share(record.row, kinds) });
    properties.add(record, seq);
    count(record, models, keys);
  }
  for (const { record, seq, relabelled } of completed) {
    const { row } = record;
    const args: Value[] = (relabelled ? FINAL_COLUMNS : UNLABELLED_COLUMNS).map((column) => row[column] ?? null);
    const sql = relabelled ? COMPLETE_RELABELLED : COMPLETE_REQUEST;
    statements.push({ sql, args: [...args, seq, row.request_id] });
    if (relabelled) {
      statements.push({ sql: "delete from properties where seq = ?", args: [seq] });
      properties.add(record, seq);
    }
    count(record, models, keys);
  }
  insertKinds(kinds, statements);
  insertRequests(rows, statements);
  properties.insert(statements);
  statements.push(...models.statements());
  statements.push(
    ...keepCalls(
      [...fresh, ...completed].flatMap(({ record }) => record.callStates ?? []),
      now,
    ),
  );
  for (const [id, time] of keys) statements.push(keyUsed(id, time));
  statements.push(...deliveries);
  statements.push(...positions);
  return statements;
}

function count({ row }: Storable, models: CountedModels, keys: Map<string, number>): void {
  models.add(row);
  keys.set(row.key_id, Math.max(keys.get(row.key_id) ?? 0, row.request_created_at));
}

function keyUsed(id: string, time: number): Statement {
  return {
    sql: "update keys set last_used_at = ?1 where id = ?2 and coalesce(last_used_at, 0) < ?1",
    args: [time, id],
  };
}
