import type { DomainRow } from "./shapes.ts";

/** What is looked at of a request that Weir refused. */
export interface RefusedRow {
  readonly error_code: string | null;
  readonly target_url: string | null;
}

/** A host whose requests are refused until an admin approves it. */
export interface UnapprovedHost {
  readonly host: string;
  /** Whether it is a private address, which approval has to open as well. */
  readonly isPrivate: boolean;
  readonly requests: number;
}

/** The limit of an unapproved domain, and an address that is not open. */
const REASONS: ReadonlySet<string> = new Set(["rate_limited", "target_forbidden"]);

/**
 * The hosts that requests were refused for and that an approval would open, the most refused first. A domain that is approved
 * by now, or denied, is not among them.
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
    // A limit of another kind: without a row of its own the domain is a provider's.
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

/** As domains are named: without scheme, port and brackets. */
function hostOf(target: string): string | undefined {
  return URL.parse(target)?.hostname.replace(/^\[|\]$/g, "") || undefined;
}
