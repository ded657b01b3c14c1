import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { client } from "./client.ts";
import { isUnreadable } from "./filter/address.ts";
import { readAlertsSearch } from "./pages/alerts/search.ts";
import { readDashboardSearch } from "./pages/dashboards/search.ts";
import { readDatasetSearch } from "./pages/datasets/search.ts";
import { readDomainsSearch } from "./pages/domains/search.ts";
import { readModelsSearch } from "./pages/models/search.ts";
import { readOverviewSearch } from "./pages/overview/search.ts";
import { readPlaygroundSearch } from "./pages/playground/search.ts";
import { readPluginsSearch } from "./pages/plugins/search.ts";
import { readPromptSearch, readPromptsSearch } from "./pages/prompts/search.ts";
import { readPropertiesSearch } from "./pages/properties/search.ts";
import { readRequestSearch } from "./pages/request/search.ts";
import { RequestsPage } from "./pages/requests/page.tsx";
import { questionOf, rowsQuery } from "./pages/requests/query.ts";
import { type RequestsSearch, readRequestsSearch } from "./pages/requests/search.ts";
import { readRoutesSearch } from "./pages/routes/search.ts";
import { readScoresSearch } from "./pages/scores/search.ts";
import { readSessionSearch } from "./pages/session/search.ts";
import { NotFound } from "./parts/not-found.tsx";
import { PageFailed } from "./parts/page-failed.tsx";
import { readTimedListSearch } from "./parts/timed-list-search.ts";
import { nameOf, readablePath, segmentOf } from "./path.ts";
import { sessionQuery } from "./session.ts";
import { Shell } from "./shell.tsx";

/** Drops query members that the page does not take: the router itself would pass them on. */
const only =
  <T extends object>(read: (search: Record<string, unknown>) => T) =>
  (search: Record<string, unknown>): T => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  });

/**
 * Every page with its query. A page's code is loaded when it is opened, except for the first one, which comes with the
 * shell; so do the readers of queries, which turn any query of a link into a valid one.
 */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageFailed });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/overview", replace: true });
  },
});

const requests = createRoute({
  getParentRoute: () => root,
  path: "/requests",
  validateSearch: only<RequestsSearch>(readRequestsSearch),
  loaderDeps: ({ search: { open: _open, ...search } }) => search,
  // Loads the rows while the page is being rendered, but sends nothing before there is a log-in.
  loader: ({ deps }) => {
    if (isUnreadable(deps.filter) || client.getQueryState(sessionQuery.queryKey)?.status === "error") return;
    void client.ensureQueryData(sessionQuery).then(
      () => client.prefetchInfiniteQuery(rowsQuery(questionOf(deps))),
      () => undefined, // the shell shows the log-in, or the failure
    );
  },
  component: RequestsPage,
});

const view = createRoute({
  getParentRoute: () => root,
  path: "/views/$id",
  component: lazyRouteComponent(() => import("./pages/views/page.tsx"), "ViewPage"),
});

const request = createRoute({
  getParentRoute: () => root,
  path: "/requests/$id",
  validateSearch: only(readRequestSearch),
  component: lazyRouteComponent(() => import("./pages/request/page.tsx"), "RequestPage"),
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: only(readTimedListSearch),
  component: lazyRouteComponent(() => import("./pages/sessions/page.tsx"), "SessionsPage"),
});

const session = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$id",
  params: { parse: ({ id }) => ({ id: nameOf(id) }), stringify: ({ id }) => ({ id: segmentOf(id) }) },
  validateSearch: only(readSessionSearch),
  component: lazyRouteComponent(() => import("./pages/session/page.tsx"), "SessionPage"),
});

const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  validateSearch: only(readTimedListSearch),
  component: lazyRouteComponent(() => import("./pages/users/page.tsx"), "UsersPage"),
});

const properties = createRoute({
  getParentRoute: () => root,
  path: "/properties",
  validateSearch: only(readPropertiesSearch),
  component: lazyRouteComponent(() => import("./pages/properties/page.tsx"), "PropertiesPage"),
});

const overview = createRoute({
  getParentRoute: () => root,
  path: "/overview",
  validateSearch: only(readOverviewSearch),
  component: lazyRouteComponent(() => import("./pages/overview/page.tsx"), "OverviewPage"),
});

/** The overview's earlier address: links to it keep working. */
const costs = createRoute({
  getParentRoute: () => root,
  path: "/costs",
  validateSearch: only(readOverviewSearch),
  beforeLoad: ({ search }) => {
    throw redirect({ to: "/overview", search, replace: true });
  },
});

const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  validateSearch: only(readModelsSearch),
  component: lazyRouteComponent(() => import("./pages/models/page.tsx"), "ModelsPage"),
});

const scores = createRoute({
  getParentRoute: () => root,
  path: "/scores",
  validateSearch: only(readScoresSearch),
  component: lazyRouteComponent(() => import("./pages/scores/page.tsx"), "ScoresPage"),
});

const judges = createRoute({
  getParentRoute: () => root,
  path: "/judges",
  component: lazyRouteComponent(() => import("./pages/judges/page.tsx"), "JudgesPage"),
});

