import { createHash } from "node:crypto";
import type { IsIssuer } from "./affinity.ts";
import type { Credential } from "./credential.ts";
import { type Failure, leadsTo } from "./failure.ts";
import type { Ordered } from "./order.ts";
import { rendezvous, shuffled } from "./rendezvous.ts";
import type { RestSubject, Rests } from "./rests.ts";
import type { RouteTarget } from "./route.ts";

/** A possible call: a target with its paying credential. */
export interface Candidate {
  readonly target: Ordered;
  /** The stored credential, or "client" for the key that came with the request. */
  readonly credential: Credential | "client";
  /** The model's name at the provider, with this credential. */
  readonly model: string;
}

export interface WalkParts {
  readonly rests: Rests;
  /** Whether the client's own key serves this target. */
  readonly hasOwnKey: (target: Ordered) => boolean;
  /** The common key of a session's requests; undefined for a random choice. */
  readonly seed: string | undefined;
  /** Retries of one candidate, if the request sets them; else the route's value. */
  readonly retries: number | undefined;
  /** A provider that requests a longer wait is not retried; undefined without a limit. */
  readonly waitMsMax?: number | undefined;
  readonly random: () => number;
  /** The issuer of the state in the request: tried before a target's other credentials. */
  readonly isIssuer?: IsIssuer | undefined;
}

/**
 * Walks through the candidates of one request, in order: the next credential of a provider after a rejected or exhausted
 * one, then the next target that handles the failure. Each candidate is tried once, except for retries.
 */
export class Walk {
  readonly #parts: WalkParts;
  readonly #targets: readonly Ordered[];
  readonly #candidates: readonly Candidate[];
  /** Candidates that were tried or skipped. */
  readonly #done = new Set<Candidate>();
  readonly #passed = new Set<Ordered>();
  #tries = 0;
  /** Whether the last failure leads to a candidate; undefined while no call has failed. */
  #leads: ((candidate: Candidate) => boolean) | undefined;

  constructor(targets: readonly Ordered[], parts: WalkParts) {
    this.#parts = parts;
    this.#targets = targets;
    const candidates: Candidate[] = [];
    for (const target of targets) if (target.skipped === undefined) candidates.push(...candidatesOf(target, parts));
    this.#candidates = candidates;
  }

  /** In the order in which they are tried if each fails. */
  get candidates(): readonly Candidate[] {
    return this.#candidates;
  }

  /** Conditions of `when` that the request does not meet, if they exclude every target. */
  get unmet(): readonly string[] {
    const unmet = this.#targets.flatMap(({ skipped }) => skipped ?? []);
    return unmet.length === this.#targets.length ? [...new Set(unmet)] : [];
  }

  /** The first that is not paused. If all are, the one whose pause ends first: a pause never refuses a request. */
  first(now: number): Candidate | undefined {
    return this.#take(this.#next(() => true, now) ?? this.#firstToEnd(now));
  }

  /** The next step after a failure of the last candidate; undefined if the failure goes to the client. */
  afterFailure(failed: Candidate, failure: Failure, now: number): Candidate | undefined {
    const other = failure.kind === "auth" || failure.status === 429;
    const isSibling = (each: Candidate) => other && each.target === failed.target;
    const place = this.#candidates.indexOf(failed);
    const leads = (each: Candidate) =>
      this.#candidates.indexOf(each) > place && each.target !== failed.target && leadsTo(onOf(each.target), failure);
    this.#leads = (each) => isSibling(each) || leads(each);
    const sibling = this.#next(isSibling, now);
    if (sibling !== undefined) return this.#take(sibling);
    const retries = this.#parts.retries ?? failed.target.retries;
    const isSoon = (failure.restMs ?? 0) <= (this.#parts.waitMsMax ?? Number.POSITIVE_INFINITY);
    if (isRetryable(failure) && isSoon && this.#tries <= retries) {
      this.#tries++;
      return failed;
    }
    return this.#take(this.#next(leads, now));
  }

  /** The next step after a candidate that was skipped, because it cannot take the request or a rule refused it. */
  afterPassing(now: number): Candidate | undefined {
    if (this.#leads !== undefined) return this.#take(this.#next(this.#leads, now));
    return this.#take(this.#next(() => true, now) ?? this.#firstToEnd(now));
  }

  /** The remaining candidate whose pause ends first. */
  #firstToEnd(now: number): Candidate | undefined {
    const left = this.#candidates.filter((candidate) => !this.#done.has(candidate));
    const ends = left.map((candidate) => this.#restsUntil(candidate, now));
    return left[ends.indexOf(Math.min(...ends))];
  }

  /** Drops every candidate of this target: it cannot take the request with any credential. */
  passOver(target: Ordered): void {
    this.#passed.add(target);
    for (const candidate of this.#candidates) if (candidate.target === target) this.#done.add(candidate);
  }

  /** Whether it could not take the request. */
  isPassedOver(target: Ordered): boolean {
    return this.#passed.has(target);
  }

  /** Whether any failure could still lead to another candidate. */
  get hasMore(): boolean {
    return this.#candidates.some((candidate) => !this.#done.has(candidate));
  }

  #next(wanted: (candidate: Candidate) => boolean, now: number): Candidate | undefined {
    return this.#candidates.find(
      (candidate) => !this.#done.has(candidate) && wanted(candidate) && this.#restsUntil(candidate, now) === 0,
    );
  }

  #take(candidate: Candidate | undefined): Candidate | undefined {
    if (candidate === undefined) return undefined;
    this.#done.add(candidate);
    this.#tries = 1;
    return candidate;
  }

