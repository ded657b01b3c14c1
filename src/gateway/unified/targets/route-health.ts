import type { Health } from "../../../routing/rests.ts";
import { restKeyOf, versionOf } from "../../../routing/walk.ts";
import type { RoutingParts } from "../../gateway-parts.ts";
import { limitSpentUntil } from "./credential-limit.ts";

/** Health of the credentials that an organization may use: those with a spent limit first, then recent failures. */
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
  const byKey = new Map(usable.map((each) => [restKeyOf(each), each]));
  const failed = parts.unified.rests.health(Date.now(), (key, version) => {
    const credential = byKey.get(key);
    return credential !== undefined && versionOf(credential) === version;
  });
  return [...spent, ...failed.map((health) => ({ ...health, credential: byKey.get(health.credential)!.name }))];
}