const reviews = createRoute({
  getParentRoute: () => root,
  path: "/reviews",
  component: lazyRouteComponent(() => import("./pages/reviews/page.tsx"), "ReviewsPage"),
});

const review = createRoute({
  getParentRoute: () => root,
  path: "/reviews/$id",
  component: lazyRouteComponent(() => import("./pages/reviews/review-page.tsx"), "ReviewPage"),
});

const domains = createRoute({
  getParentRoute: () => root,
  path: "/domains",
  validateSearch: only(readDomainsSearch),
  component: lazyRouteComponent(() => import("./pages/domains/page.tsx"), "DomainsPage"),
});

const limits = createRoute({
  getParentRoute: () => root,
  path: "/limits",
  component: lazyRouteComponent(() => import("./pages/limits/page.tsx"), "LimitsPage"),
});

const cache = createRoute({
  getParentRoute: () => root,
  path: "/cache",
  validateSearch: only(readTimedListSearch),
  component: lazyRouteComponent(() => import("./pages/cache/page.tsx"), "CachePage"),
});

const plugins = createRoute({
  getParentRoute: () => root,
  path: "/plugins",
  validateSearch: only(readPluginsSearch),
  component: lazyRouteComponent(() => import("./pages/plugins/page.tsx"), "PluginsPage"),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: "/keys",
  component: lazyRouteComponent(() => import("./pages/keys/page.tsx"), "KeysPage"),
});

const playground = createRoute({
  getParentRoute: () => root,
  path: "/playground",
  validateSearch: only(readPlaygroundSearch),
  component: lazyRouteComponent(() => import("./pages/playground/page.tsx"), "PlaygroundPage"),
});

const credentials = createRoute({
  getParentRoute: () => root,
  path: "/credentials",
  component: lazyRouteComponent(() => import("./pages/credentials/page.tsx"), "CredentialsPage"),
});

const routes = createRoute({
  getParentRoute: () => root,
  path: "/routes",
  validateSearch: only(readRoutesSearch),
  component: lazyRouteComponent(() => import("./pages/routes/page.tsx"), "RoutesPage"),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: only(readAlertsSearch),
  component: lazyRouteComponent(() => import("./pages/alerts/page.tsx"), "AlertsPage"),
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./pages/account/page.tsx"), "AccountPage"),
});

const dashboards = createRoute({
  getParentRoute: () => root,
  path: "/dashboards",
  component: lazyRouteComponent(() => import("./pages/dashboards/page.tsx"), "DashboardsPage"),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: "/dashboards/$id",
  validateSearch: only(readDashboardSearch),
  component: lazyRouteComponent(() => import("./pages/dashboards/dashboard-page.tsx"), "DashboardPage"),
});

const datasets = createRoute({
  getParentRoute: () => root,
  path: "/datasets",
  component: lazyRouteComponent(() => import("./pages/datasets/page.tsx"), "DatasetsPage"),
});

const dataset = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$id",
  validateSearch: only(readDatasetSearch),
  component: lazyRouteComponent(() => import("./pages/datasets/dataset-page.tsx"), "DatasetPage"),
});

const datasetRun = createRoute({
  getParentRoute: () => root,
  path: "/datasets/$id/runs/$run",
  component: lazyRouteComponent(() => import("./pages/datasets/runs/run-page.tsx"), "RunPage"),
});

const prompts = createRoute({
  getParentRoute: () => root,
  path: "/prompts",
  validateSearch: only(readPromptsSearch),
  component: lazyRouteComponent(() => import("./pages/prompts/page.tsx"), "PromptsPage"),
});

const prompt = createRoute({
  getParentRoute: () => root,
  path: "/prompts/$id",
  params: { parse: ({ id }) => ({ id: nameOf(id) }), stringify: ({ id }) => ({ id: segmentOf(id) }) },
  validateSearch: only(readPromptSearch),
  component: lazyRouteComponent(() => import("./pages/prompts/prompt-page.tsx"), "PromptPage"),
});

const members = createRoute({
  getParentRoute: () => root,
  path: "/members",
  component: lazyRouteComponent(() => import("./pages/members/page.tsx"), "MembersPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  component: lazyRouteComponent(() => import("./pages/audit/page.tsx"), "AuditPage"),
});

const organizations = createRoute({
  getParentRoute: () => root,
  path: "/organizations",
  component: lazyRouteComponent(() => import("./pages/organizations/page.tsx"), "OrganizationsPage"),
});

const storage = createRoute({
  getParentRoute: () => root,
  path: "/storage",
  component: lazyRouteComponent(() => import("./pages/storage/page.tsx"), "StoragePage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    requests,
    view,
    request,
    sessions,
    session,
    users,
    properties,
    overview,
    dashboards,
    dashboard,
    costs,
    models,
    playground,
    credentials,
    routes,
    domains,
    limits,
    alerts,
    cache,
    plugins,
    keys,
    storage,
    scores,
    reviews,
    review,
    judges,
    datasets,
    dataset,
    datasetRun,
    prompts,
    prompt,
    members,
    audit,
    organizations,
    account,
  ]),
  rewrite: {
    input: ({ url }) => {
      url.pathname = readablePath(url.pathname);
      return url;
    },
  },
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
