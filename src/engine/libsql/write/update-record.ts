import type { Database, Statement } from "../../../store/store.ts";
import type { RecordUpdate, UpdateResult } from "../../../threads.ts";
import { ratingStatements, withdrawalStatements } from "./ratings.ts";

/** The score that feedback sets in addition to the `feedback_*` fields: 1 for good, 0 for bad. */
const FEEDBACK_SCORE = "gateway-score-feedback";

interface ChangedRow {
  readonly seq: number;
  readonly organization_id: string;
  readonly request_created_at: number;
  readonly properties: string;
  readonly scores: string;
  readonly feedback_id: number | null;
  readonly feedback_rating: number | null;
  readonly feedback_created_at: number | null;
}

const CHANGED = `select seq, organization_id, request_created_at, properties, scores, feedback_id, feedback_rating,
  feedback_created_at from requests where request_id = ? and organization_id = ?`;

/**
 * Applies a change to a record in the database, also to one in flight.
 *
 * @returns the state of the record after the commit; null when the organization has no such record.
 */
export async function updateRecord(records: Database, change: RecordUpdate, now: number): Promise<UpdateResult> {
  const [row] = await records.query<ChangedRow>({ sql: CHANGED, args: [change.requestId, change.organizationId] });
  if (row === undefined) return null;

  const rating = change.feedbackRating;
  const feedbackScore = rating === undefined ? {} : { [FEEDBACK_SCORE]: Number(rating) };
  const scores = { ...change.scores, ...feedbackScore };
  // Merged by the database, so that concurrent changes by another node are not lost.
  await records.batch([
    {
      sql: `update requests set properties = json_patch(properties, ?), scores = json_patch(scores, ?),
        feedback_id = iif(?3 is null, feedback_id, seq), feedback_rating = coalesce(?3, feedback_rating),
        feedback_created_at = iif(?3 is null, feedback_created_at, ?4), updated_at = max(?4, updated_at + 1) where seq = ?5`,
      args: [
        JSON.stringify(change.properties ?? {}),
        JSON.stringify(scores),
        rating === undefined ? null : Number(rating),
        now,
        row.seq,
      ],
    },
    ...Object.entries(change.properties ?? {}).flatMap(([name, value]) => propertyStatements(row, name, value)),
    ...ratingStatements(change, scores, now),
    ...withdrawalStatements(change),
  ]);
  const [after] = await records.query<ChangedRow>({ sql: CHANGED, args: [change.requestId, change.organizationId] });
  if (after === undefined) return null;
  return {
    requestId: change.requestId,
    properties: JSON.parse(after.properties),
    scores: JSON.parse(after.scores),
    feedback: readFeedback(after),
  };
}

/** A name set through the API keeps its case. */
function propertyStatements(row: ChangedRow, name: string, value: string | null): Statement[] {
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

function readFeedback({ feedback_id, feedback_rating, feedback_created_at }: ChangedRow) {
  if (feedback_id === null || feedback_created_at === null) return null;
  return { id: String(feedback_id), rating: feedback_rating === 1, createdAt: feedback_created_at };
}
