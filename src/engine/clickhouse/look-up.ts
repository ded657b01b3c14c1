import type { Deadline } from "../../store/database/deadline.ts";
import type { RecordKey } from "../record-source.ts";
import { LARGE } from "./client.ts";
import { nearIds } from "./id-times.ts";
import { literal } from "./literal.ts";
import type { Place, ReaderOptions } from "./records.ts";
import { finishedRows, openRows } from "./write/find-rows.ts";

/**
 * Where the records of these ids are; ids without a record are missing.
 *
 * The table is ordered by time. Most ids contain their time, and the table `ids` has the times of the others.
 */
export async function placesOf(
  { client, hasOpenRows }: ReaderOptions,
  organizationId: string,
  keys: readonly RecordKey[],
  deadline?: Deadline,
): Promise<Place[]> {
  const known = keys.flatMap(({ requestId, createdAt }) => (createdAt === undefined ? [] : [{ requestId, createdAt }]));
  if (known.length === keys.length) return known;
  const ids = [...new Set(keys.flatMap(({ requestId, createdAt }) => (createdAt === undefined ? requestId : [])))];
  const organization = `organization_id = ${literal(organizationId)} and request_id in (${ids.map(literal).join(", ")})`;
  const near = nearIds(ids) ?? "0";
  const noted = `request_created_at in (select request_created_at from ids where ${organization})`;
  const columns = "request_id as requestId, request_created_at as createdAt";
  const statements = [
    `select ${columns} from requests where ${organization} and (${near} or ${noted})`,
    ...(hasOpenRows ? [`select ${columns} from open final where ${organization}`] : []),
  ];
  const found = await client.query<Place>(statements.join(" union distinct "), {
    settings: LARGE,
    ...deadline?.rest(),
  });
  return [...known, ...found];
}

/** The organization that owns a record; undefined when there is no such record. */
export async function organizationOf(
  { client, hasOpenRows }: ReaderOptions,
  requestId: string,
): Promise<string | undefined> {
  const [row] = await finishedRows(client, [requestId]);
  const [found] = row !== undefined || !hasOpenRows ? [row] : await openRows(client, [requestId]);
  return found?.organization_id;
}
