import { GatewayError } from "../../errors.ts";
import type { Reach } from "../../filter/sight.ts";
import type { KeySnapshot } from "../../keys.ts";
import type { Acting } from "../../people/actor.ts";
import { type Permission, type Role, SCOPES, scopesWithin } from "../../people/permissions.ts";
import type { SentFor } from "../../unified/through-gateway.ts";

/** Who calls an endpoint, in which organization, and what they may do there. */
export interface Caller extends Acting, Reach {
  readonly permissions: readonly Permission[];
  /** The service key; of a user one that stands for them: without a hash, which no request can bring. */
  readonly key: KeySnapshot;
  /** The user, or undefined for a service key. */
  readonly user: CallingUser | undefined;
}

export interface CallingUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Null where they are in no organization. */
  readonly role: Role | null;
}

/** Characters of a client's `X-Request-Id` that are kept. */
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
    expiresAt: null,
    revokedAt: null,
    models: null,
    credentials: null,
  };
  return { ...acting(actor, from), ...reachOf(organizationId, permissions), key, user };
}

/**
 * For whom the gateway takes what a caller sends through the API. An endpoint has asked for the permission already, so a user
 * needs no scope besides.
 */
export function sentFor({ key, user }: Pick<Caller, "key" | "user">): SentFor {
  return user === undefined ? key.hash : { ...key, scopes: ["gateway"] };
}

/** What of a caller goes to another thread, for the audit log. */
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
  return new GatewayError("insufficient_permission", `this needs the permission ${permission}`, options);
}

/** Who holds metrics and not bodies sees metrics; keys that read nothing see nothing, and delete by any filter as before. */
function reachOf(organizationId: string, permissions: readonly Permission[]): Reach & Pick<Caller, "permissions"> {
  const isLimited = permissions.includes("figures") && !permissions.includes("bodies");
  return { organizationId, sight: isLimited ? "figures" : "bodies", permissions };
}

function acting(actor: Acting["actor"], { request, address }: From): Acting {
  const id = request.headers.get("x-request-id");
  return { actor, address, requestId: id !== null && REQUEST_ID.test(id) ? id : null };
}
