import { hash } from "node:crypto";
import { putRatings, ratedBy, scoreOfRatings, takeBackRatings } from "../../../store/ratings.ts";
import type { Database } from "../../../store/store.ts";
import type { RecordUpdate, UpdateResult } from "../../../threads.ts";
import type { ClickHouse } from "../client.ts";
import { literal } from "../literal.ts";
import type { Layout } from "../tables.ts";
import { finishedRows, openRows, type RowKey } from "./find-rows.ts";
import { type RowUpdate, updateRows } from "./update.ts";

interface Places {
  readonly client: ClickHouse;
  readonly layout: Layout;
  /** The libSQL database, which stores ratings. */
  readonly database: Database;
}

/** The combined changes to one record. */
interface Change {
  readonly properties: Map<string, string | null>;
  readonly scores: Map<string, number | null>;
  feedbackRating: boolean | undefined;
}

/** The score that feedback sets in addition to the `feedback_*` fields: 1 for good, 0 for bad. */
const FEEDBACK_SCORE = "gateway-score-feedback";

/** Columns that changes of a record may set. */
export interface ChangedRow extends RowKey {
  readonly properties: Readonly<Record<string, string>>;
  readonly scores: Readonly<Record<string, number>>;
  readonly feedback_id: number | null;
  readonly feedback_rating: number | null;
  readonly feedback_created_at: number | null;
}

export const CHANGED_COLUMNS = "properties, scores, feedback_id, feedback_rating, feedback_created_at";

/** Applies changes to finished records and to those in flight, with one statement per table. */
export async function updateRecords(
  places: Places,
  updates: readonly RecordUpdate[],
  now: number,
): Promise<readonly UpdateResult[]> {
  const { client } = places;
  const ids = [...new Set(updates.map(({ requestId }) => requestId))];
  const finished = await finishedRows(client, ids);
  const there = new Set(finished.map(({ request_id }) => request_id));
  const open = await openRows(
    client,
    ids.filter((id) => !there.has(id)),
  );
  const owners = new Map([...finished, ...open].map((row) => [row.request_id, row.organization_id]));
  const allowed = updates.filter(({ requestId, organizationId }) => owners.get(requestId) === organizationId);
  const changes = await changesOf(places.database, allowed, now);
  const rowUpdates = (rows: readonly RowKey[]) =>
    rows.flatMap((key) => updateOf(key, changes.get(key.request_id), now));
  await updateRows(client, { ...places, table: "requests" }, rowUpdates(finished));
  if (open.length > 0) {
    await updateRows(client, { ...places, table: "open" }, rowUpdates(open));
    // The node that relays the request may have ended it meanwhile, without seeing the change.
    const ended = await finishedRows(
      client,
      open.map(({ request_id }) => request_id),
    );
    await updateRows(client, { ...places, table: "requests" }, rowUpdates(ended));
  }
  const after = await shownRows(client, [...changes.keys()]);
  return updates.map(({ requestId, organizationId }) => {
    return owners.get(requestId) === organizationId ? resultOf(after.get(requestId)) : null;
  });
}

async function shownRows(client: ClickHouse, ids: readonly string[]): Promise<ReadonlyMap<string, ChangedRow>> {
  const open = await openRows<ChangedRow>(client, ids, CHANGED_COLUMNS);
  const finished = await finishedRows<ChangedRow>(client, ids, CHANGED_COLUMNS);
  return new Map([...open, ...finished].map((row) => [row.request_id, row]));
}

/** Stores ratings and returns all changes, including the scores that follow from the ratings. */
async function changesOf(
  database: Database,
  updates: readonly RecordUpdate[],
  now: number,
): Promise<ReadonlyMap<string, Change>> {
  const changes = new Map<string, Change>();
  for (const update of updates) {
    const { requestId, organizationId, feedbackRating: rating } = update;
    const change: Change = changes.get(requestId) ?? {
      properties: new Map(),
      scores: new Map(),
      feedbackRating: undefined,
    };
    changes.set(requestId, change);
    const scores = { ...update.scores, ...(rating !== undefined && { [FEEDBACK_SCORE]: Number(rating) }) };
    change.feedbackRating = rating ?? change.feedbackRating;
    for (const [name, value] of Object.entries(update.properties ?? {})) change.properties.set(name, value);
    for (const [name, value] of Object.entries(scores)) change.scores.set(name, value);
    const ratings = putRatings(update, scores, now);
    const withdrawn = await ratedBy(database, update);
    const statements = [...ratings.map(({ sql, args }) => ({ sql, args })), ...takeBackRatings(update)];
    if (statements.length > 0) await database.batch(statements);
    const counted = [...ratings.filter(({ isOfReviewer }) => isOfReviewer).map(({ name }) => name), ...withdrawn];
    for (const name of counted) {
      change.scores.set(name, await scoreOfRatings(database, { requestId, organizationId, name }));
    }
  }
  return changes;
}

function updateOf(key: RowKey, change: Change | undefined, now: number): RowUpdate[] {
  if (change === undefined) return [];
  const set: Record<string, string> = { updated_at: `greatest(${now}, updated_at + 1)` };
  if (change.properties.size > 0) {
    set["properties"] = merged("properties", change.properties);
    // A name set through the API keeps its case.
    set["case_erased"] = `arrayFilter(name -> name not in (${listed(change.properties.keys())}), case_erased)`;
  }
  if (change.scores.size > 0) set["scores"] = merged("scores", change.scores);
  if (change.feedbackRating !== undefined) {
    set["feedback_id"] = String(feedbackIdOf(key.request_id));
    set["feedback_rating"] = change.feedbackRating ? "1" : "0";
    set["feedback_created_at"] = String(now);
  }
  return [{ key, set }];
}

/** SQL of the map in a column with these names set, or removed if null. */
export function merged(column: string, names: ReadonlyMap<string, string | number | null>): string {
  const removed = [...names].filter(([, value]) => value === null).map(([name]) => name);
  const set = [...names].flatMap(([name, value]) =>
    value === null ? [] : [literal(name), typeof value === "number" ? `toFloat64('${value}')` : literal(value)],
  );
  const kept =
    removed.length === 0 ? column : `mapFilter((name, value) -> name not in (${listed(removed)}), ${column})`;
  return set.length === 0 ? kept : `mapUpdate(${kept}, map(${set.join(", ")}))`;
}

const listed = (names: Iterable<string>) => [...names].map((name) => literal(name)).join(", ");

/** Always the same number for a record. */
export function feedbackIdOf(requestId: string): number {
  return Number.parseInt(hash("sha256", requestId, "hex").slice(0, 13), 16);
}

function resultOf(row: ChangedRow | undefined): UpdateResult {
  if (row === undefined) return null;
  const { request_id: requestId, properties, scores, feedback_id: id, feedback_created_at: createdAt } = row;
  const feedback =
    id === null || createdAt === null ? null : { id: String(id), rating: row.feedback_rating === 1, createdAt };
  return { requestId, properties, scores, feedback };
}
