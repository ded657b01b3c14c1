import type { Scope } from "../../../filter/scope.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import { recordBytes } from "../../../store/sizes/record-bytes.ts";
import type { Key, TotalsRow } from "../../aggregates.ts";
import type { RecordKey } from "../../record-source.ts";
import { addSessionBytes, type SessionRecord } from "../../session-bytes.ts";
import { literal } from "../literal.ts";
import type { ReaderOptions } from "../records.ts";
import { rowsNamed, rowsOf } from "./record-rows.ts";

/** Ids of sessions with a request in the scope. */
export async function sessionsWith(
  options: ReaderOptions,
  scope: Scope,
  deadline: Deadline,
): Promise<ReadonlySet<Key>> {
  const records = await rowsOf(options, scope, deadline);
  const rows = await records.ask<{ id: string }>(
    records.select("distinct r.session_id as id", "r.session_id is not null"),
    deadline,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Ids of the sessions of these records. */
export async function sessionsOf(
  options: ReaderOptions,
  { organizationId }: Scope,
  keys: readonly RecordKey[],
  deadline: Deadline,
): Promise<ReadonlySet<Key>> {
  if (keys.length === 0) return new Set();
  const records = await rowsNamed(options, organizationId, keys, deadline);
  const rows = await records.ask<{ id: string }>(
    records.select("distinct r.session_id as id", "r.session_id is not null"),
    deadline,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Adds the bytes of each session's bodies, on the wire and stored, over the requests of the scope. */
export async function withSessionBytes(
  options: ReaderOptions,
  scope: Scope,
  sessions: readonly TotalsRow[],
  deadline: Deadline,
): Promise<readonly TotalsRow[]> {
  const records = await rowsOf(options, scope, deadline);
  return addSessionBytes(sessions, {
    find(ids) {
      const columns = "r.session_id as session_id, r.request_id as request_id, r.size_bytes as size_bytes";
      const isWanted = `r.session_id in (${ids.map(literal).join(", ")})`;
      return records.ask<SessionRecord>(records.select(columns, isWanted), deadline);
    },
    // libSQL stores where bodies are, whichever engine has the records.
    stored: (requestIds) => recordBytes(options.control, requestIds),
  });
}
