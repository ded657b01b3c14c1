import { withPackedExcerpts } from "../../engine/libsql/write/pack-excerpts.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Prepared } from "../prepare/prepare.ts";

/** A row as far as it decides what is to be done with an exchange. */
export interface KnownRow {
  readonly request_id: string;
  readonly seq: number;
  readonly organization_id: string;
  readonly request_created_at: number;
  readonly response_status: number | null;
  readonly properties: string;
}

/** What of a batch has to be written, and how. */
interface CommitPlan {
  /** Not in the database yet. */
  readonly fresh: readonly { readonly record: Prepared; readonly seq: number }[];
  /** There as rows in flight, and over now. */
  readonly completed: readonly { readonly record: Prepared; readonly seq: number; readonly relabelled: boolean }[];
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
 * @param packsExcerpts - whether inputs and outputs of small records stand in the packs.
 */
export function planCommit(
  records: readonly Prepared[],
  known: ReadonlyMap<string, KnownRow>,
  { nextSeq, packsExcerpts }: { readonly nextSeq: () => number; readonly packsExcerpts: boolean },
): CommitPlan {
  const written = <Each extends Prepared>(record: Each) => (packsExcerpts ? withPackedExcerpts(record) : record);
  const fresh: { record: Prepared; seq: number }[] = [];
  const completed: { record: Prepared; seq: number; relabelled: boolean }[] = [];
  const recorded: Prepared[] = [];
  const collisions: string[] = [];
  const seen = new Set<string>();
  for (const record of records) {
    const { exchange } = record;
    const row = known.get(exchange.id);
    const final = exchange.end !== undefined;
    if ((row !== undefined && !isSame(exchange, row)) || seen.has(exchange.id)) collisions.push(exchange.id);
    else if (exchange.row === "stored" && final) {
      completed.push({
        record: written(relabelled(record)),
        seq: exchange.seq,
        relabelled: record.changedByPlugins,
      });
      recorded.push(record);
    } else if (row === undefined) {
      fresh.push({ record: written(record), seq: nextSeq() });
      if (final) recorded.push(record);
    } else if (row.response_status === null) {
      exchange.row = "stored";
      exchange.seq = row.seq;
      if (!final) continue;
      const kept = written({ ...record, row: { ...record.row, properties: row.properties } });
      completed.push({ record: kept, seq: row.seq, relabelled: false });
      recorded.push(record);
    } else if (exchange.row === "none") collisions.push(exchange.id);
    seen.add(exchange.id);
  }
  return { fresh, completed, recorded, collisions, written: [...fresh, ...completed].map(({ record }) => record) };
}

/** Whether a row is of this very exchange, read before, and not of another with the same id. */
function isSame({ begin }: Exchange, row: KnownRow): boolean {
  return row.organization_id === begin.organization && row.request_created_at === Math.trunc(begin.time);
}

/** The record with what the API changed in its properties while it was in flight. */
function relabelled(record: Prepared): Prepared {
  const { amended } = record.exchange;
  if (amended === undefined) return record;
  const properties: Record<string, string> = Object.assign(Object.create(null), record.labels.properties);
  for (const [name, value] of Object.entries(amended)) {
    if (value === null) delete properties[name];
    else properties[name] = value;
  }
  return {
    ...record,
    row: { ...record.row, properties: JSON.stringify(properties) },
    labels: { ...record.labels, properties },
  };
}
