import type { QueryClient } from "@tanstack/react-query";
import { ApiFailure, call } from "./api.ts";
import { tellTabs } from "./session.ts";

/** Ends the log-in and loads the page again, or opens where the identity provider ends its own. @returns false where the service did not answer. */
export async function logOut(client: QueryClient): Promise<boolean> {
  let elsewhere: string | undefined;
  try {
    elsewhere = (await call<{ readonly end_session_url?: string }>("DELETE", "/v1/session")).data.end_session_url;
  } catch (error) {
    // A log-in that has ended is what was wanted.
    if (!(error instanceof ApiFailure) || error.status !== 401) return false;
  }
  tellTabs();
  client.clear();
  sessionStorage.clear();
  if (elsewhere === undefined) window.location.reload();
  else window.location.assign(elsewhere);
  return true;
}
