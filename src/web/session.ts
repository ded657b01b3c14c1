import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { SessionView } from "../api/logins/session.ts";
import { get } from "./api.ts";
import { takeFirstSession } from "./first-session.ts";

/** How often a log-in is renewed while the dashboard is open. */
const RENEW_MS = 15 * 60_000;

const SESSION = ["session"] as const;

/** The logged-in user or key. A failure with status 401 means that there is none. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ signal, client }) =>
    entered(client, await get<SessionView>("/v1/session", signal, takeFirstSession())),
  staleTime: RENEW_MS,
  refetchInterval: RENEW_MS,
  retry: false,
});

/** The other tabs that this browser has of the dashboard. */
const tabs = new BroadcastChannel("weir.session");

/** Has them ask who is logged in: somebody has logged in or out here. */
export const tellTabs = (): void => tabs.postMessage("changed");

/** Asks again once somebody has logged in or out in another tab. */
export function followTabs(client: QueryClient): void {
  tabs.addEventListener("message", () => void client.invalidateQueries({ queryKey: SESSION }));
}

/** Who is logged in, and for which organization. */
export const whoIs = ({ key, organization_id }: SessionView): string => `${key.id} ${organization_id}`;

/** Forgets what was answered to another key, of this tab or of a log-in in another one: it may belong to another organization. */
export function entered(client: QueryClient, session: SessionView): SessionView {
  const before = client.getQueryData<SessionView>(SESSION);
  if (before !== undefined && whoIs(before) !== whoIs(session)) {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  }
  return session;
}

/** The logged-in user or key; only below the shell, which otherwise shows the log-in page. */
export function useSession(): SessionView {
  const { data } = useQuery(sessionQuery);
  if (data === undefined) throw new Error("no one is logged in");
  return data;
}

/** What a scope of a key is called where it is a user's. */
const PERMISSION = { gateway: "gateway", figures: "figures", read: "bodies", write: "write", admin: "admin" } as const;

/** A year: the choice is for a log-in, and for those after it. */
const CHOSEN_SECONDS = 365 * 86_400;

/** Shows another organization that the user is in, in every tab. The name is that of `ORGANIZATION_COOKIE`. */
export async function chooseOrganization(client: QueryClient, id: string): Promise<void> {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing without HTTPS
  document.cookie = `weir_organization=${id}; Path=/; SameSite=Strict; Max-Age=${CHOSEN_SECONDS}`;
  await client.invalidateQueries({ queryKey: SESSION });
  tellTabs();
}

/** Why a control that needs `scope` is of no use to this key, or undefined where it works. `admin` implies all. */
export function useMissing(scope: keyof typeof PERMISSION): string | undefined {
  const { kind, scopes } = useSession();
  if (scopes.includes(scope) || scopes.includes("admin")) return undefined;
  if (scope === "figures" && scopes.includes("read")) return undefined;
  if (kind === "user") return `This needs the permission ${PERMISSION[scope]}, which your role lacks.`;
  return `This needs a key with the scope ${scope}; yours has ${scopes.join(", ")}.`;
}
