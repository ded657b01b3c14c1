import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import { recordBytes } from "../../../store/sizes/record-bytes.ts";
import type { Database } from "../../../store/store.ts";
import type { TotalsRow } from "../../aggregates.ts";
import { withoutBodies } from "../find/find.ts";

/** Records of all sessions of one page that are looked at; the sessions behind them are not summed up. */
const RECORDS_MAX = 10_000;

/**
 * Adds what the bodies of each session were on the wire and take in the store; null for sessions of too many records.
 * Of each session the records of the scope count, as in its other figures.
 */
export async function withSessionBytes(
  database: Database,
  asked: Scope,
  sessions: readonly TotalsRow[],
  deadline: Deadline,
): Promise<readonly TotalsRow[]> {
  const ids: string[] = [];
  let records = 0;
  for (const { session_id, requests } of sessions) {
    if (records + Number(requests) > RECORDS_MAX) continue;
    records += Number(requests);
    ids.push(String(session_id));
  }
  const { scope, source } = await withoutBodies(database, asked, deadline);
  const statement = selectRecords(scope, "r.session_id, r.request_id, r.size_bytes", () => "", {
    source: source.kind === "rows" ? source : { kind: "index", name: "requests_sessions" },
    where: ({ bind }) => `r.session_id in (select value from json_each(${bind(JSON.stringify(ids))}))`,
  });
  const found = ids.length === 0 ? [] : await database.query<Found>(statement, deadline.rest());
  const stored = await recordBytes(
    database,
    found.map(({ request_id }) => request_id),
  );
  const sums = new Map(ids.map((id) => [id, { size_bytes: 0, stored_bytes: 0 }]));
  for (const { session_id, request_id, size_bytes } of found) {
    const sum = sums.get(session_id);
    if (sum === undefined) continue;
    sum.size_bytes += size_bytes;
    sum.stored_bytes += stored.get(request_id) ?? 0;
  }
  return sessions.map((row) => ({
    ...row,
    ...(sums.get(String(row["session_id"])) ?? { size_bytes: null, stored_bytes: null }),
  }));
}

interface Found {
  readonly session_id: string;
  readonly request_id: string;
  readonly size_bytes: number;
}
