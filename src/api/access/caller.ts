import { GatewayError } from "../../errors.ts";
import type { Reach } from "../../filter/sight.ts";
import type { KeySnapshot } from "../../keys.ts";
import type { Acting } from "../../people/actor.ts";
import { holdersOf, type Permission, type Role, SCOPES, scopesWithin } from "../../people/permissions.ts";
import type { SentFor } from "../../unified/through-gateway.ts";

/** The caller of an endpoint, the organization, and what the caller may do there. */
export interface Caller extends Acting, Reach {
  readonly permissions: readonly Permission[];
  /** The service key; for a user a stand-in without a hash, which no request can present. */
  readonly key: KeySnapshot;
  /** The user, or undefined for a service key. */
  readonly user: CallingUser | undefined;
}

interface CallingUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Null if they belong to no organization. */
  readonly role: Role | null;
}

/** The accepted form of a client's `X-Request-Id`. */
const REQUEST_ID = /^[\x21-\x7e]{1,200}$/;

interface From {
  readonly request: Request;
  readonly address: string | null;
}

export function callerOfKey(key: KeySnapshot, from: From): Caller {
  const actor = { kind: "key", id: key.id, name: key.name } as const;
  return { ...acting(actor, from), ...reachOf(key.organizationId, key.permissions), key, user: undefined };
}

export function callerOfUser(
  user: CallingUser,
  organizationId: string,
  permissions: readonly Permission[],
  from: From,
): Caller {
  const actor = { kind: "user", id: user.id, name: user.email } as const;
  const key: KeySnapshot = {
    id: user.id,
    organizationId,
    name: user.email,
    hash: "",
    scopes: scopesWithin(SCOPES, permissions),
    permissions,
    userId: user.id,
    userPermissions: permissions,
    expiresAt: null,
    revokedAt: null,
    models: null,
    credentials: null,
  };
  return { ...acting(actor, from), ...reachOf(organizationId, permissions), key, user };
}

/**
 * For whom the gateway sends a caller's request that came through the API. The endpoint has already checked the permission,
 * so a user needs no scope.
 */
export function sentFor({ key, user }: Pick<Caller, "key" | "user">): SentFor {
  return user === undefined ? key.hash : { ...key, scopes: ["gateway"] };
}

/** The part of a caller that other threads get, for the audit log. */
export function actingOf({ actor, address, requestId }: Acting): Acting {
  return { actor, address, requestId };
}

export function may({ permissions }: Pick<Caller, "permissions">, permission: Permission): boolean {
  return permissions.includes(permission);
}

/** @throws GatewayError `insufficient_permission`. */
export function require(caller: Pick<Caller, "permissions">, permission: Permission, path?: string): void {
  if (!may(caller, permission)) throw lacks(permission, path);
}

export function lacks(permission: Permission, path?: string): GatewayError {
  const options = path === undefined ? {} : { path };
  const message = `this needs the permission ${permission}: ${holdersOf(permission)}`;
  return new GatewayError("insufficient_permission", message, options);
}

/** A caller with `figures` but not `bodies` sees metrics. Keys that read nothing see nothing; they may still delete by any filter. */
function reachOf(organizationId: string, permissions: readonly Permission[]): Reach & Pick<Caller, "permissions"> {
  const isLimited = permissions.includes("figures") && !permissions.includes("bodies");
  return { organizationId, sight: isLimited ? "figures" : "bodies", permissions };
}

function acting(actor: Acting["actor"], { request, address }: From): Acting {
  const id = request.headers.get("x-request-id");
  return { actor, address, requestId: id !== null && REQUEST_ID.test(id) ? id : null };
}
