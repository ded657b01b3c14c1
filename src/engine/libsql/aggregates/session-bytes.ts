import type { Scope } from "../../../filter/scope.ts";
import { selectRecords } from "../../../filter/select.ts";
import { EMPTY, sql } from "../../../filter/sql.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import { recordBytes } from "../../../store/sizes/record-bytes.ts";
import type { Database } from "../../../store/store.ts";
import type { TotalsRow } from "../../aggregates.ts";
import { addSessionBytes, type SessionRecord } from "../../session-bytes.ts";
import { withoutBodies } from "../find/find.ts";

/** For each session, counts only the records of the scope, as in its other aggregates. */
export async function withSessionBytes(
  database: Database,
  requested: Scope,
  sessions: readonly TotalsRow[],
  deadline: Deadline,
): Promise<readonly TotalsRow[]> {
  const { scope, source } = await withoutBodies(database, requested, deadline);
  return addSessionBytes(sessions, {
    find(ids) {
      const statement = selectRecords(scope, sql`r.session_id, r.request_id, r.size_bytes`, EMPTY, {
        source: source.kind === "rows" ? source : { kind: "index", name: "requests_sessions" },
        where: sql`r.session_id in (select value from json_each(${JSON.stringify(ids)}))`,
      });
      return database.query<SessionRecord>(statement, deadline.rest());
    },
    stored: (requestIds) => recordBytes(database, requestIds),
  });
}
