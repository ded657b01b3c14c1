import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiFailure } from "./api.ts";
import { router } from "./router.tsx";
import { sessionQuery } from "./session.ts";

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The key was revoked or the log-in ran out: asking who is logged in brings the log-in page.
      if (!(error instanceof ApiFailure) || error.status !== 401 || query.queryKey[0] === "session") return;
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiFailure && error.status !== 0 && error.status < 500),
    },
  },
});

// Asked for while the first page's code is on its way.
void client.prefetchQuery(sessionQuery);

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
