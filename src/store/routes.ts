import { GatewayError } from "../errors.ts";
import type { Acting } from "../people/actor.ts";
import { type RouteTerms, readRoute } from "../routing/read-route.ts";
import type { Route } from "../routing/route.ts";
import { shownRoute } from "../routing/shown-route.ts";
import { recorded } from "./audit/recorded.ts";
import type { Database } from "./store.ts";

/** A route as the database has it. Times are milliseconds since 1970. */
export interface StoredRoute extends Route {
  readonly organizationId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const ROUTES_MAX = 1_000;

interface Row {
  readonly organization_id: string;
  readonly name: string;
  readonly route: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Of one organization, or of all; by name. One that another version wrote and this one cannot read is left out. */
export async function listRoutes(records: Database, organizationId?: string): Promise<StoredRoute[]> {
  const sql = "select * from routes where ?1 is null or organization_id = ?1 order by name, organization_id";
  const rows = await records.query<Row>({ sql, args: [organizationId ?? null] });
  return rows.flatMap((row) => {
    const terms = readTerms(row);
    if (terms === undefined) return [];
    const { organization_id, name, created_at, updated_at } = row;
    const times = { createdAt: created_at, updatedAt: updated_at };
    return [{ ...terms, name, organizationId: organization_id, source: "stored" as const, ...times }];
  });
}

function readTerms({ name, route }: Row): RouteTerms | undefined {
  try {
    return readRoute(name, JSON.parse(route), []);
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Differs whenever a route was made, changed or removed. */
export async function routesFingerprint(records: Database): Promise<string> {
  const sql =
    "select count(*) as n, max(rowid) as last, max(updated_at) as changed, total(updated_at) as sum from routes";
  return JSON.stringify(await records.query<unknown>({ sql, args: [] }));
}

/** Stores a route, a new one or in place of that of its name. @throws GatewayError `invalid_body` where there are too many. */
export async function putRoute(
  records: Database,
  {
    organizationId,
    name,
    terms,
  }: { readonly organizationId: string; readonly name: string; readonly terms: RouteTerms },
  by: Acting,
): Promise<void> {
  const known = (await listRoutes(records, organizationId)).find((route) => route.name === name);
  const [counted] = await records.query<{ others: number }>({
    sql: "select count(*) as others from routes where organization_id = ? and name <> ?",
    args: [organizationId, name],
  });
  if (counted!.others >= ROUTES_MAX)
    throw new GatewayError("invalid_body", `there are ${ROUTES_MAX} routes already: remove one first`);
  // Later than before also within a millisecond: whoever watches for changes sees this one.
  const sql = `insert into routes (organization_id, name, route, created_at, updated_at) values (?1, ?2, ?3, ?4, ?4)
    on conflict (organization_id, name) do update
    set route = excluded.route, updated_at = max(excluded.updated_at, routes.updated_at + 1)`;
  const args = [organizationId, name, JSON.stringify(shownRoute(terms)), Date.now()];
  await recorded(records, [{ sql, args }], by, {
    action: known === undefined ? "route.created" : "route.changed",
    organizationId,
    object: { kind: "route", id: name, name },
    ...(known !== undefined && { before: shownRoute(known) }),
    after: shownRoute(terms),
  });
}

/** @returns whether there was one. */
export async function removeRoute(
  records: Database,
  organizationId: string,
  name: string,
  by: Acting,
): Promise<boolean> {
  const lookup = "select 1 from routes where organization_id = ? and name = ?";
  if ((await records.query<unknown>({ sql: lookup, args: [organizationId, name] })).length === 0) return false;
  const sql = "delete from routes where organization_id = ? and name = ?";
  await recorded(records, [{ sql, args: [organizationId, name] }], by, {
    action: "route.removed",
    organizationId,
    object: { kind: "route", id: name, name },
  });
  return true;
}
