import { type ListSearch, readListSearch, readText } from "../../parts/list-search.ts";

export const DOMAIN_STATES = ["unapproved", "pending", "approved", "revoked", "denied"] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** The state of the domains page in its address. */
export interface DomainsSearch extends ListSearch {
  readonly state?: DomainState | undefined;
  /** The domain of the shown history. */
  readonly domain?: string | undefined;
}

export function readDomainsSearch(search: Record<string, unknown>): DomainsSearch {
  const state = DOMAIN_STATES.find((each) => each === search["state"]);
  const domain = readText(search["domain"]);
  return {
    ...readListSearch(search),
    ...(state === undefined ? {} : { state }),
    ...(domain === undefined ? {} : { domain }),
  };
}
