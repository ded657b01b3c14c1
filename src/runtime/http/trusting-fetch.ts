import { platform } from "../platform.ts";

type Fetch = (url: string, init: object) => Promise<Response>;

/** `fetch` that trusts these authorities, as PEM; undefined means the runtime's own. */
export function trustingFetch(authorities: readonly string[] | undefined): Fetch {
  if (authorities === undefined) return (url, init) => fetch(url, init);
  const more = platform.trusting(authorities);
  return (url, init) => fetch(url, { ...init, ...more } as RequestInit);
}
