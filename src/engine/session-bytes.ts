import type { TotalsRow } from "./aggregates.ts";

/** Maximum records read for all sessions of one page; later sessions get no sums. */
const RECORDS_MAX = 10_000;

/** A record of a session, and its bodies' bytes on the wire. */
export interface SessionRecord {
  readonly session_id: string;
  readonly request_id: string;
  readonly size_bytes: number;
}

interface Reading {
  /** Records of some sessions. */
  find(sessionIds: readonly string[]): Promise<readonly SessionRecord[]>;
  /** Stored bytes of these records' bodies. */
  stored(requestIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Adds the bytes of each session's bodies, on the wire and stored; null for sessions of too many records. */
export async function addSessionBytes(
  sessions: readonly TotalsRow[],
  { find, stored }: Reading,
): Promise<readonly TotalsRow[]> {
  const ids: string[] = [];
  let records = 0;
  for (const { session_id, requests } of sessions) {
    if (records + Number(requests) > RECORDS_MAX) continue;
    records += Number(requests);
    ids.push(String(session_id));
  }
  const found = ids.length === 0 ? [] : await find(ids);
  const bytes = await stored(found.map(({ request_id }) => request_id));
  const sums = new Map(ids.map((id) => [id, { size_bytes: 0, stored_bytes: 0 }]));
  for (const { session_id, request_id, size_bytes } of found) {
    const sum = sums.get(session_id);
    if (sum === undefined) continue;
    sum.size_bytes += size_bytes;
    sum.stored_bytes += bytes.get(request_id) ?? 0;
  }
  return sessions.map((row) => ({
    ...row,
    ...(sums.get(String(row["session_id"])) ?? { size_bytes: null, stored_bytes: null }),
  }));
}
