import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import "./login-failure.ts"; // before the router, which reads the address
import { client } from "./client.ts";
import { firstRowsArrive } from "./first-rows.ts";
import { questionOf, rowsQuery } from "./pages/requests/query.ts";
import { router } from "./router.tsx";
import { followTabs, sessionQuery } from "./session.ts";

/** How long the first drawing waits for data that was requested before the program ran. */
const WAIT_MS = 150;

/** The page of a shared link, which needs no log-in. */
const [, sharedToken] = /^\/shared\/([\w-]+)\/?$/.exec(location.pathname) ?? [];
const SharedPage = lazy(() => import("./shared/page.tsx"));
/** The page of an invitation link. */
const [, invitationToken] = /^\/invitation\/([\w-]+)\/?$/.exec(location.pathname) ?? [];
const InvitationPage = lazy(() => import("./invitation/page.tsx"));
const isDashboard = sharedToken === undefined && invitationToken === undefined;

void start();

async function start(): Promise<void> {
  if (isDashboard) {
    followTabs(client);
    // Drawing placeholders costs as much as drawing the rows: they are left out if the rows are about to arrive.
    if (await firstRowsArrive(WAIT_MS)) await loadFirst();
    // Requested while the first page's code is loading.
    else void client.prefetchQuery(sessionQuery);
  }
  draw();
}

/** Takes the session and the rows, which have arrived. */
async function loadFirst(): Promise<void> {
  await client.prefetchQuery(sessionQuery);
  await client.prefetchInfiniteQuery(rowsQuery(questionOf({})));
}

function draw(): void {
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
}
