import type { Database, Statement } from "../store/store.ts";
import type { Amendment, AmendResult } from "../threads.ts";
import type { Exchange } from "./assemble.ts";

/** The score that feedback sets beside the `feedback_*` fields: 1 for good, 0 for bad. */
const FEEDBACK_SCORE = "gateway-score-feedback";

interface AmendedRow {
  readonly seq: number;
  readonly organization_id: string;
  readonly request_created_at: number;
  readonly properties: string;
  readonly scores: string;
  readonly feedback_id: number | null;
  readonly feedback_rating: number | null;
  readonly feedback_created_at: number | null;
}

/**
 * Applies a change to a record that is in the database, also as a row in flight. The caller is the only writer, so that
 * reading and writing are one step.
 *
 * @param exchange - the exchange where it is in flight: its end must not undo the change.
 * @returns what the record holds after the commit, or null where the organization has no such record.
 */
export async function amend(
  records: Database,
  change: Amendment,
  exchange: Exchange | undefined,
  now: number,
): Promise<AmendResult> {
  const [row] = await records.query<AmendedRow>({
    sql: `select seq, organization_id, request_created_at, properties, scores, feedback_id, feedback_rating,
      feedback_created_at from requests where request_id = ? and organization_id = ?`,
    args: [change.requestId, change.organizationId],
  });
  if (row === undefined) return null;

  const properties = merge<string>(row.properties, change.properties ?? {});
  const rating = change.feedbackRating;
  const feedbackScore = rating === undefined ? {} : { [FEEDBACK_SCORE]: Number(rating) };
  const scores = merge<number>(row.scores, { ...change.scores, ...feedbackScore });
  const feedback = rating === undefined ? readFeedback(row) : { id: String(row.seq), rating, createdAt: now };
  await records.batch([
    {
      sql: `update requests set properties = ?, scores = ?, feedback_id = ?, feedback_rating = ?,
        feedback_created_at = ?, updated_at = max(?, updated_at + 1) where seq = ?`,
      args: [
        JSON.stringify(properties),
        JSON.stringify(scores),
        feedback === null ? null : Number(feedback.id),
        feedback === null ? null : Number(feedback.rating),
        feedback?.createdAt ?? null,
        now,
        row.seq,
      ],
    },
    ...Object.entries(change.properties ?? {}).flatMap(([name, value]) => propertyStatements(row, name, value)),
  ]);
  if (exchange !== undefined && change.properties !== undefined) {
    exchange.amended = Object.assign(Object.create(null), exchange.amended, change.properties);
  }
  return { requestId: change.requestId, properties, scores, feedback };
}

/** A name set through the API has the case that it was given with. */
function propertyStatements(row: AmendedRow, name: string, value: string | null): Statement[] {
  const statements: Statement[] = [
    { sql: "delete from properties where seq = ? and kind = 0 and name = ?", args: [row.seq, name] },
  ];
  if (value !== null) {
    statements.push({
      sql: `insert into properties (organization_id, kind, name, value, request_created_at, seq, case_erased, cost)
        values (?, 0, ?, ?, ?, ?, 0, (select cost from requests where seq = ?))`,
      args: [row.organization_id, name, value, row.request_created_at, row.seq, row.seq],
    });
  }
  return statements;
}

function readFeedback({ feedback_id, feedback_rating, feedback_created_at }: AmendedRow) {
  if (feedback_id === null || feedback_created_at === null) return null;
  return { id: String(feedback_id), rating: feedback_rating === 1, createdAt: feedback_created_at };
}

/** The object in `text` with `changes` on top; null removes. Without a prototype, for names come from outside. */
function merge<T>(text: string, changes: Readonly<Record<string, T | null>>): Record<string, T> {
  const merged: Record<string, T> = Object.assign(Object.create(null), JSON.parse(text));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}
