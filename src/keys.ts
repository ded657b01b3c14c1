import { hash, randomBytes } from "node:crypto";
import { type Permission, SCOPES, type Scope } from "./people/permissions.ts";

export { SCOPES, type Scope };

/** A service key as every thread knows it: never the key itself. Times are milliseconds since 1970. */
export interface KeySnapshot {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** What the scopes allow, less what the user that it belongs to may not do. */
  readonly permissions: readonly Permission[];
  /** The user that it belongs to, or null. */
  readonly userId: string | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Patterns of the models and routes that it may use, with `*`; `!` before one excludes. Null for all. */
  readonly models: readonly string[] | null;
  /** Patterns of the names of credentials that it may use; an empty list leaves it the client's own key. Null for all. */
  readonly credentials: readonly string[] | null;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** How every key begins that was not chosen by its owner. */
export const KEY_PREFIX = "sk-weir-";

/** A new random key of 256 bits, `sk-weir-<region>-<base62>`. */
export function createKey(region: string): string {
  let number = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let digits = "";
  for (; number > 0n; number /= 62n) digits = BASE62[Number(number % 62n)] + digits;
  return `${KEY_PREFIX}${region}-${digits.padStart(43, "0")}`;
}

export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** `admin` implies every other scope. */
export function hasScope(key: KeySnapshot, scope: Scope): boolean {
  return key.scopes.includes(scope) || key.scopes.includes("admin");
}

/** Why a key cannot be used now, or undefined where it can. */
export function whyUnusable(key: KeySnapshot, now: number): "revoked" | "expired" | undefined {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return undefined;
}
