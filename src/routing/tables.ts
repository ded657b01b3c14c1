import type { OrganizationPrice } from "../mapping/prices/own-prices.ts";
import type { Credential } from "./credential.ts";
import type { Route } from "./route.ts";

/** The routing tables of the unified address. A change creates a new object; the lists themselves never change. */
export interface RoutingTables {
  /** Of all organizations; those of `weir.toml` first, then in the order in which they were added. Disabled ones too. */
  readonly credentials: readonly Credential[];
  /** Of all organizations, and of `weir.toml`. */
  readonly routes: readonly Route[];
  /** Of all organizations. */
  readonly prices: readonly OrganizationPrice[];
}

/** The tables that the database stores, without credentials. */
export type StoredRouting = Pick<RoutingTables, "routes" | "prices">;

export const NO_TABLES: RoutingTables = { credentials: [], routes: [], prices: [] };
