import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";

/**
 * For work that only knows records in libSQL: it would look into an empty table and report success.
 *
 * @param what - such as "costs are not recomputed".
 * @throws GatewayError `not_with_clickhouse`.
 */
export function refuseWithClickhouse({ records_engine }: Config, what: string): void {
  if (records_engine !== "clickhouse") return;
  throw new GatewayError("not_with_clickhouse", `${what} while records are in ClickHouse: see docs/scale.md`);
}
