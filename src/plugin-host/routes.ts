import { type Log, messageOf } from "../log.ts";
import type { Json, PluginRoute, RouteAnswer, RouteCall } from "./contract.ts";
import { guardedAsync } from "./hooks/guard.ts";
import { whyUnfit } from "./schema.ts";

/** Milliseconds that a route may take: it may call a name server. */
const ROUTE_MS = 10_000;

/** A route as plain data, for other threads. */
export type RouteView = Omit<PluginRoute, "handle">;

export function viewRoutes(routes: readonly PluginRoute[]): RouteView[] {
  return routes.map(({ method, path, scope, summary, body }) => ({
    method,
    path,
    scope,
    summary,
    ...(body === undefined ? {} : { body: structuredClone(body) }),
  }));
}

/** Runs the route. Never rejects: a plugin's error is logged and becomes a 500. */
export async function callRoute(
  routes: readonly PluginRoute[],
  wanted: Pick<RouteView, "method" | "path">,
  call: RouteCall,
  log: Log,
): Promise<RouteAnswer> {
  const route = routes.find(({ method, path }) => method === wanted.method && path === wanted.path);
  if (route === undefined) return { status: 404, message: "the plugin of this endpoint is not loaded" };
  const wrong = route.body === undefined ? undefined : refuseBody(route.body, call.body);
  if (wrong !== undefined) return wrong;
  try {
    return await guardedAsync((given: RouteCall) => route.handle(given), call, ROUTE_MS);
  } catch (error) {
    if ((error as { code?: unknown }).code === "database_unavailable") {
      return { status: 503, code: "database_unavailable", message: "the database cannot be reached now; try again" };
    }
    log.error("a plugin's route failed", { method: route.method, path: route.path, why: messageOf(error) });
    return { status: 500, code: "plugin_failed", message: "a plugin failed on this request" };
  }
}

function refuseBody(schema: Json, body: Json): RouteAnswer | undefined {
  if (body === undefined && schema.type === "object") {
    return { status: 400, message: "the body is empty: send a JSON object" };
  }
  const wrong = whyUnfit(schema, body ?? null);
  if (wrong === undefined) return undefined;
  const { path, message } = wrong;
  return path === "" ? { status: 400, message } : { status: 400, message: `${path}: ${message}`, path };
}
