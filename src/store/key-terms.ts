import { GatewayError } from "../errors.ts";
import { SCOPES, type Scope } from "../keys.ts";
import { readIsoTime } from "../record/iso-time.ts";

export const DEFAULT_SCOPES: readonly Scope[] = ["gateway", "read", "write"];

/** @throws GatewayError `invalid_body` for an unknown scope or an empty list. */
export function parseScopes(names: readonly string[]): readonly Scope[] {
  const wrong = names.findIndex((name) => !SCOPES.includes(name as Scope));
  if (wrong !== -1 || names.length === 0) {
    const what = wrong === -1 ? "no scope given" : `there is no scope ${JSON.stringify(names[wrong]!.slice(0, 100))}`;
    const path = wrong === -1 ? "scopes" : `scopes.${wrong}`;
    throw new GatewayError("invalid_body", `${what}; scopes are ${SCOPES.join(", ")}`, { path });
  }
  return SCOPES.filter((scope) => names.includes(scope));
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const EXPIRY_MAX_MS = Date.UTC(9999, 11, 31);

/**
 * When a key expires: `90s`, `15m`, `12h`, `30d` from `now`, or an ISO 8601 date.
 *
 * @returns milliseconds since 1970.
 * @throws GatewayError `invalid_body` for anything else, and for a time in the past.
 */
export function parseExpiry(text: string, now: number): number {
  const fail = (why: string) => new GatewayError("invalid_body", `expires: ${why}`, { path: "expires" });
  const [, amount, unit] = /^(\d{1,12})([smhd])$/.exec(text) ?? [];
  const at = amount === undefined ? readIsoTime(text) : now + Number(amount) * UNIT_MS[unit!]!;
  if (at === undefined) throw fail("give a duration such as 90s, 15m, 12h or 30d, or an ISO 8601 date");
  if (at <= now) throw fail("the time has already passed");
  return Math.min(Math.floor(at), EXPIRY_MAX_MS);
}

const GRACE_MAX_MS = 30 * 86_400_000;

/** How long an old secret stays valid after a rotation, such as `24h`. @throws GatewayError `invalid_body`. */
export function parseGrace(text: string): number {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = amount === undefined ? Number.NaN : Number(amount) * UNIT_MS[unit!]!;
  if (ms <= GRACE_MAX_MS) return ms;
  throw new GatewayError("invalid_body", "grace: give a duration such as 30m or 24h, 30d at most", { path: "grace" });
}

/**
 * Applies an organization's limit to the time at which a key expires.
 *
 * @param maxDays - 0 for no limit.
 * @throws GatewayError `invalid_body` when the requested time is later.
 */
export function boundedExpiry(requested: number | null, maxDays: number, now: number): number | null {
  if (maxDays === 0) return requested;
  const latest = now + maxDays * 86_400_000;
  if (requested === null) return latest;
  if (requested <= latest) return requested;
  throw new GatewayError("invalid_body", `expires: keys of this organization work for ${maxDays} days at most`, {
    path: "expires",
  });
}

const PATTERNS_MAX = 200;
const PATTERN = /^!?[^\s,!\p{Cc}][^\s,\p{Cc}]{0,299}$/u;

/**
 * Patterns of what a key may use, such as `openai/*`; `!` before one excludes.
 *
 * @param member - `models` or `credentials`; only `credentials` may be empty, for callers that send providers' keys
 * themselves.
 * @throws GatewayError `invalid_body`.
 */
export function parsePatterns(patterns: readonly string[], member: "models" | "credentials"): readonly string[] {
  const fail = (path: string, why: string) => new GatewayError("invalid_body", `${path}: ${why}`, { path });
  if (patterns.length === 0 && member === "models")
    throw fail(member, "give at least one pattern, or none of this for all");
  if (patterns.length > PATTERNS_MAX) throw fail(member, `give ${PATTERNS_MAX} patterns at most`);
  const wrong = patterns.findIndex((pattern) => !PATTERN.test(pattern));
  const example = member === "models" ? '"openai/*", "fast" or "!openai/gpt-5-pro"' : '"team-*" or "!team-test"';
  if (wrong !== -1) throw fail(`${member}.${wrong}`, `give a pattern such as ${example}`);
  return patterns;
}
