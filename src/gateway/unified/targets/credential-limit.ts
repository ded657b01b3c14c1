import type { Credential } from "../../../routing/credential.ts";
import type { RoutingParts } from "../../gateway-parts.ts";

/** When a credential's spent limit resets, in milliseconds since 1970; null if it has room, or no limit. */
export function limitSpentUntil({ hooks }: Pick<RoutingParts, "hooks">, credential: Credential): number | null {
  const { name, organizationId, limit } = credential;
  if (limit === undefined) return null;
  const ends = hooks?.limitsOf?.({ name, organizationId, limit }).flatMap(({ spentUntil }) => spentUntil ?? []) ?? [];
  return ends.length === 0 ? null : Math.max(...ends);
}
