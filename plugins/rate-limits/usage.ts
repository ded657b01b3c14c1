import type { Counted } from "./ledger.ts";
import type { Policy } from "./policy.ts";

/** Maximum users or property values shown for a policy: those with the highest use. */
const SEGMENTS_MAX = 20;

interface Used {
  /** In the current window, in the policy's unit; requests in flight count once they are charged. */
  readonly used: number;
  readonly remaining: number;
  /** When the oldest entry expires; null if nothing is counted. */
  readonly resets_at: string | null;
}

/**
 * The use of a policy by one organization: in total, or by segment; then with the values of the segment with the highest
 * use.
 *
 * @param counted - counts of that organization, by unit and id of the policy.
 */
export function usageOf(counted: ReadonlyMap<string, readonly Counted[]>, policy: Policy, now: number) {
  // A counter keeps the span that its policy had at the last request.
  const all = (counted.get(`${policy.unit} ${policy.id}`) ?? [])
    .map(({ segment, counter }) => ({ segment, counter, used: counter.window.total(now, policy.span) }))
    .filter(({ used }) => used > 0);
  const segments = mostUsed(all).map(({ segment, counter, used }): Used & { segment: string } => {
    const reset = counter.window.nextFreeAt(policy.span);
    const resets_at = reset === undefined ? null : new Date(reset).toISOString();
    return { segment, used: rounded(used), remaining: rounded(counter.left(policy, now)), resets_at };
  });
  const { used, remaining, resets_at }: Used = segments[0] ?? { used: 0, remaining: policy.quota, resets_at: null };
  if (policy.segment === null) return { used, remaining, resets_at };
  return { used, remaining, resets_at, segments, segments_total: all.length };
}

function mostUsed(all: readonly Counted[]): readonly Counted[] {
  const order = (a: Counted, b: Counted) => b.used - a.used || (a.segment < b.segment ? -1 : 1);
  if (all.length <= SEGMENTS_MAX) return all.toSorted(order);
  // Sorting all of them would take longer than a request may wait.
  let most: Counted[] = [];
  for (const each of all) {
    if (most.length === SEGMENTS_MAX && order(each, most.at(-1)!) > 0) continue;
    most = [...most, each].sort(order).slice(0, SEGMENTS_MAX);
  }
  return most;
}

/** Removes floating-point drift. */
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;
