import type { RequestKind } from "../../plugin-host/contract.ts";
import type { RequestFacts } from "../seen-request.ts";

/** Maximum kinds remembered; beyond this all are dropped and learned again. */
const KINDS_MAX = 1_000;

/** Requests that were passed on without a question. */
export interface Passed {
  readonly kind: RequestKind;
  requests: number;
}

interface Admitted extends Passed {
  /** The value of `changes` when the plugins were asked. */
  readonly since: number;
}

/** The kinds of requests that the plugins allow as they are: a further gateway thread passes these on without a question. */
export class AdmittedKinds {
  readonly #changes: Int32Array;
  /** By service key, then by the target's origin. */
  #byKey = new Map<string, Map<string, Admitted>>();
  #kinds = 0;
  #passed: Passed[] = [];

  /** @param changes - of `plugin-host/hooks/admissions.ts`, shared by the threads. */
  constructor(changes: Int32Array) {
    this.#changes = changes;
  }

  has(facts: RequestFacts): boolean {
    return this.#find(facts) !== undefined;
  }

  /** Counts a request as passed on if its kind is admitted. */
  pass(facts: RequestFacts): boolean {
    const admitted = this.#find(facts);
    if (admitted === undefined) return false;
    if (admitted.requests++ === 0) this.#passed.push(admitted);
    return true;
  }

  /** What was passed on since the last call. */
  takePassed(): readonly Passed[] {
    const passed = this.#passed.map(({ kind, requests }) => ({ kind, requests }));
    for (const each of this.#passed) each.requests = 0;
    this.#passed = [];
    return passed;
  }

  /** @param since - the value of `changes` when the plugins were asked. */
  learn(facts: RequestFacts, since: number): void {
    if (++this.#kinds > KINDS_MAX) {
      this.#byKey = new Map();
      this.#kinds = 1;
    }
    const admitted = { kind: kindOf(facts), since, requests: 0 };
    const ofKey = this.#byKey.get(facts.keyId);
    if (ofKey === undefined) this.#byKey.set(facts.keyId, new Map([[facts.target.origin, admitted]]));
    else ofKey.set(facts.target.origin, admitted);
  }

  #find(facts: RequestFacts): Admitted | undefined {
    const found = this.#byKey.get(facts.keyId)?.get(facts.target.origin);
    if (found === undefined || found.since !== Atomics.load(this.#changes, 0)) return undefined;
    const { kind } = found;
    const isSame = kind.provider === facts.provider && kind.target.owner === facts.target.owner;
    return isSame && isOfKind(facts) ? found : undefined;
  }
}

/** Whether the kind says all that plugins may judge a request by: see `RequestKind`. */
export const isOfKind = ({ keyModels, credential, gateway }: RequestFacts): boolean =>
  keyModels === null && credential === undefined && !gateway.some(({ setting }) => setting === "ratelimit-policy");

export const kindOf = ({ organizationId, keyId, provider, target }: RequestFacts): RequestKind => ({
  organizationId,
  keyId,
  provider,
  target,
});
