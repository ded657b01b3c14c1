import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import "./login-failure.ts"; // before the router, which reads the address
import { client } from "./client.ts";
import { router } from "./router.tsx";
import { followTabs, sessionQuery } from "./session.ts";

/** The page of a shared link, which needs no log-in. */
const [, sharedToken] = /^\/shared\/([\w-]+)\/?$/.exec(location.pathname) ?? [];
const SharedPage = lazy(() => import("./shared/page.tsx"));
/** The page of an invitation link. */
const [, invitationToken] = /^\/invitation\/([\w-]+)\/?$/.exec(location.pathname) ?? [];
const InvitationPage = lazy(() => import("./invitation/page.tsx"));
const isDashboard = sharedToken === undefined && invitationToken === undefined;

if (isDashboard) {
  // Requested while the first page's code is loading.
  void client.prefetchQuery(sessionQuery);
  followTabs(client);
}

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      {isDashboard ? <RouterProvider router={router} /> : null}
      <Suspense>
        {sharedToken === undefined ? null : <SharedPage token={sharedToken} />}
        {invitationToken === undefined ? null : <InvitationPage token={invitationToken} />}
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);
