import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { Me } from "../api/logins/me.ts";
import type { SessionView } from "../api/logins/session.ts";
import { ApiFailure, get } from "./api.ts";
import { takeFirstSession } from "./first-session.ts";

/** How often a log-in is renewed while the dashboard is open. */
const RENEW_MS = 15 * 60_000;

const SESSION = ["session"] as const;

/** The logged-in user or key. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ signal, client }) =>
    entered(client, await get<SessionView>("/v1/session", signal, takeFirstSession())),
  staleTime: RENEW_MS,
  refetchInterval: RENEW_MS,
  retry: false,
  retryOnMount: false, // a log-in, the failure's button or the window's focus tries again
});

/** The logged-in user or key with its role, permissions and organizations. */
export const meQuery = queryOptions({ queryKey: ["me"], queryFn: ({ signal }) => get<Me>("/v1/me", signal) });

/** Whether reading the session failed because no user or key is logged in. */
export const isLoggedOut = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401;

/** The dashboard's other tabs in this browser. */
const tabs = new BroadcastChannel("weir.session");

/** Notifies them of a log-in or log-out in this tab. */
export const notifyTabs = (): void => tabs.postMessage("changed");

/** Refreshes the session after a log-in or log-out in another tab. After a log-out nothing of the page is kept. */
export function followTabs(client: QueryClient): void {
  tabs.addEventListener("message", async () => {
    await readSession(client);
    const { data, error } = client.getQueryState<SessionView>(SESSION) ?? {};
    if (data !== undefined && isLoggedOut(error)) window.location.reload();
  });
}

/** Reads the session again, unless it is being read for the first time. */
export const readSession = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: SESSION });

/** Identifies the user or key and the organization. */
export const whoIs = ({ key, organization_id }: SessionView): string => `${key.id} ${organization_id}`;

/** Clears responses to another key, from this tab or a log-in in another one: they may belong to another organization. */
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

/** A user's permission for each scope of a key. */
const PERMISSION = { gateway: "gateway", figures: "figures", read: "bodies", write: "write", admin: "admin" } as const;

/** A year: the choice outlives a log-in. */
const CHOSEN_SECONDS = 365 * 86_400;

/** Switches to another organization of the user, in every tab. The name is that of `ORGANIZATION_COOKIE`. */
export async function chooseOrganization(client: QueryClient, id: string): Promise<void> {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing without HTTPS
  document.cookie = `weir_organization=${id}; Path=/; SameSite=Strict; Max-Age=${CHOSEN_SECONDS}`;
  await readSession(client);
  notifyTabs();
}

/** Why a control that needs `scope` cannot be used, or undefined if it can. `admin` implies all. */
export function missingOf({ kind, scopes }: SessionView, scope: keyof typeof PERMISSION): string | undefined {
  if (scopes.includes(scope) || scopes.includes("admin")) return undefined;
  if (scope === "figures" && scopes.includes("read")) return undefined;
  if (kind === "user") return `This needs the permission ${PERMISSION[scope]}, which your role lacks.`;
  return `This needs a key with the scope ${scope}; yours has ${scopes.join(", ")}.`;
}

export const useMissing = (scope: keyof typeof PERMISSION): string | undefined => missingOf(useSession(), scope);
