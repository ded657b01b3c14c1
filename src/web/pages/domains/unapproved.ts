import type { DomainRow } from "./shapes.ts";

/** The members of a request that Weir refused. */
export interface RefusedRow {
  readonly error_code: string | null;
  readonly target_url: string | null;
}

/** A host whose requests are refused until an admin approves it. */
interface UnapprovedHost {
  readonly host: string;
  /** Whether it is a private address, which approval must also allow. */
  readonly isPrivate: boolean;
  readonly requests: number;
}

/** The rate limit of an unapproved domain, and a private address that is not allowed. */
const REASONS: ReadonlySet<string> = new Set(["rate_limited", "target_forbidden"]);

/**
 * The hosts of refused requests that an approval would help, most refusals first. Domains that have been approved or denied
 * since are left out.
 */
export function unapprovedHosts(rows: readonly RefusedRow[], domains: readonly DomainRow[]): readonly UnapprovedHost[] {
  const known = new Map(domains.map((row) => [row.domain, row]));
  const hosts = new Map<string, UnapprovedHost>();
  for (const { error_code: code, target_url: target } of rows) {
    const host = target === null ? undefined : hostOf(target);
    if (host === undefined || code === null || !REASONS.has(code)) continue;
    const domain = known.get(host);
    const isPrivate = code === "target_forbidden";
    if (domain?.state === "denied" || (domain?.state === "approved" && (!isPrivate || domain.private))) continue;
    // Another rate limit: a domain without a row of its own is a provider's.
    if (!isPrivate && domain === undefined) continue;
    const before = hosts.get(host);
    hosts.set(host, {
      host,
      isPrivate: isPrivate || before?.isPrivate === true,
      requests: (before?.requests ?? 0) + 1,
    });
  }
  return [...hosts.values()].sort((a, b) => b.requests - a.requests);
}

/** The name of the domain: without scheme, port and brackets. */
function hostOf(target: string): string | undefined {
  return URL.parse(target)?.hostname.replace(/^\[|\]$/g, "") || undefined;
}
