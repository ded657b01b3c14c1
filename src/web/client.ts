import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiFailure } from "./api.ts";
import { sessionQuery } from "./session.ts";

/** What was asked of the API, and what it answered. */
export const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The key was revoked or the log-in ran out: asking who is logged in brings the log-in page.
      if (!(error instanceof ApiFailure) || error.status !== 401 || query.queryKey[0] === "session") return;
      if (client.getQueryData(sessionQuery.queryKey) === undefined) return; // nobody was logged in
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
