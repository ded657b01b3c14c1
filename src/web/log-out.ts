import type { QueryClient } from "@tanstack/react-query";
import { ApiFailure, call } from "./api.ts";
import { notifyTabs } from "./session.ts";

/** Ends the log-in and reloads the page, or opens the identity provider's log-out. @returns false if the service did not respond. */
export async function logOut(client: QueryClient): Promise<boolean> {
  let elsewhere: string | undefined;
  try {
    elsewhere = (await call<{ readonly end_session_url?: string }>("DELETE", "/v1/session")).data.end_session_url;
  } catch (error) {
    // If the log-in has ended already, the goal is reached.
    if (!(error instanceof ApiFailure) || error.status !== 401) return false;
  }
  notifyTabs();
  client.clear();
  sessionStorage.clear();
  if (elsewhere === undefined) window.location.reload();
  else window.location.assign(elsewhere);
  return true;
}
