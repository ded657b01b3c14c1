import type { Database } from "../../../store/store.ts";
import type { KnownRow } from "../../record-sink.ts";
import { keyOf } from "../find/found-row.ts";

const IDS_PER_QUERY = 200;

const KNOWN_ROWS = `select request_id, seq, organization_id, request_created_at, response_status, properties
  from requests where request_id in (${Array(IDS_PER_QUERY).fill("?").join(",")})`;

interface Row {
  readonly request_id: string;
  readonly seq: number;
  readonly organization_id: string;
  readonly request_created_at: number;
  readonly response_status: number | null;
  readonly properties: string;
}

/** Those of these ids that have a row. */
export async function knownRows(records: Database, ids: readonly string[]): Promise<Map<string, KnownRow>> {
  const known = new Map<string, KnownRow>();
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    // Always the same number of parameters, so that the statement is prepared once; null matches no id.
    const args = Array.from({ length: IDS_PER_QUERY }, (_, i) => ids[at + i] ?? null);
    for (const row of await records.query<Row>({ sql: KNOWN_ROWS, args })) known.set(row.request_id, asKnown(row));
  }
  return known;
}

function asKnown({ properties, ...row }: Row): KnownRow {
  return {
    key: keyOf({ ...row, created: row.request_created_at }),
    organizationId: row.organization_id,
    createdAt: row.request_created_at,
    isFinal: row.response_status !== null,
    properties,
  };
}
