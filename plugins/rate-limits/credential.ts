import type { LimitUse, PayingCredential } from "weir/plugin";
import type { Bearing } from "./counter.ts";
import type { Ledger } from "./ledger.ts";
import { type Policy, readPolicies } from "./policy.ts";

const KEPT_MAX = 1_000;

/**
 * The limits of credentials: requests and spending, counted per credential and separately from organizations. Counts are
 * kept by window and unit only, so that a changed quota keeps its counts.
 */
export class CredentialLimits {
  readonly #ledger: Ledger;
  /** Cached: the same few texts repeat. */
  readonly #read = new Map<string, readonly Policy[]>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The policies for a call that this credential pays for; undefined if no more counters can be created. */
  bearings(credential: PayingCredential): readonly Bearing[] | undefined {
    const bearings: Bearing[] = [];
    for (const policy of this.#policiesOf(credential)) {
      const counter = this.#ledger.counter(policy, ownerOf(credential), credential.name);
      if (counter === undefined) return undefined;
      bearings.push({ policy, counter, credential: credential.name });
    }
    return bearings;
  }

  uses(credential: PayingCredential, now: number): readonly LimitUse[] {
    return this.#policiesOf(credential).map((policy) => {
      const { unit, quota, span } = policy;
      const counter = this.#ledger.counted(policy, ownerOf(credential), credential.name);
      const left = counter === undefined ? quota : counter.left(policy, now);
      const free = counter === undefined ? span.outAt(now) : now + counter.retrySeconds(policy, now) * 1_000;
      const windowSeconds = (span.outAt(now) - now) / 1_000;
      return { unit, quota, windowSeconds, used: quota - left, spentUntil: left > 0 ? null : free };
    });
  }

  /** @throws if the text is not a list of policies; it is already checked when it is stored. */
  #policiesOf({ name, limit }: PayingCredential): readonly Policy[] {
    if (limit === undefined) return [];
    let policies = this.#read.get(limit);
    if (policies === undefined) {
      const found = readPolicies(limit);
      if (typeof found === "string") throw new Error(`the limit of the credential "${name}" cannot be read: ${found}`);
      policies = tightest(found);
      if (this.#read.size >= KEPT_MAX) this.#read.clear();
      this.#read.set(limit, policies);
    }
    return policies;
  }
}

/** Used instead of an organization's id, so that the counts of organizations and credentials cannot collide. */
const ownerOf = ({ organizationId }: PayingCredential) => `credentials:${organizationId}`;

/** The policy with the smallest quota for each window and unit, because these share their counts. */
function tightest(policies: readonly Policy[]): readonly Policy[] {
  const byCount = new Map<string, Policy>();
  for (const policy of policies) {
    const id = `w=${Number(policy.span.id) / 1_000}`;
    const key = `${policy.unit} ${id}`;
    if (policy.quota < (byCount.get(key)?.quota ?? Number.POSITIVE_INFINITY)) byCount.set(key, { ...policy, id });
  }
  return [...byCount.values()];
}
