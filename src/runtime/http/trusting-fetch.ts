import { isDeno } from "../platform.ts";

declare const Deno: { createHttpClient(options: { caCerts: readonly string[] }): unknown };

type Fetch = (url: string, init: object) => Promise<Response>;

/** `fetch` that trusts these authorities, as PEM; undefined means the runtime's own. */
export function trustingFetch(authorities: readonly string[] | undefined): Fetch {
  if (authorities === undefined) return (url, init) => fetch(url, init);
  // Neither of the two is in the types of `fetch` that both runtimes have.
  const more = isDeno ? { client: Deno.createHttpClient({ caCerts: authorities }) } : { tls: { ca: authorities } };
  return (url, init) => fetch(url, { ...init, ...more } as RequestInit);
}
