import type { Order } from "../../engine/aggregates.ts";
import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";

/**
 * The sort order of a list of totals, from the body.
 *
 * @throws GatewayError `sort_invalid`
 */
export function readTotalsSort(raw: unknown, names: readonly string[], fallback: string): Order {
  const wrong = (path: string, message: string) => new GatewayError("sort_invalid", message, { path });
  if (raw === undefined) return [[fallback, "desc"]];
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw wrong("sort", 'a sort is an object such as {"cost": "desc"}');
  }
  return Object.entries(raw).map(([name, direction]) => {
    const path = `sort.${name}`;
    if (!names.includes(name)) {
      throw wrong(path, `there is no sort key ${quote(name)}; ${hint(name, names)}`);
    }
    if (direction !== "asc" && direction !== "desc") throw wrong(path, 'a direction is "asc" or "desc"');
    return [name, direction] as const;
  });
}
