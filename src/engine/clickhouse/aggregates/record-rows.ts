import type { Scope } from "../../../filter/scope.ts";
import { ALL } from "../../../filter/tree.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { RecordKey } from "../../record-source.ts";
import { withoutBodies } from "../find.ts";
import { placesOf } from "../look-up.ts";
import { type Place, type ReaderOptions, type Records, recordsOf } from "../records.ts";

/** Rows `r` of some records, to be aggregated. */
interface RecordRows {
  /** SQL of a select over them, up to and including its condition. @param where - an additional condition. */
  select(columns: string, where?: string): string;
  /** Runs a statement built from such selects. */
  ask<Row>(sql: string, deadline: Deadline): Promise<Row[]>;
}

/** The records that a scope selects. */
export async function rowsOf(options: ReaderOptions, requested: Scope, deadline: Deadline): Promise<RecordRows> {
  const { scope, places } = await withoutBodies(options, requested, deadline);
  return rowsFrom(options, await recordsOf(options, scope), places);
}

/** Records of an organization by key. */
export async function rowsNamed(
  options: ReaderOptions,
  organizationId: string,
  keys: readonly RecordKey[],
  deadline: Deadline,
): Promise<RecordRows> {
  const places = await placesOf(options, organizationId, keys, deadline);
  return rowsFrom(options, await recordsOf(options, { organizationId, tree: ALL }), places);
}

function rowsFrom({ client }: ReaderOptions, records: Records, places?: readonly Place[]): RecordRows {
  return {
    select: (columns, where) => records.select({ columns, where, places }),
    ask: (sql, deadline) => client.query(sql, { settings: records.settings, ...deadline.rest() }),
  };
}
