import type { QueryClient } from "@tanstack/react-query";
import { ApiFailure, call } from "./api.ts";
import { tellTabs } from "./session.ts";

/** Ends the log-in and loads the page anew. @returns false where the service did not answer. */
export async function logOut(client: QueryClient): Promise<boolean> {
  try {
    await call("DELETE", "/v1/session");
  } catch (error) {
    // A log-in that has ended is what was wanted.
    if (!(error instanceof ApiFailure) || error.status !== 401) return false;
  }
  tellTabs();
  client.clear();
  sessionStorage.clear();
  window.location.reload();
  return true;
}
