import type { Deadline } from "../../store/database/deadline.ts";
import type { RecordKey } from "../record-source.ts";
import { LARGE } from "./client.ts";
import { nearIds } from "./id-times.ts";
import { literal } from "./literal.ts";
import { type Place, placesSql, type ReaderOptions } from "./records.ts";
import { areReadWhole, rowOfWhole } from "./rows.ts";
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
  const places = keys.flatMap(({ requestId, createdAt }) =>
    createdAt === undefined ? [] : [{ requestId, createdAt }],
  );
  const ask = async (statements: readonly string[]) => {
    const options = { settings: LARGE, ...deadline?.rest() };
    places.push(...(await client.query<Place>(statements.join(" union distinct "), options)));
  };
  const missing = () => {
    const there = new Set(places.map(({ requestId }) => requestId));
    return [...new Set(keys.flatMap(({ requestId }) => (there.has(requestId) ? [] : requestId)))];
  };
  const columns = "request_id as requestId, request_created_at as createdAt";
  const isOf = (ids: readonly string[]) =>
    `organization_id = ${literal(organizationId)} and request_id in (${ids.map(literal).join(", ")})`;
  const ids = missing();
  const near = nearIds(ids);
  if (near !== undefined) await ask([`select ${columns} from requests where ${isOf(ids)} and ${near}`]);
  const others = missing();
  if (others.length === 0) return places;
  const noted = `request_created_at in (select request_created_at from ids where ${isOf(others)})`;
  // Those in flight may have ended since the first statement.
  await ask([
    `select ${columns} from requests where ${isOf(others)} and (${nearIds(others) ?? "0"} or ${noted})`,
    ...(hasOpenRows ? [`select ${columns} from open final where ${isOf(others)}`] : []),
  ]);
  return places;
}

interface Placed {
  readonly organizationId: string;
  readonly places: readonly Place[];
  readonly columns: readonly string[];
}

/** Columns of the records at these places, finished or in flight; each row has its `request_id`. */
export async function placedRows<Row extends { readonly request_id: string }>(
  { client, hasOpenRows }: ReaderOptions,
  placed: Placed,
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  const read = async (table: string, places: readonly Place[], columns = placed.columns) => {
    if (places.length === 0) return [];
    const where = `organization_id = ${literal(placed.organizationId)} and ${placesSql(places)}`;
    return client.query<Row>(`select ${columns.join(", ")} from ${table} where ${where}`, { settings: LARGE });
  };
  const keep = (some: readonly Row[]) => {
    for (const row of some) rows.set(row.request_id, row);
  };
  const missing = () => placed.places.filter(({ requestId }) => !rows.has(requestId));
  if (areReadWhole(placed.columns)) {
    const wholes = (await read("requests", placed.places, ["request_id", "whole"])) as unknown as readonly WholeRow[];
    keep(wholes.filter(({ whole }) => whole !== "").map(({ whole }) => rowOfWhole(whole) as Row));
    const changed = new Set(wholes.filter(({ whole }) => whole === "").map(({ request_id }) => request_id));
    keep(
      await read(
        "requests",
        missing().filter(({ requestId }) => changed.has(requestId)),
      ),
    );
  } else keep(await read("requests", placed.places));
  if (!hasOpenRows) return [...rows.values()];
  keep(await read("open final", missing()));
  // A record that ended after it was looked for among the finished ones is one of them now.
  keep(await read("requests", missing()));
  return [...rows.values()];
}

interface WholeRow {
  readonly request_id: string;
  readonly whole: string;
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
