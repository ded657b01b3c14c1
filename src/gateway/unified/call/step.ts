import type { Failure } from "../../../routing/failure.ts";
import type { Candidate } from "../../../routing/walk.ts";
import type { RetryPlan } from "../../retry/plan.ts";
import type { Written } from "./attempt.ts";
import type { FailedOutcome } from "./outcome.ts";

/** One call to make. */
export interface Step {
  readonly candidate: Candidate;
  /** Members that the provider has reported as unsupported. */
  readonly without: readonly string[];
  /** The issuer whose state may be sent, if not the candidate's own. */
  readonly issuer: string | undefined;
  /** Before the call, for a retry; 0 for any other. */
  readonly waitMs: number;
  /** The failure after which the same candidate is called again, without what it rejected. */
  readonly repeats?: FailedOutcome;
}

/** The result of writing a request, once the files that it needs have been fetched. */
export type WrittenWhole = Exclude<Written, { readonly kind: "fetch" }>;

/** A candidate was not called. */
export interface PassedOver {
  readonly error: unknown;
  /** The failure after which its request would have been the same. */
  readonly sameAs?: FailedOutcome;
}

/**
 * How long a retry waits, as in pass-through. Retries that only the route sets do not wait.
 *
 * @param retry - of this candidate, from 1; 0 if the call is no retry.
 */
export function retryWaitMs(plan: RetryPlan | undefined, retry: number, { restMs = 0 }: Failure): number {
  if (plan === undefined || retry === 0) return 0;
  return Math.max(Math.min(plan.waitMsMax, plan.waitMs * plan.factor ** (retry - 1)), restMs);
}
