import { Elysia } from "elysia";
import { GatewayError } from "../errors.ts";
import type { RouteView } from "../plugin-host/routes.ts";
import { IMPORT_BYTES_MAX } from "../record/imported.ts";
import { noteAddress } from "./access/addresses.ts";
import { ownOrigin } from "./access/called-origin.ts";
import { Gate } from "./access/gate.ts";
import { keyEndpoints } from "./access/keys.ts";
import { NEEDS, type Needs } from "./access/needs.ts";
import { aggregateEndpoints } from "./aggregates/aggregates.ts";
import { propertyEndpoints } from "./aggregates/properties.ts";
import { sessionListEndpoints } from "./aggregates/sessions.ts";
import { auditEndpoints } from "./audit/audit.ts";
import { Refusals } from "./audit/refusals.ts";
import { bulkEndpoints } from "./changes/bulk.ts";
import { changeEndpoints } from "./changes/changes.ts";
import { IMPORT_PATH, importEndpoints } from "./changes/import.ts";
import { logEndpoints } from "./changes/log.ts";
import { sessionTagEndpoints } from "./changes/session-tag.ts";
import { coded } from "./coding.ts";
import type { ApiContext } from "./context.ts";
import { Dashboard } from "./dashboard.ts";
import { dashboardEndpoints } from "./dashboards/dashboards.ts";
import { datasetEndpoints } from "./datasets/datasets.ts";
import { datasetExportEndpoint } from "./datasets/export.ts";
import { datasetItemEndpoints } from "./datasets/items.ts";
import { datasetRunEndpoints } from "./datasets/runs/runs.ts";
import { atOwnPath, servesHelicone } from "./earlier-product.ts";
import type { DescribedRoute, Unusual } from "./endpoint.ts";
import { asGatewayError, failure } from "./envelope.ts";
import { readJson, readText, requireObject } from "./input/body.ts";
import { validationFailure } from "./input/validation.ts";
import { judgeEndpoints } from "./judges/judges.ts";
import { logFailure } from "./log-failure.ts";
import { meEndpoints } from "./logins/me.ts";
import { peopleEndpoints } from "./logins/people.ts";
import { sessionEndpoints } from "./logins/session.ts";
import { isLoginPath, ssoEndpoints } from "./logins/sso/endpoints.ts";
import { MCP_PATH, mcpEndpoints } from "./mcp/mcp.ts";
import { modelEndpoints } from "./models/models.ts";
import { priceEndpoints } from "./models/prices.ts";
import { commentEndpoints } from "./notes/comments.ts";
import { linkEndpoints } from "./notes/links.ts";
import { sharedEndpoints } from "./notes/shared.ts";
import { healthEndpoints } from "./operation/health.ts";
import { pluginEndpoints } from "./operation/plugin-routes.ts";
import { pluginListEndpoints } from "./operation/plugins.ts";
import { TRACES_PATH, traceEndpoints } from "./otlp/traces.ts";
import { referenceEndpoints } from "./reference/reference.ts";
import { queryEndpoints } from "./requests/query.ts";
import { requestBodyEndpoints } from "./requests/request-bodies.ts";
import { requestEndpoints } from "./requests/requests.ts";
import { reviewEndpoints } from "./reviews/reviews.ts";
import { alertEndpoints } from "./rules/alerts.ts";
import { webhookEndpoints } from "./rules/webhooks.ts";
import { scoreEndpoints } from "./scores/scores.ts";
import { cacheEndpoints } from "./storage/cache.ts";
import { retentionEndpoints } from "./storage/retention.ts";
import { storageEndpoints } from "./storage/storage.ts";
import { CREDENTIAL_TEST_PATH, credentialEndpoints } from "./unified/credentials.ts";
import { PLAYGROUND_PATH, playgroundEndpoints } from "./unified/playground.ts";
import { routeEndpoints } from "./unified/routes.ts";
import { routingEndpoints } from "./unified/routing.ts";
import { viewEndpoints } from "./views/views.ts";

/** They read their bodies themselves, and answer in words of their own protocols what is none. */
const OWN_BODIES: ReadonlySet<string> = new Set([MCP_PATH, TRACES_PATH]);

