import type { Health } from "../../routing/rests.ts";
import type { RoutingParts } from "../gateway-parts.ts";
import { limitSpentUntil } from "./credential-limit.ts";

/** Of the credentials that an organization may use: those whose limit is spent, then what failed lately. */
export function routeHealth(parts: RoutingParts, organizationId: string): readonly Health[] {
  const usable = parts.unified
    .tables()
    .credentials.filter((each) => each.shared || ["", organizationId].includes(each.organizationId));
  const spent = usable.flatMap((each): Health[] => {
    const until = limitSpentUntil(parts, each);
    if (until === null) return [];
    const { name: credential, provider } = each;
    return [{ provider, credential, model: null, state: "limit spent", until, failures: 0, lastError: null }];
  });
  const named = new Map(usable.map((each) => [JSON.stringify([each.organizationId, each.name]), each.name]));
  const failed = parts.unified.rests.health(Date.now()).flatMap((health) => {
    const credential = named.get(health.credential);
    return credential === undefined ? [] : [{ ...health, credential }];
  });
  return [...spent, ...failed];
}
