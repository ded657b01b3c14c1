import { USAGE_COUNTS } from "../../mapping/usage.ts";
import type { Statement, Store, Value } from "../../store/store.ts";
import type { RecordChange } from "../../threads.ts";
import type { RequestRow } from "../prepare/row.ts";
import { bodyStatements } from "./insert.ts";
import { replaceResponse } from "./insert-bodies.ts";
import { CountedModels } from "./models.ts";
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
  "request_model",
  "user_id",
  "streamed",
  "assets",
  "unread",
]);

/**
 * Writes what was found when finished records were read again: first texts and bodies, then rows, as a record is
 * written. Records that were deleted meanwhile stay deleted. Call it where nobody else writes the same columns.
 */
export async function rewriteRecords(store: Store, changes: readonly RecordChange[], now: number): Promise<number> {
  const sql = `select request_id, organization_id, provider, request_created_at, response_status from requests
    where seq in (select value from json_each(?)) and response_status is not null`;
  const rows = await store.records.query<FoundRow>({ sql, args: [JSON.stringify(changes.map(({ seq }) => seq))] });
  const there = new Map(rows.map((row) => [row.request_id, row]));
  const kept = changes.filter(({ requestId }) => there.has(requestId));
  const bodies = kept.flatMap((change) => bodiesOf(change, there.get(change.requestId)!));
  if (bodies.length > 0) await store.bodies.batch(bodies);
  const statements = kept.map((change) => rowStatement(change, now));
  const models = new CountedModels();
  for (const { requestId, columns, stored } of kept) {
    // A record that was not read was not counted either.
    if (stored !== undefined) models.add({ ...there.get(requestId)!, ...columns } as RequestRow);
  }
  statements.push(...models.statements());
  if (statements.length > 0) await store.records.batch(statements);
  return kept.length;
}

type FoundRow = Pick<
  RequestRow,
  "request_id" | "organization_id" | "provider" | "request_created_at" | "response_status"
>;

function bodiesOf({ requestId, texts, responseBody, stored }: RecordChange, row: FoundRow): Statement[] {
  if (stored !== undefined) {
    const parts = stored.parts.map((part) => ({ ...part, bytes: Buffer.from(part.bytes) }));
    const assets = stored.assets.map((asset) => ({ ...asset, bytes: Buffer.from(asset.bytes) }));
    return [
      {
        sql: "delete from bodies where request_id = ? and part in ('request', 'response', 'raw', 'headers')",
        args: [requestId],
      },
      ...bodyStatements([{ row, parts, texts: texts ?? { prompt: null, completion: null }, assets }]),
    ];
  }
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
