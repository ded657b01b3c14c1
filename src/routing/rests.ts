import type { Failure } from "./failure.ts";

/** The subject of a failure: a credential with the requested model. */
export interface RestSubject {
  /** Unique in the deployment, such as the organization's id and the credential's name. */
  readonly credential: string;
  /** A pause ends when this changes, for example with a new key or address. */
  readonly version: string;
  readonly provider: string;
  readonly model: string;
}

type Resting = Omit<RestSubject, "model"> & { readonly model: string | null };

export interface Health {
  readonly provider: string;
  readonly credential: string;
  /** Null if the credential is paused for all models. */
  readonly model: string | null;
  /** `limit spent` is not kept here: the limits plugin adds it. */
  readonly state: "ready" | "resting" | "trying" | "limit spent";
  /** Milliseconds since 1970. */
  readonly until: number | null;
  /** Failures in a row. */
  readonly failures: number;
  readonly lastError: string | null;
}

interface Entry {
  readonly provider: string;
  readonly credential: string;
  readonly version: string;
  readonly model: string | null;
  until: number;
  /** The planned length of the pause: if the clock is set back it does not get longer. */
  restMs: number;
  /** When the last failures in a row happened, oldest first. */
  failedAt: number[];
  failures: number;
  /** The length of its last pause after several failures. */
  rowMs: number;
  lastError: string | null;
  /** Whether one request probes after a pause. */
  trying: boolean;
  usedAt: number;
}

const RATE_LIMITED_MS = 10_000;
const AUTH_MS = 5 * 60_000;
const ROW_LENGTH = 3;
const ROW_WITHIN_MS = 60_000;
const ROW_MS_MIN = 15_000;
const ROW_MS_MAX = 5 * 60_000;
const ENTRIES_MAX = 10_000;

/**
 * Which credentials are paused, each for one model or altogether. In memory, per process. A later failure never
 * shortens a pause.
 */
export class Rests {
  readonly #entries = new Map<string, Entry>();
  readonly #onRest: (provider: string, model: string | null) => void;

  /** @param onRest - called for each new pause; `model` is null if the credential is paused for all models. */
  constructor(onRest: (provider: string, model: string | null) => void = () => undefined) {
    this.#onRest = onRest;
  }

  /** Milliseconds since 1970 until which it is paused; 0 if it is not. While one request probes, others wait for it. */
  until(subject: RestSubject, now: number): number {
    if (this.#entries.size === 0) return 0;
    const ends = this.#of(subject).map((entry) => {
      entry.until = Math.min(entry.until, now + entry.restMs);
      if (entry.until > now) return entry.until;
      return entry.trying ? now + 1 : 0;
    });
    return Math.max(0, ...ends);
  }

  /** An attempt begins. After several failures it is the probe, until it ends. */
  begin(subject: RestSubject, now: number): void {
    for (const entry of this.#of(subject)) {
      if (entry.rowMs > 0 && entry.until <= now) entry.trying = true;
      entry.usedAt = now;
    }
  }

  /** The attempt's client left before its result was known. */
  release(subject: RestSubject): void {
    for (const entry of this.#of(subject)) entry.trying = false;
  }

  succeed(subject: RestSubject): void {
    if (this.#entries.size === 0) return;
    this.#entries.delete(keyOf(subject.credential, subject.model));
    this.#entries.delete(keyOf(subject.credential, null));
  }

  fail(subject: RestSubject, failure: Failure, now: number): void {
    this.release(subject);
    if (failure.kind === "auth") {
      this.#rest({ ...subject, model: null }, failure, now + Math.max(AUTH_MS, failure.restMs ?? 0), now);
    } else if (failure.status === 429) {
      this.#rest(subject, failure, now + (failure.restMs ?? RATE_LIMITED_MS), now);
    } else if (failure.status >= 500 || failure.status === 0 || failure.kind === "malformed") {
      this.#countRow(subject, failure, now);
    }
  }

  /**
   * Recent failures, most recently used first.
   *
   * @param counts - whether a credential still has this version.
   */
  health(now: number, counts: (credential: string, version: string) => boolean = () => true): Health[] {
    return [...this.#entries.values()]
      .filter(({ credential, version }) => counts(credential, version))
      .sort((a, b) => b.usedAt - a.usedAt)
      .map(({ provider, credential, model, until, failures, lastError, trying }) => ({
        provider,
        credential,
        model,
        state: until > now ? "resting" : trying ? "trying" : "ready",
        until: until > now ? until : null,
        failures,
        lastError,
      }));
  }

  #countRow(subject: RestSubject, failure: Failure, now: number): void {
    const entry = this.#entry(subject, subject.model, now);
    entry.failures++;
    entry.lastError = failure.reason;
    entry.failedAt = [...entry.failedAt.filter((at) => now - at < ROW_WITHIN_MS), now].slice(-ROW_LENGTH);
    // A failed probe is enough to pause again.
    if (entry.failedAt.length < ROW_LENGTH && entry.rowMs === 0) return;
    if (entry.until > now) return;
    entry.rowMs = Math.min(ROW_MS_MAX, entry.rowMs === 0 ? ROW_MS_MIN : entry.rowMs * 2);
    this.#restUntil(entry, now + entry.rowMs, now);
    entry.failedAt = [];
  }

  /** @param resting - its `model` is null if the credential is paused for all models. */
  #rest(resting: Resting, failure: Failure, until: number, now: number): void {
    const entry = this.#entry(resting, resting.model, now);
    entry.failures++;
    entry.lastError = failure.reason;
    this.#restUntil(entry, until, now);
  }

  #restUntil(entry: Entry, until: number, now: number): void {
    if (entry.until <= now && until > now) this.#onRest(entry.provider, entry.model);
    if (until <= entry.until) return;
    entry.until = until;
    entry.restMs = until - now;
  }

  #entry({ credential, version, provider }: Omit<RestSubject, "model">, model: string | null, now: number): Entry {
    const key = keyOf(credential, model);
    let entry = this.#current(key, version);
    if (entry === undefined) {
      if (this.#entries.size >= ENTRIES_MAX) this.#entries.delete(this.#entries.keys().next().value!);
      entry = {
        provider,
        credential,
        version,
        model,
        until: 0,
        restMs: 0,
        failedAt: [],
        failures: 0,
        rowMs: 0,
        lastError: null,
        trying: false,
        usedAt: now,
      };
      this.#entries.set(key, entry);
    }
    entry.usedAt = now;
    return entry;
  }

  #of({ credential, version, model }: RestSubject): Entry[] {
    if (this.#entries.size === 0) return [];
    const keys = [keyOf(credential, model), keyOf(credential, null)];
    return keys.map((key) => this.#current(key, version)).filter((entry) => entry !== undefined);
  }

  #current(key: string, version: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.version === version) return entry;
    this.#entries.delete(key);
    return undefined;
  }
}

const keyOf = (credential: string, model: string | null) => JSON.stringify([credential, model]);
