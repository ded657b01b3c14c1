import { hasScope, whyUnusable } from "../../keys.ts";
import { ROLES } from "../../people/permissions.ts";
import type { SentFor } from "../../unified/through-gateway.ts";
import { snapshotKeys } from "../keys.ts";
import type { Database } from "../store.ts";
import { findUser, membershipsOf } from "./users.ts";

/** A service key or a user on whose behalf this program sends requests in the background. */
export interface Sender {
  readonly kind: "key" | "user";
  readonly id: string;
}

/**
 * The identity for requests on behalf of a sender, or undefined when the sender may not send requests.
 *
 * @param home - the database with keys and users.
 */
export async function findSentFor(
  home: Database,
  organizationId: string,
  { kind, id }: Sender,
): Promise<SentFor | undefined> {
  if (kind === "key") {
    const key = (await snapshotKeys(home)).find((each) => each.id === id && each.organizationId === organizationId);
    const works = key !== undefined && whyUnusable(key, Date.now()) === undefined && hasScope(key, "gateway");
    return works ? key.hash : undefined;
  }
  const user = await findUser(home, "id", id);
  if (user === undefined || user.disabled_at !== null) return undefined;
  const membership = (await membershipsOf(home, user)).find((each) => each.id === organizationId);
  const permissions = membership === undefined ? [] : ROLES[membership.role];
  if (!permissions.includes("gateway")) return undefined;
  return {
    ...{
      id,
      organizationId,
      name: user.email,
      hash: "",
      scopes: ["gateway"],
      permissions,
      userId: id,
      userPermissions: permissions,
    },
    ...{ expiresAt: null, revokedAt: null, models: null, credentials: null },
  };
}