/** The whole API as one function from request to answer. It never rejects. */
export function createApi(
  room: ApiContext,
  ofPlugins: readonly RouteView[] = [],
): (request: Request, address: string | null) => Promise<Response> {
  let gate: Gate;
  let routes: readonly DescribedRoute[];
  const app: { readonly fetch: Fetch; readonly routes: AppRoutes } = createApp(room, ofPlugins, {
    gate: () => gate,
    routes: () => routes,
    fetch: (request) => app.fetch(request),
  });
  routes = routesOf(app);
  const { keys, logins, config } = room;
  gate = new Gate({ keys, logins, routes, ownOrigin: (request) => ownOrigin(config, request) });
  const refusals = new Refusals(room);
  const noteRefusal = async (request: Request) => {
    const [caller, path] = [gate.known(request), gate.pathOf(request)];
    if (caller === undefined || path === undefined) return;
    await refusals.note(request, caller, path).catch((error: unknown) => logFailure(room.log, request, error));
  };
  const dashboard = new Dashboard(room.log);
  const isHelicone = servesHelicone(config);
  return async (called, address) => {
    // CONNECT brings an authority in place of an address, and a Host need not be one.
    // Two of them are read differently by whatever stands in front; the listener joins them with a comma.
    if (!URL.canParse(called.url) || called.headers.get("host")?.includes(","))
      return failure(new GatewayError("bad_request", "the request names no host and path, or two hosts"));
    const request = isHelicone ? atOwnPath(called) : called;
    noteAddress(request, address);
    const started = performance.now();
    const page = await dashboard.answer(request, gate.pathOf(request) !== undefined);
    if (page !== undefined) return page;
    if (!isEscapedWell(new URL(request.url).pathname)) return failure(new GatewayError("not_found"));
    const answer = await answerAny(app, request)
      // What a person opened, and not a program, is answered with a page.
      .then((made) => (isLoginPath(gate.pathOf(request)) ? dashboard.shownFailure(request, made) : made))
      .then((made) => coded(request, made))
      .catch((error: unknown) => {
        logFailure(room.log, request, error);
        return serverError();
      });
    if (answer.status === 403) await noteRefusal(request);
    answer.headers.set("x-content-type-options", "nosniff");
    const seconds = (performance.now() - started) / 1000;
    room.metrics.answered(request.method, gate.pathOf(request) ?? "none", answer.status, seconds);
    return answer;
  };
}

type Fetch = (request: Request) => Response | Promise<Response>;
type AppRoutes = readonly { readonly method: string; readonly path: string; readonly hooks: unknown }[];

/** What is made from the finished app, so its endpoints ask for it when they are called. */
interface Finished {
  readonly gate: () => Gate;
  readonly routes: () => readonly DescribedRoute[];
  readonly fetch: Fetch;
}

function createApp(room: ApiContext, ofPlugins: readonly RouteView[], { gate, routes, fetch }: Finished) {
  const ofPlugin = new Map(ofPlugins.map(({ method, path, body }) => [`${method} ${path}`, body !== undefined]));
  return new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onRequest(async ({ request }) => gate().admit(request))
    .onParse(({ request }) => {
      const path = gate().pathOf(request);
      const inPlugin = ofPlugin.get(`${request.method} ${path}`);
      return readBody(request, path, { inPlugin, routes: routes(), bytesMax: room.config.max_api_body_bytes });
    })
    .onError(({ code, error, request }) => {
      const known = code === "VALIDATION" ? validationFailure(error) : (asGatewayError(error) ?? causeOf(error));
      if (known !== undefined) return failure(known);
      if (error instanceof RangeError && /call stack/i.test(error.message))
        return failure(new GatewayError("invalid_body", "it is nested too deeply"));
      if (code === "NOT_FOUND") return failure(new GatewayError("not_found"));
      logFailure(room.log, request, error);
      return serverError();
    })
    .use(requestEndpoints(room, gate))
    .use(requestBodyEndpoints(room, gate))
    .use(queryEndpoints(room, gate))
    .use(aggregateEndpoints(room, gate))
    .use(sessionListEndpoints(room, gate))
    .use(propertyEndpoints(room, gate))
    .use(sessionTagEndpoints(room, gate))
    .use(changeEndpoints(room, gate))
    .use(bulkEndpoints(room, gate))
    .use(importEndpoints(room, gate))
    .use(logEndpoints(room, gate))
    .use(traceEndpoints(room, gate))
    .use(commentEndpoints(room, gate))
    .use(linkEndpoints(room, gate))
    .use(sharedEndpoints(room))
    .use(keyEndpoints(room, gate))
    .use(sessionEndpoints(room, gate))
    .use(ssoEndpoints(room))
    .use(meEndpoints(room, gate))
    .use(peopleEndpoints(room, gate))
    .use(auditEndpoints(room, gate))
    .use(modelEndpoints(room, gate))
    .use(priceEndpoints(room, gate))
    .use(credentialEndpoints(room, gate))
    .use(routeEndpoints(room, gate))
    .use(routingEndpoints(room, gate))
    .use(playgroundEndpoints(room, gate))
    .use(cacheEndpoints(room, gate))
    .use(alertEndpoints(room, gate))
    .use(webhookEndpoints(room, gate))
    .use(retentionEndpoints(room, gate))
    .use(storageEndpoints(room, gate))
    .use(viewEndpoints(room, gate))
    .use(dashboardEndpoints(room, gate))
    .use(scoreEndpoints(room, gate))
    .use(judgeEndpoints(room, gate))
    .use(reviewEndpoints(room, gate))
    .use(datasetEndpoints(room, gate))
    .use(datasetItemEndpoints(room, gate))
    .use(datasetExportEndpoint(room, gate))
    .use(datasetRunEndpoints(room, gate))
    .use(pluginListEndpoints(room))
    .use(pluginEndpoints(room, gate, ofPlugins))
    .use(mcpEndpoints(room, gate, fetch))
    .use(healthEndpoints(room))
    .use(referenceEndpoints(room.config, routes));
}