  #restsUntil(candidate: Candidate, now: number): number {
    const restSubject = restSubjectOf(candidate);
    return restSubject === undefined ? 0 : this.#parts.rests.until(restSubject, now);
  }
}

/** The key of pauses; undefined for a client's own key, which is never paused because each client brings its own. */
export function restSubjectOf(candidate: Candidate): RestSubject | undefined {
  const { target, credential, model } = candidate;
  if (credential === "client") return undefined;
  let restSubject = restSubjects.get(candidate);
  if (restSubject === undefined) {
    restSubject = {
      credential: restKeyOf(credential),
      version: versionOf(credential),
      provider: target.provider.name,
      model,
    };
    restSubjects.set(candidate, restSubject);
  }
  return restSubject;
}

const restSubjects = new WeakMap<Candidate, RestSubject>();

export const restKeyOf = ({ organizationId, name }: Credential): string => JSON.stringify([organizationId, name]);

/** A hash of what a provider's refusal depends on; a hash, because it is kept longer than the secrets. */
export function versionOf(credential: Credential): string {
  let version = versions.get(credential);
  if (version === undefined) {
    const { secrets, settings, baseUrl, headers } = credential;
    version = createHash("sha256")
      .update(JSON.stringify([secrets, settings, baseUrl, headers]))
      .digest("base64url");
    versions.set(credential, version);
  }
  return version;
}

const versions = new WeakMap<Credential, string>();

const isRetryable = ({ kind, status, exhausted }: Failure) =>
  exhausted !== true &&
  (kind === "network" || kind === "timeout" || kind === "malformed" || status === 429 || status >= 500);

/** The failures that lead to a target: from the innermost setting that lists any. */
function onOf({ path }: Ordered): RouteTarget["on"] {
  return path.findLast(({ on }) => on !== undefined)?.on;
}

/** The calls that may be made for a target, in their order. */
export function candidatesOf(target: Ordered, parts: WalkParts): readonly Candidate[] {
  const [credential, ...others] = target.credentials;
  if (credential === undefined || others.length > 0 || parts.hasOwnKey(target)) return arrangedFor(target, parts);
  let only = onlyOnes.get(target);
  if (only === undefined) {
    only = arrangedFor(target, parts);
    onlyOnes.set(target, only);
  }
  return only;
}

/** Targets with one credential need no choice: their requests share the candidate. */
const onlyOnes = new WeakMap<Ordered, readonly Candidate[]>();

function arrangedFor(target: Ordered, parts: WalkParts): Candidate[] {
  const stored = arranged(target.credentials, parts).map(
    (credential): Candidate => ({ target, credential, model: modelAt(credential, target.model) }),
  );
  const all: Candidate[] = parts.hasOwnKey(target)
    ? [{ target, credential: "client", model: target.model }, ...stored]
    : stored;
  const { isIssuer } = parts;
  if (isIssuer === undefined || all.length < 2) return all;
  const rank = ({ credential }: Candidate) => (isIssuer(target, credential) ? 0 : 1);
  return all.sort((a, b) => rank(a) - rank(b));
}

/** The model's name with this credential. */
export function modelAt({ modelMap }: Credential, model: string): string {
  return Object.hasOwn(modelMap, model) ? modelMap[model]! : model;
}

function arranged(credentials: readonly Credential[], { seed, random }: WalkParts): readonly Credential[] {
  const opened = credentials.filter(({ secrets }) => secrets !== undefined);
  if (opened.length < 2) return opened;
  const weightOf = ({ weight }: Credential) => weight;
  if (seed === undefined) return shuffled(opened, weightOf, random);
  return rendezvous(opened, seed, ({ organizationId, name }) => JSON.stringify([organizationId, name]), weightOf);
}
