import { isUuid } from "../../runtime/uuid.ts";
import type { Deadline } from "../../store/database/deadline.ts";
import type { RecordKey } from "../record-source.ts";
import { literal } from "./literal.ts";
import type { Place, ReaderOptions } from "./records.ts";
import { ID_TIME_SLACK_MS } from "./tables.ts";
import { finishedRows, openRows } from "./write/find-rows.ts";

/** Ranges of time that one statement looks in; ids of more are looked for in all of the time between. */
const RANGES_MAX = 100;

/**
 * Where the records of some ids are; ids of no record are missing.
 *
 * The table is in the order of time. Most ids tell theirs, and a table of ids knows that of the others.
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
  const within = rangesOf(ids).map(([from, to]) => `request_created_at between ${from} and ${to}`);
  const times = `request_created_at in (select request_created_at from ids where ${organization})`;
  const columns = "request_id as requestId, request_created_at as createdAt";
  const statements = [
    `select ${columns} from requests where ${organization} and (${[...within, times].join(" or ")})`,
    ...(hasOpenRows ? [`select ${columns} from open final where ${organization}`] : []),
  ];
  const settings = { max_query_size: 256 << 20, max_ast_elements: 10_000_000 };
  const found = await client.query<Place>(statements.join(" union distinct "), { settings, ...deadline?.rest() });
  return [...known, ...found];
}

/** The organization whose record this is; undefined where there is no such record. */
export async function organizationOf(
  { client, hasOpenRows }: ReaderOptions,
  requestId: string,
): Promise<string | undefined> {
  const [row] = await finishedRows(client, [requestId]);
  const [found] = row !== undefined || !hasOpenRows ? [row] : await openRows(client, [requestId]);
  return found?.organization_id;
}

/** Times within which a record of these ids was made, if its id tells its time, in order and apart. */
function rangesOf(ids: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const times = ids.flatMap((id) => timeOf(id) ?? []).sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const time of times) {
    const last = ranges.at(-1);
    const from = time - ID_TIME_SLACK_MS;
    if (last !== undefined && from <= last[1]) last[1] = time + ID_TIME_SLACK_MS;
    else ranges.push([from, time + ID_TIME_SLACK_MS]);
  }
  return ranges.length <= RANGES_MAX ? ranges : [[ranges[0]![0], ranges.at(-1)![1]]];
}

/** Milliseconds since 1970 that a UUID of version 7 begins with. */
function timeOf(id: string): number | undefined {
  return isUuid(id) && id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}
