import { type AnyElysia, Elysia } from "elysia";
import { GatewayError } from "../errors.ts";
import type { RouteView } from "../plugin-host/routes.ts";
import { noteAddress } from "./access/addresses.ts";
import { ownOrigin } from "./access/called-origin.ts";
import { Callers } from "./access/callers.ts";
import { admit, readBody } from "./access/guard.ts";
import { keyEndpoints } from "./access/keys.ts";
import { aggregateEndpoints } from "./aggregates/aggregates.ts";
import { propertyEndpoints } from "./aggregates/properties.ts";
import { sessionListEndpoints } from "./aggregates/sessions.ts";
import { auditEndpoints } from "./audit/audit.ts";
import { Refusals } from "./audit/refusals.ts";
import { bulkEndpoints } from "./changes/bulk.ts";
import { changeEndpoints } from "./changes/changes.ts";
import { importEndpoints } from "./changes/import.ts";
import { logEndpoints } from "./changes/log.ts";
import { sessionTagEndpoints } from "./changes/session-tag.ts";
import { coded } from "./coding.ts";
import type { ApiContext } from "./context.ts";
import { Dashboard } from "./dashboard.ts";
import { dashboardEndpoints } from "./dashboards/dashboards.ts";
import { datasetEndpoints } from "./datasets/datasets.ts";
import { datasetExportEndpoint } from "./datasets/export.ts";
import { datasetItemEndpoints } from "./datasets/items.ts";
import { runResultEndpoints } from "./datasets/runs/results.ts";
import { datasetRunEndpoints, startedRunEndpoints } from "./datasets/runs/runs.ts";
import { atOwnPath, servesHelicone } from "./earlier-product.ts";
import { Endpoints } from "./endpoints.ts";
import { asGatewayError, failure } from "./envelope.ts";
import { validationFailure } from "./input/validation.ts";
import { judgeEndpoints } from "./judges/judges.ts";
import { logFailure } from "./log-failure.ts";
import { meEndpoints } from "./logins/me.ts";
import { loginEndpoints } from "./logins/own-logins.ts";
import { sessionEndpoints } from "./logins/session.ts";
import { isLoginPath, ssoEndpoints } from "./logins/sso/endpoints.ts";
import { mcpEndpoints } from "./mcp/mcp.ts";
import { modelEndpoints } from "./models/models.ts";
import { priceEndpoints } from "./models/prices.ts";
import { recomputeEndpoints } from "./models/recompute.ts";
import { commentEndpoints } from "./notes/comments.ts";
import { linkEndpoints } from "./notes/links.ts";
import { sharedEndpoints } from "./notes/shared.ts";
import { healthEndpoints } from "./operation/health.ts";
import { pluginEndpoints } from "./operation/plugin-routes.ts";
import { pluginListEndpoints } from "./operation/plugins.ts";
import { traceEndpoints } from "./otlp/traces.ts";
import { invitationEndpoints } from "./people/invitations.ts";
import { memberEndpoints } from "./people/members.ts";
import { organizationEndpoints } from "./people/organizations.ts";
import { userEndpoints } from "./people/users.ts";
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
import { credentialEndpoints } from "./unified/credentials.ts";
import { playgroundEndpoints } from "./unified/playground.ts";
import { routeEndpoints } from "./unified/routes.ts";
import { routingEndpoints } from "./unified/routing.ts";
import { viewEndpoints } from "./views/views.ts";

/** Endpoints, grouped by subject. */
const FAMILIES: readonly ((context: ApiContext, callers: Callers) => AnyElysia)[] = [
  requestEndpoints,
  requestBodyEndpoints,
  queryEndpoints,
  aggregateEndpoints,
  sessionListEndpoints,
  propertyEndpoints,
  sessionTagEndpoints,
  changeEndpoints,
  bulkEndpoints,
  importEndpoints,
  logEndpoints,
  traceEndpoints,
  commentEndpoints,
  linkEndpoints,
  sharedEndpoints,
  keyEndpoints,
  sessionEndpoints,
  ssoEndpoints,
  meEndpoints,
  loginEndpoints,
  memberEndpoints,
  invitationEndpoints,
  userEndpoints,
  organizationEndpoints,
  auditEndpoints,
  modelEndpoints,
  priceEndpoints,
  recomputeEndpoints,
  credentialEndpoints,
  routeEndpoints,
  routingEndpoints,
  playgroundEndpoints,
  cacheEndpoints,
  alertEndpoints,
  webhookEndpoints,
  retentionEndpoints,
  storageEndpoints,
  viewEndpoints,
  dashboardEndpoints,
  scoreEndpoints,
  judgeEndpoints,
  reviewEndpoints,
  datasetEndpoints,
  datasetItemEndpoints,
  datasetExportEndpoint,
  datasetRunEndpoints,
  runResultEndpoints,
  startedRunEndpoints,
  pluginListEndpoints,
  healthEndpoints,
];

