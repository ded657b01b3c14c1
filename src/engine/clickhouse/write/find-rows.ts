import type { ClickHouse } from "../client.ts";
import { nearIds } from "../id-times.ts";
import { literal } from "../literal.ts";

/** Identifies a row, and finds it without a search. */
export interface RowKey {
  readonly request_id: string;
  readonly organization_id: string;
  /** Milliseconds since 1970. */
  readonly request_created_at: number;
}

const KEY = "request_id, organization_id, request_created_at";
const IDS_PER_QUERY = 2_000;

/**
 * Rows of finished records by id, with some columns. Weir's own ids contain the creation time, accurate to a minute; the
 * table `ids` has the times of all others.
 */
export async function finishedRows<Row = object>(
  client: ClickHouse,
  ids: readonly string[],
  columns = "",
): Promise<(RowKey & Row)[]> {
  return inSteps(ids, (some) => someRows<Row>(client, some, columns));
}

async function inSteps<Row>(ids: readonly string[], ask: (some: readonly string[]) => Promise<Row[]>): Promise<Row[]> {
  const found: Row[] = [];
  const each = [...new Set(ids)];
  for (let at = 0; at < each.length; at += IDS_PER_QUERY)
    found.push(...(await ask(each.slice(at, at + IDS_PER_QUERY))));
  return found;
}

async function someRows<Row>(client: ClickHouse, ids: readonly string[], columns: string) {
  const select = (where: string) =>
    client.query<RowKey & Row>(`select ${KEY}${columns && `, ${columns}`} from requests where ${where}`);
  const times = nearIds(ids);
  const near = times === undefined ? [] : await select(`${times} and ${isOf(ids)}`);
  const there = new Set(near.map(({ request_id }) => request_id));
  const missing = ids.filter((id) => !there.has(id));
  if (missing.length === 0) return near;
  const noted = await client.query<{ at: number }>(
    `select distinct request_created_at as at from ids where ${isOf(missing)}`,
  );
  if (noted.length === 0) return near;
  const at = noted.map(({ at }) => at).join(", ");
  return [...near, ...(await select(`request_created_at in (${at}) and ${isOf(missing)}`))];
}

/** Rows of records in flight by id, with some columns. */
export function openRows<Row = object>(
  client: ClickHouse,
  ids: readonly string[],
  columns = "",
): Promise<(RowKey & Row)[]> {
  const named = `${KEY}${columns && `, ${columns}`}`;
  return inSteps(ids, (some) =>
    client.query<RowKey & Row>(`select ${named} from open final where is_ended = 0 and ${isOf(some)}`),
  );
}

/** The condition that selects exactly these rows. */
export function areRows(keys: readonly RowKey[]): string {
  const values = (name: keyof RowKey) =>
    [...new Set(keys.map((key) => key[name]))].map((value) => literal(value)).join(", ");
  return `organization_id in (${values("organization_id")})
    and request_created_at in (${values("request_created_at")}) and request_id in (${values("request_id")})`;
}

const isOf = (ids: readonly string[]) => `request_id in (${ids.map((id) => literal(id)).join(", ")})`;
