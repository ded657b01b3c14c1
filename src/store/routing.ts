import type { StoredRouting } from "../routing/tables.ts";
import { listPrices, pricesFingerprint } from "./models/prices.ts";
import { listRoutes, routesFingerprint } from "./routes.ts";
import type { Database } from "./store.ts";

/** Stored routes and prices that the gateway routes by, without credentials. */
export async function storedRouting(home: Database): Promise<StoredRouting> {
  const [routes, prices] = await Promise.all([listRoutes(home), listPrices(home)]);
  return { routes, prices };
}

/** Changes when a route or a price changes. */
export const routingFingerprint = async (home: Database): Promise<string> =>
  `${await routesFingerprint(home)} ${await pricesFingerprint(home)}`;
