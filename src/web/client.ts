import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiFailure } from "./api.ts";
import { sessionQuery } from "./session.ts";

/** What was asked of the API, and what it answered. */
export const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== sessionQuery.queryKey[0]) askWhoIsLoggedIn(error);
    },
  }),
  mutationCache: new MutationCache({ onError: askWhoIsLoggedIn }),
  defaultOptions: {
    // Weir may be on this machine or beside it: whether there is a way to the internet says nothing.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiFailure && error.status !== 0 && error.status < 500),
    },
  },
});

/** The key was revoked or the log-in ran out: asking who is logged in brings the log-in page. */
function askWhoIsLoggedIn(error: Error): void {
  if (!(error instanceof ApiFailure) || error.status !== 401) return;
  if (client.getQueryData(sessionQuery.queryKey) === undefined) return; // there was no log-in
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}
