import type { Counter } from "./counter.ts";
import type { Ledger } from "./ledger.ts";
import { policyOf } from "./policy.ts";
import type { StoredPolicy } from "./stored.ts";

/** Users or property values that are shown of a policy: those that used most of it. */
const SEGMENTS_MAX = 20;

export interface Used {
  /** In the window that ends now, in the policy's unit; what is in flight counts once it is charged. */
  readonly used: number;
  readonly remaining: number;
  /** When something that was counted leaves the window; null where nothing is counted. */
  readonly resets_at: string | null;
}

/**
 * How much of a policy one organization has used: all together, or by segment, where the figures are those of the
 * segment that used most.
 */
export function usageOf(ledger: Ledger, stored: StoredPolicy, organization: string | undefined, now: number) {
  const policy = policyOf(stored.id, stored.quota, stored.window_seconds, stored.unit, stored.segment);
  const measure = (counter: Counter): Used => {
    const used = counter.window.total(now, policy.windowMs);
    const reset = counter.window.nextFreeAt(policy.windowMs);
    return {
      used: rounded(used),
      remaining: rounded(counter.left(policy, now)),
      resets_at: used <= 0 || reset === undefined ? null : new Date(reset).toISOString(),
    };
  };
  const owner = organization ?? stored.organization;
  const counted = owner === null ? [] : [...ledger.countersOf(policy.id, policy.unit, owner)];
  const segments = counted
    .map(([segment, counter]) => ({ segment, ...measure(counter) }))
    .filter(({ used }) => used > 0)
    .sort((a, b) => b.used - a.used || (a.segment < b.segment ? -1 : 1));
  const { used, remaining, resets_at }: Used = segments[0] ?? { used: 0, remaining: policy.quota, resets_at: null };
  if (stored.segment === null) return { used, remaining, resets_at };
  return { used, remaining, resets_at, segments: segments.slice(0, SEGMENTS_MAX), segments_total: segments.length };
}

/** Sums of fractions drift. */
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;
