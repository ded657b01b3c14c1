import { queryOptions, useQuery } from "@tanstack/react-query";
import type { SessionView } from "../api/logins/session.ts";
import { get } from "./api.ts";

/** How often a log-in is renewed while the dashboard is open. */
const RENEW_MS = 15 * 60_000;

/** Who is logged in. Its failure with status 401 means: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => get<SessionView>("/v1/session", signal),
  staleTime: RENEW_MS,
  refetchInterval: RENEW_MS,
  retry: false,
});

/** Whoever is logged in; only below the shell, which shows the log-in page to everybody else. */
export function useSession(): SessionView {
  const { data } = useQuery(sessionQuery);
  if (data === undefined) throw new Error("nobody is logged in");
  return data;
}

/** Why a control that needs `scope` is of no use to this key, or undefined where it works. `admin` implies all. */
export function useMissing(scope: "read" | "write" | "admin"): string | undefined {
  const { scopes } = useSession();
  if (scopes.includes(scope) || scopes.includes("admin")) return undefined;
  return `This needs a key with the scope ${scope}; yours has ${scopes.join(", ")}.`;
}