interface BodyRules {
  /** Whether the endpoint is a plugin's, and has a body. */
  readonly inPlugin: boolean | undefined;
  readonly routes: readonly DescribedRoute[];
  readonly bytesMax: number;
}

/** The body as the endpoint takes it; undefined where there is none to read. @throws GatewayError for one that cannot be read. */
async function readBody(request: Request, path: string | undefined, { inPlugin, routes, bytesMax }: BodyRules) {
  // A plugin's own schema says whether there must be a body; one that is not asked for does no harm.
  if (inPlugin === false || (inPlugin === true && request.body === null)) return undefined;
  if (request.method === "DELETE" && request.body === null) return undefined; // the address says what to delete
  if (request.body === null && path === CREDENTIAL_TEST_PATH) return undefined;
  if (path?.startsWith(PLAYGROUND_PATH)) return null; // the gateway reads it
  if (OWN_BODIES.has(path ?? "")) return null;
  if (path === IMPORT_PATH) return readText(request, IMPORT_BYTES_MAX);
  if (!declaresBody(routes, path, request.method)) return undefined;
  const body = await readJson(request, bytesMax);
  // Where a body is optional Elysia holds nothing but filled objects against its schema: a word would mean "all".
  if (request.method === "DELETE" && inPlugin === undefined) requireObject(body);
  return body;
}

/** A step such as approving needs no body, and one that is sent is left alone. */
function declaresBody(routes: readonly DescribedRoute[], path: string | undefined, method: string): boolean {
  return routes.some((route) => route.path === path && route.method === method && route.body !== undefined);
}

/** Elysia gives endpoints `null` for a name in the path that it cannot decode. */
function isEscapedWell(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** A HEAD request is a GET of whose answer the body is left out, and its length is told. */
async function answerAny(app: { readonly fetch: Fetch }, request: Request) {
  if (request.method !== "HEAD") return app.fetch(request);
  const answer = await app.fetch(new Request(request.url, { method: "GET", headers: request.headers }));
  const headers = new Headers(answer.headers);
  headers.set("content-length", String((await answer.arrayBuffer()).byteLength));
  return new Response(null, { status: answer.status, headers });
}

/** Every endpoint as it was declared. One that the table of needs does not have is a mistake in this program. */
function routesOf(app: { readonly routes: AppRoutes }): DescribedRoute[] {
  return app.routes.map(({ method, path, hooks }) => {
    const { body, detail } = hooks as { body?: unknown; detail?: Record<string, unknown> };
    const own = `${method} ${path}`;
    const needs = (detail?.["x-needs"] as Needs | undefined) ?? (Object.hasOwn(NEEDS, own) ? NEEDS[own] : undefined);
    if (detail === undefined || needs === undefined) throw new Error(`the table of needs does not have ${own}`);
    return {
      method,
      path,
      needs,
      summary: String(detail["summary"]),
      description: String(detail["description"] ?? ""),
      tags: detail["tags"] as string[],
      body: body ?? detail["x-body"],
      unusual: (detail["x-unusual"] ?? {}) as Unusual,
    };
  });
}

/** What failed inside the reading of a body stands below Elysia's own error. */
function causeOf(error: unknown): GatewayError | undefined {
  return error instanceof Error && error.cause instanceof Error ? asGatewayError(error.cause) : undefined;
}

/** A bug, not the caller's fault: nothing of it is told. */
function serverError(): Response {
  return failure(new GatewayError("internal_error"));
}
