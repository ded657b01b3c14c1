import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { readRoute } from "./read-route.ts";
import type { Route } from "./route.ts";

/**
 * The routes of the tables `[routes.<name>]`, which apply to every organization.
 *
 * @throws GatewayError `config_invalid` that names the table and the member.
 */
export function configuredRoutes({ routes }: Pick<Config, "routes">): readonly Route[] {
  const alone = Object.entries(routes).map(([name, table]) => read(name, table, []));
  // Each is valid by itself; now check them together.
  return alone.map(({ name }) => read(name, routes[name], alone));
}

function read(name: string, table: unknown, others: readonly Route[]): Route {
  try {
    return { ...readRoute(name, table, others), name, organizationId: undefined, source: "file" };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError("config_invalid", `[routes.${JSON.stringify(name)}] ${error.message}`);
  }
}
