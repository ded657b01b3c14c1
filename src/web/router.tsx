import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { readRequestSearch } from "./pages/request/search.ts";
import { readRequestsSearch } from "./pages/requests/search.ts";
import { NotFound } from "./parts/not-found.tsx";
import { PageFailed } from "./parts/page-failed.tsx";
import { Shell } from "./shell.tsx";

/**
 * Every page with what its address may say. A page's code is loaded when it is opened; the reader of its search, which
 * makes anything that a link may hold into what the page takes, comes with the shell.
 */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageFailed });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/requests", replace: true });
  },
});

const requests = createRoute({
  getParentRoute: () => root,
  path: "/requests",
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(() => import("./pages/requests/page.tsx"), "RequestsPage"),
});

const request = createRoute({
  getParentRoute: () => root,
  path: "/requests/$id",
  validateSearch: readRequestSearch,
  component: lazyRouteComponent(() => import("./pages/request/page.tsx"), "RequestPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([home, requests, request]),
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
