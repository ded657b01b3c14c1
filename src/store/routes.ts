import { and, count, eq, max, ne, sql } from "drizzle-orm";
import { GatewayError } from "../errors.ts";
import type { Acting } from "../people/actor.ts";
import { routes } from "../record/tables.ts";
import { type RouteTerms, readRoute } from "../routing/read-route.ts";
import type { Route } from "../routing/route.ts";
import { shownRoute } from "../routing/shown-route.ts";
import { recorded } from "./audit/recorded.ts";
import { ifGiven, over } from "./database/builder.ts";
import type { Database } from "./store.ts";

/** A stored route. Times are milliseconds since 1970. */
interface StoredRoute extends Route {
  readonly organizationId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const ROUTES_MAX = 1_000;

type Row = typeof routes.$inferSelect;

/** Of one organization, or all; by name. Skips routes of another version that this one cannot read. */
export async function listRoutes(records: Database, organizationId?: string): Promise<StoredRoute[]> {
  const rows = await over(records)
    .select()
    .from(routes)
    .where(ifGiven(routes.organization_id, organizationId))
    .orderBy(routes.name, routes.organization_id);
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

/** Changes when a route is created, changed or removed. */
export async function routesFingerprint(records: Database): Promise<string> {
  const changed = routes.updated_at;
  const sums = { n: count(), last: sql`max(rowid)`, changed: max(changed), sum: sql`total(${changed})` };
  return JSON.stringify(await over(records).select(sums).from(routes));
}

/** Stores a route, or replaces the one with its name. @throws GatewayError `invalid_body` when there are too many. */
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
  const others = and(eq(routes.organization_id, organizationId), ne(routes.name, name));
  if ((await over(records).$count(routes, others)) >= ROUTES_MAX)
    throw new GatewayError("invalid_body", `there are ${ROUTES_MAX} routes already: remove one first`);
  // Always increases, even within a millisecond, so that watchers notice this change.
  const later = sql`max(excluded.updated_at, ${routes.updated_at} + 1)`;
  const now = Date.now();
  const route = JSON.stringify(shownRoute(terms));
  const upsert = over(records)
    .insert(routes)
    .values({ organization_id: organizationId, name, route, created_at: now, updated_at: now })
    .onConflictDoUpdate({ target: [routes.organization_id, routes.name], set: { route, updated_at: later } });
  await recorded(records, [upsert], by, {
    action: known === undefined ? "route.created" : "route.changed",
    organizationId,
    object: { kind: "route", id: name, name },
    ...(known !== undefined && { before: shownRoute(known) }),
    after: shownRoute(terms),
  });
}

/** @returns whether it existed. */
export async function removeRoute(
  records: Database,
  organizationId: string,
  name: string,
  by: Acting,
): Promise<boolean> {
  const which = and(eq(routes.organization_id, organizationId), eq(routes.name, name));
  if ((await over(records).$count(routes, which)) === 0) return false;
  await recorded(records, [over(records).delete(routes).where(which)], by, {
    action: "route.removed",
    organizationId,
    object: { kind: "route", id: name, name },
  });
  return true;
}
