import type { Completion, KnownRow } from "../../engine/record-sink.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Prepared } from "../prepare/prepared.ts";

/** What a batch has to write, and how. */
interface CommitPlan {
  /** Not stored yet. */
  readonly fresh: readonly Prepared[];
  /** Present as rows in flight, and now ended. */
  readonly completed: readonly Completion<Prepared>[];
  /** Those of both whose final record this commit writes. */
  readonly recorded: readonly Prepared[];
  /** Ids that already belong to another exchange: nothing is written for these. */
  readonly collisions: readonly string[];
  readonly written: readonly Prepared[];
}

/**
 * Plans the final records and the rows of exchanges in flight, and notes in each exchange which row it has.
 *
 * @param known - existing rows of the exchanges that may have one.
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

/** Whether a row belongs to this very exchange, read before, and not to another with the same id. */
function isSame({ begin }: Exchange, { organizationId, createdAt }: KnownRow): boolean {
  return organizationId === begin.organization && createdAt === Math.trunc(begin.time);
}

/** The record with the property changes that the API made while it was in flight. */
function relabelled(record: Prepared): Prepared {
  const { updated } = record.exchange;
  if (updated === undefined) return record;
  const properties: Record<string, string> = Object.assign(Object.create(null), record.labels.properties);
  for (const [name, value] of Object.entries(updated)) {
    if (value === null) delete properties[name];
    else properties[name] = value;
  }
  // A name that was set later has the case in which it was given.
  const erasedProperties = new Set([...record.labels.erasedProperties].filter((name) => !Object.hasOwn(updated, name)));
  return {
    ...record,
    row: { ...record.row, properties: JSON.stringify(properties) },
    labels: { ...record.labels, properties, erasedProperties },
  };
}
