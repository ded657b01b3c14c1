import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { configuredRoutes } from "../../routing/configured-routes.ts";
import { readRoute } from "../../routing/read-route.ts";
import { ROUTE_SCHEMA } from "../../routing/route-schema.ts";
import { shownRoute } from "../../routing/shown-route.ts";
import { listOrganizations } from "../../store/people/organization-names.ts";
import { listRoutes, putRoute, removeRoute } from "../../store/routes.ts";
import { type Caller, require } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

const ROUTE = {
  ...ROUTE_SCHEMA,
  properties: {
    ...ROUTE_SCHEMA.properties,
    organization: {
      type: "string",
      description: "Default: the key's organization. Only an operator may name another one.",
    },
  },
};

/** An organization's own names for models. Those of `weir.toml` apply to all organizations and precede stored ones. */
export function routeEndpoints(context: ApiContext, callers: Callers) {
  const organization = (request: Request) => callers.of(request).organizationId;
  return new Elysia()
    .get(
      "/v1/routes",
      async ({ request }) => success(await routesOf(context, organization(request))),
      endpoint("Routes", "List routes"),
    )
    .get(
      "/v1/routes/:name",
      async ({ request, params }) => {
        const found = (await routesOf(context, organization(request))).find(({ name }) => name === params.name);
        if (found === undefined) throw noSuchRoute(params.name);
        return success(found);
      },
      endpoint("Routes", "Read one route"),
    )
    .put(
      "/v1/routes/:name",
      async ({ request, params, body }) => {
        const { organization: named, ...route } = asObject(body);
        const name = params.name;
        refuseConfigured(context, name);
        const organizationId = await placeOf(context, callers.of(request), named);
        const { records } = await context.home.writer();
        const others = [...configuredRoutes(context.home.config), ...(await listRoutes(records, organizationId))];
        await putRoute(records, { organizationId, name, terms: readRoute(name, route, others) }, callers.of(request));
        await context.routes.spread();
        return success((await routesOf(context, organizationId)).find((each) => each.name === name));
      },
      endpoint("Routes", "Create or replace a route", "It takes effect within a second.", { body: ROUTE }),
    )
    .delete(
      "/v1/routes/:name",
      async ({ request, params }) => {
        const name = params.name;
        const { records } = await context.home.writer();
        if (!(await removeRoute(records, organization(request), name, callers.of(request)))) {
          refuseConfigured(context, name);
          throw noSuchRoute(name);
        }
        await context.routes.spread();
        return success({ name });
      },
      endpoint("Routes", "Remove a route"),
    );
}

/** Those of `weir.toml` first. */
async function routesOf(context: ApiContext, organizationId: string) {
  const { records } = context.home.reader;
  const organizations = new Map((await listOrganizations(records)).map(({ id, name }) => [id, name]));
  const ofFile = configuredRoutes(context.home.config).map((route) => ({
    name: route.name,
    source: route.source,
    organization: null as string | null,
    ...shownRoute(route),
    created_at: null as string | null,
    updated_at: null as string | null,
  }));
  const stored = (await listRoutes(records, organizationId)).map((route) => ({
    name: route.name,
    source: route.source,
    organization: organizations.get(route.organizationId) ?? null,
    ...shownRoute(route),
    created_at: isoTime(route.createdAt),
    updated_at: isoTime(route.updatedAt),
  }));
  return [...ofFile, ...stored];
}

/** The organization that a route is for. @throws GatewayError `insufficient_permission`, `invalid_body`. */
async function placeOf({ home }: ApiContext, caller: Caller, named: unknown): Promise<string> {
  const own = caller.organizationId;
  if (named === undefined || named === null) return own;
  const wrong = (why: string) => new GatewayError("invalid_body", `organization: ${why}`, { path: "organization" });
  if (typeof named !== "string") throw wrong("give an organization's name");
  const { records } = home.reader;
  const found = (await listOrganizations(records)).find(({ name }) => name === named);
  if (found?.id === own) return own;
  require(caller, "operator", "organization");
  if (found === undefined) throw wrong("there is no organization with this name");
  return found.id;
}

function refuseConfigured({ home }: ApiContext, name: string): void {
  if (!Object.hasOwn(home.config.routes, name)) return;
  throw new GatewayError("defined_in_file", `the configuration file defines the route "${name}"; change it there`);
}

function asObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new GatewayError("invalid_body", "give an object with targets");
}

function noSuchRoute(name: string): GatewayError {
  return new GatewayError("not_found", `there is no route ${JSON.stringify(name.slice(0, 100))}`);
}