/** The complete API as one function from request to response. It never rejects. */
export function createApi(
  context: ApiContext,
  ofPlugins: readonly RouteView[] = [],
): (request: Request, address: string | null) => Promise<Response> {
  const callers = new Callers({
    keys: context.keys,
    logins: context.logins,
    ownOrigin: (request) => ownOrigin(context.config, request),
  });
  /** The endpoint path (pattern) of each request. */
  const found = new WeakMap<Request, string>();
  const app = createApp(context, { callers, ofPlugins, found });
  const refusals = new Refusals(context);
  const noteRefusal = async (request: Request, path: string | undefined) => {
    const caller = callers.known(request);
    if (caller === undefined || path === undefined) return;
    await refusals.note(request, caller, path).catch((error: unknown) => logFailure(context.log, request, error));
  };
  const dashboard = new Dashboard(context.log);
  const isHelicone = servesHelicone(context.config);
  return async (called, address) => {
    // CONNECT has an authority in place of a URL, and a Host header need not be a valid one. Proxies disagree about two Host
    // headers; the listener joins them with a comma.
    if (!URL.canParse(called.url) || called.headers.get("host")?.includes(","))
      return failure(new GatewayError("bad_request", "the request names no host and path, or two hosts"));
    const request = isHelicone ? atOwnPath(called) : called;
    noteAddress(request, address);
    const started = performance.now();
    const page = await dashboard.respond(request);
    if (page !== undefined) return page;
    const response = await Promise.resolve(app.fetch(request))
      // Log-in addresses are opened by people, so a failure is shown as a page.
      .then((made) => (isLoginPath(found.get(request)) ? dashboard.shownFailure(request, made) : made))
      .then((made) => coded(request, made))
      .catch((error: unknown) => {
        logFailure(context.log, request, error);
        return serverError();
      });
    const path = found.get(request);
    if (response.status === 403) await noteRefusal(request, path);
    response.headers.set("x-content-type-options", "nosniff");
    context.metrics.responded(request.method, path ?? "none", response.status, (performance.now() - started) / 1000);
    return response;
  };
}

interface AppParts {
  readonly callers: Callers;
  readonly ofPlugins: readonly RouteView[];
  readonly found: WeakMap<Request, string>;
}

/** Elysia finds the endpoint of a request, has the guard admit the request, checks the body and calls the endpoint. */
function createApp(context: ApiContext, { callers, ofPlugins, found }: AppParts): AnyElysia {
  const endpoints = new Endpoints();
  const app: AnyElysia = new Elysia({ normalize: false, handler: { standardHostname: false } })
    // Elysia would read the body here, before the guard has identified the caller.
    .onParse(() => null)
    .derive(async ({ request, route, params }) => {
      found.set(request, route);
      // Elysia passes `null` for a path parameter that it cannot decode.
      if (Object.values(params ?? {}).includes(null as never)) throw new GatewayError("not_found");
      const endpoint = endpoints.at(route, request);
      await admit(callers, request, endpoint);
      return { body: await readBody(request, endpoint, context.config.max_api_body_bytes) };
    })
    .onError(({ code, error, request }) => {
      const known = code === "VALIDATION" ? validationFailure(error) : asGatewayError(error);
      if (known !== undefined) return failure(known);
      if (error instanceof RangeError && /call stack/i.test(error.message))
        return failure(new GatewayError("invalid_body", "it is nested too deeply"));
      if (code === "NOT_FOUND") return failure(endpoints.missing(request));
      logFailure(context.log, request, error);
      return serverError();
    });
  for (const family of FAMILIES) app.use(family(context, callers));
  app.use(pluginEndpoints(context, callers, ofPlugins));
  app.use(mcpEndpoints(context, callers, (request) => app.fetch(request)));
  app.use(referenceEndpoints(context.config, endpoints));
  endpoints.complete(app);
  return app;
}

/** A bug, not the caller's fault: the response has no details. */
function serverError(): Response {
  return failure(new GatewayError("internal_error"));
}
