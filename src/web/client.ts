import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiFailure } from "./api.ts";
import { readAgain } from "./read-again.ts";
import { readSession, sessionQuery } from "./session.ts";

/** The cache of API queries and their responses. */
export const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== sessionQuery.queryKey[0]) askWhoIsLoggedIn(error);
    },
  }),
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _context, { meta }) => readAgain(client, meta),
    onError: (error, _variables, _context, { meta }) => {
      askWhoIsLoggedIn(error);
      void readAgain(client, meta); // some of its steps may have succeeded
    },
  }),
  defaultOptions: {
    // Weir may be on this machine or in the local network: the browser's online state is irrelevant.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiFailure && error.status !== 0 && error.status < 500),
    },
  },
});

/** The key was revoked or the log-in has expired: querying the session shows the log-in page. */
function askWhoIsLoggedIn(error: Error): void {
  if (!(error instanceof ApiFailure) || error.status !== 401) return;
  if (client.getQueryData(sessionQuery.queryKey) === undefined) return; // there was no log-in
  void readSession(client);
}
