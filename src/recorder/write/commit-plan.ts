import type { Completion, KnownRow } from "../../engine/record-sink.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Prepared } from "../prepare/prepared.ts";

/** What of a batch has to be written, and how. */
interface CommitPlan {
  /** Not stored yet. */
  readonly fresh: readonly Prepared[];
  /** There as rows in flight, and over now. */
  readonly completed: readonly Completion<Prepared>[];
  /** Those of both that have their final record with this commit. */
  readonly recorded: readonly Prepared[];
  /** Ids that belong to another exchange already: nothing is written for these. */
  readonly collisions: readonly string[];
  readonly written: readonly Prepared[];
}

/**
 * Decides about final records and rows of exchanges in flight, and notes at the exchanges which row is theirs.
 *
 * @param known - rows of those exchanges that may have one.
 * @param resent - ids of records that were stored meanwhile from a note of an earlier commit.
 */
export function planCommit(
  records: readonly Prepared[],
  known: ReadonlyMap<string, KnownRow>,
  resent: ReadonlySet<string> = new Set(),
): CommitPlan {
  const fresh: Prepared[] = [];
  const completed: Completion<Prepared>[] = [];
  const recorded: Prepared[] = [];
  const collisions: string[] = [];
  const seen = new Set<string>();
  for (const record of records) {
    const { exchange } = record;
    const row = known.get(exchange.id);
    const final = exchange.end !== undefined;
    if ((row !== undefined && !isSame(exchange, row)) || seen.has(exchange.id)) collisions.push(exchange.id);
    else if (exchange.row === "stored" && final) {
      completed.push({ record: relabelled(record), key: exchange.key!, relabelled: record.changedByPlugins });
      recorded.push(record);
    } else if (row === undefined) {
      fresh.push(record);
      if (final) recorded.push(record);
    } else if (!row.isFinal) {
      exchange.row = "stored";
      exchange.key = row.key;
      if (!final) continue;
      const kept = { ...record, row: { ...record.row, properties: row.properties } };
      completed.push({ record: kept, key: row.key, relabelled: false });
      recorded.push(record);
    } else if (resent.has(exchange.id) && final) recorded.push(record);
    else if (exchange.row === "none") collisions.push(exchange.id);
    seen.add(exchange.id);
  }
  const written = [...fresh, ...completed.map(({ record }) => record)];
  return { fresh, completed, recorded, collisions, written };
}

/** Whether a row is of this very exchange, read before, and not of another with the same id. */
function isSame({ begin }: Exchange, { organizationId, createdAt }: KnownRow): boolean {
  return organizationId === begin.organization && createdAt === Math.trunc(begin.time);
}

/** The record with what the API changed in its properties while it was in flight. */
function relabelled(record: Prepared): Prepared {
  const { updated } = record.exchange;
  if (updated === undefined) return record;
  const properties: Record<string, string> = Object.assign(Object.create(null), record.labels.properties);
  for (const [name, value] of Object.entries(updated)) {
    if (value === null) delete properties[name];
    else properties[name] = value;
  }
  // A name that was set afterwards has the case that it was given with.
  const erasedProperties = new Set([...record.labels.erasedProperties].filter((name) => !Object.hasOwn(updated, name)));
  return {
    ...record,
    row: { ...record.row, properties: JSON.stringify(properties) },
    labels: { ...record.labels, properties, erasedProperties },
  };
}
