import { USAGE_COUNTS } from "../../mapping/usage.ts";
import type { Statement, Store, Value } from "../../store/store.ts";
import type { RecordChange } from "../../threads.ts";
import { replaceResponse } from "./insert-bodies.ts";
import { quoted } from "./statements.ts";

/** Columns that reading a record again may change, and no others. */
const CHANGEABLE: ReadonlySet<string> = new Set<string>([
  "response_model",
  "model",
  "response_id",
  "error_code",
  "error_message",
  ...USAGE_COUNTS,
  "usage_estimated",
  "usage_raw",
  "cost",
  "cost_source",
  "wire_schema",
]);

/**
 * Writes what was found when finished records were read again: first texts and bodies, then rows, as a record is
 * written. Records that were deleted meanwhile stay deleted. Call it where nobody else writes the same columns.
 */
export async function rewriteRecords(store: Store, changes: readonly RecordChange[], now: number): Promise<number> {
  const sql =
    "select request_id from requests where seq in (select value from json_each(?)) and response_status is not null";
  const rows = await store.records.query<{ request_id: string }>({
    sql,
    args: [JSON.stringify(changes.map(({ seq }) => seq))],
  });
  const there = new Set(rows.map(({ request_id }) => request_id));
  const kept = changes.filter(({ requestId }) => there.has(requestId));
  const bodies = kept.flatMap(bodyStatements);
  if (bodies.length > 0) await store.bodies.batch(bodies);
  const statements = kept.map((change) => rowStatement(change, now));
  if (statements.length > 0) await store.records.batch(statements);
  return kept.length;
}

function bodyStatements({ requestId, texts, responseBody }: RecordChange): Statement[] {
  const statements = responseBody === undefined ? [] : replaceResponse(requestId, Buffer.from(responseBody));
  if (texts === undefined) return statements;
  const args: Value[] = [requestId, texts.prompt, texts.completion];
  return [
    ...statements,
    {
      sql: `insert into texts (request_id, prompt, completion) values (?, ?, ?) on conflict (request_id)
        do update set prompt = excluded.prompt, completion = excluded.completion`,
      args,
    },
  ];
}

function rowStatement({ seq, requestId, columns }: RecordChange, now: number): Statement {
  const entries = Object.entries(columns).filter(([name]) => CHANGEABLE.has(name));
  return {
    sql: `update requests set ${entries.map(([name]) => `${quoted(name)} = ?, `).join("")}updated_at = max(?, updated_at + 1)
      where seq = ? and request_id = ?`,
    args: [...entries.map(([, value]) => value), now, seq, requestId],
  };
}
