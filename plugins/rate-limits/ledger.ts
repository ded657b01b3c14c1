import type { GatewayAccess, Json, PluginLog, RequestUsage } from "weir/plugin";
import { type Bearing, Counter } from "./counter.ts";
import { holdEntry, replay, type Taken } from "./journal-entries.ts";
import type { Policy } from "./policy.ts";
import { type Span, spanOf } from "./span.ts";

/** Maximum counters at a time for one organization, so that a client with invented segments cannot fill the memory. */
const COUNTERS_MAX = 50_000;
const TIDY_MS = 60_000;
/** Requests that end within this many milliseconds are charged together. */
const GATHER_MS = 5;
const USAGE_QUERY_MAX = 1_000;
/** Maximum counters to process before requests get their turn. */
const LOOKED_AT_ONCE = 2_000;
const RETRY_MS = [100, 250, 500, 1_000] as const;

/** The content of one segment's window. */
export interface Counted {
  readonly segment: string;
  readonly counter: Counter;
  readonly used: number;
}

interface TakenEnd {
  readonly id: string;
  readonly counts: boolean;
  readonly answered: boolean;
  /** The id of the record with the usage; by default the same id. */
  readonly recordId?: string | undefined;
}

/**
 * All counters, and the holds of requests and calls in flight. Every change is in the journal before the response of the
 * request that caused it: `k` names a counter, `+` counts, `-` undoes a count, `h` holds, `c` charges a hold, `l` is the
 * likely charge.
 */
export class Ledger {
  readonly #gateway: GatewayAccess;
  readonly #log: PluginLog;
  readonly #counters = new Map<string, Counter>();
  /** Number of counters by organization. */
  readonly #sizes = new Map<string, number>();
  readonly #inFlight = new Map<string, Taken[]>();
  /** Holds that have ended but are not charged yet, by the id of their request or call. */
  readonly #ended = new Map<string, Taken[]>();
  readonly #tidy: ReturnType<typeof setInterval>;
  #next = 1;
  #charging: Promise<void> | undefined;
  #changed: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(gateway: GatewayAccess, log: PluginLog) {
    this.#gateway = gateway;
    this.#log = log;
    this.#replay(gateway.journal.read());
    gateway.journal.onCompact(() => this.#snapshot());
    this.#tidy = setInterval(() => this.#dropIdle(Date.now()), TIDY_MS).unref();
    if (this.#ended.size > 0) this.#chargeSoon();
  }

  /** The counter of a policy for one organization and segment; undefined if there are too many. */
  counter(policy: Policy, organization: string, segment: string): Counter | undefined {
    const key = keyOf(policy, organization, segment);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      if (this.#isFull(organization)) this.#dropIdle(Date.now());
      if (this.#isFull(organization)) return undefined;
      counter = this.#name(this.#next, key, policy.span);
      this.#gateway.journal.append(["k", counter.number, key, policy.span.id]);
    }
    // The span of a stored policy may have changed.
    counter.span = policy.span;
    if (this.#gateway.shares !== undefined) this.#share(counter, policy);
    return counter;
  }

  /** The counter of a policy for one organization and segment if something was counted, otherwise undefined. */
  counted(policy: Policy, organization: string, segment: string): Counter | undefined {
    return this.#counters.get(keyOf(policy, organization, segment));
  }

  /** Whether there is an open hold with this id. */
  holds(id: string): boolean {
    return this.#inFlight.has(id);
  }

  /**
   * The use of each policy by one organization, by unit and id: segments with the content of their windows. Yields to
   * requests in between, because there may be tens of thousands of segments.
   */
  async countedOf(organization: string): Promise<ReadonlyMap<string, readonly Counted[]>> {
    const start = `${organization} `;
    const found = new Map<string, Counted[]>();
    let looked = 0;
    for (const [key, counter] of this.#counters) {
      looked += 1;
      if (looked % LOOKED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
      const used = key.startsWith(start) ? counter.window.total(Date.now(), counter.span) : 0;
      if (used <= 0) continue;
      // A segment may contain spaces; unit and id cannot.
      const end = key.indexOf(" ", key.indexOf(" ", start.length) + 1);
      const policy = key.slice(start.length, end);
      const others = found.get(policy);
      const counted = { segment: key.slice(end + 1), counter, used };
      if (others === undefined) found.set(policy, [counted]);
      else others.push(counted);
    }
    return found;
  }

  /**
   * Counts one request, or one call of it, under all its policies.
   *
   * @param recordId - the record that will have the usage, if already known.
   * @param calls - how many requests it counts as.
   */
  take(
    id: string,
    bearings: readonly Bearing[],
    now: number,
    { recordId = id, calls = 1 }: { readonly recordId?: string; readonly calls?: number | undefined } = {},
  ): void {
    const { journal } = this.#gateway;
    const taken: Taken[] = [];
    for (const { policy, counter } of bearings) {
      const { unit } = policy;
      if (unit === "request") {
        counter.window.add(now, calls, policy.span);
        journal.append(["+", counter.number, now, calls]);
        taken.push({ counter, recordId, unit, amount: calls, atMs: now });
      } else {
        const amount = counter.toHold(policy, now);
        counter.hold(amount);
        journal.append(holdEntry(id, { counter, recordId, unit, amount, atMs: now }));
        taken.push({ counter, recordId, unit, amount, atMs: now });
      }
    }
    this.#inFlight.set(id, taken);
  }

  /**
   * A request or a call has ended: its hold is undone if it does not count; otherwise it is charged as soon as the usage is
   * known. `answered`: the provider responded completely and without a failure.
   */
  end({ id, counts, answered, recordId = id }: TakenEnd): void {
    const taken = this.#inFlight.get(id);
    if (taken === undefined) return;
    this.#inFlight.delete(id);
    if (!counts) {
      for (const each of taken) this.#giveBack(id, each);
      this.#notifyChange();
      return;
    }
    const held = taken.filter(({ unit }) => unit !== "request").map((each) => ({ ...each, answered, recordId }));
    if (held.length === 0) return;
    this.#setEnded(id, held);
    this.#chargeSoon();
  }

  /** Resolves when a hold is charged or undone, but after `msMax` milliseconds at the latest. */
  change(msMax: number): Promise<void> {
    this.#changed ??= Promise.withResolvers<void>();
    return Promise.race([this.#changed.promise, pause(msMax)]);
  }

  close(): void {
    this.#closed = true;
    for (const { share } of this.#counters.values()) share?.release();
    clearInterval(this.#tidy);
  }

  /** Shares the counter's limit with the other nodes. */
  #share(counter: Counter, policy: Policy): void {
    const now = Date.now();
    // A calendar period ends for the other nodes as well.
    const limit = { quota: policy.quota, windowMs: policy.span.outAt(now) - now };
    if (counter.share !== undefined) counter.share.set(limit);
    else counter.share = this.#gateway.shares?.open(counter.key, limit, () => counter.state(policy.unit, Date.now()));
  }

  #setEnded(id: string, taken: readonly Taken[]): void {
    for (const { counter } of taken) counter.ended += 1;
    this.#ended.set(id, [...(this.#ended.get(id) ?? []), ...taken]);
  }

  #giveBack(id: string, { counter, unit, amount, atMs }: Taken): void {
    const { journal } = this.#gateway;
    if (unit === "request") {
      counter.window.remove(atMs, amount);
      journal.append(["-", counter.number, atMs, amount]);
    } else {
      counter.release(amount);
      journal.append(["c", counter.number, id, 0, Date.now(), counter.likely]);
    }
  }

  #chargeSoon(): void {
    this.#charging ??= this.#chargeAll();
  }

  async #chargeAll(): Promise<void> {
    await pause(GATHER_MS);
    const ids = [...this.#ended.keys()].slice(0, USAGE_QUERY_MAX);
    const recordIds = new Set(ids.map((id) => this.#ended.get(id)![0]!.recordId));
    let used: readonly RequestUsage[] | undefined;
    for (let attempt = 0; used === undefined && !this.#closed; attempt++) {
      try {
        used = await this.#gateway.usageOf([...recordIds]);
      } catch (error) {
        // Holds stay, because a budget with unknown spending must not be exceeded.
        if (attempt === 0) this.#log.warn(`usage cannot be read; reserved amounts stay: ${(error as Error).message}`);
        await pause(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]!);
      }
    }
    const byId = new Map(used?.map((usage) => [usage.requestId, usage]));
    for (const id of used === undefined ? [] : ids) {
      for (const taken of this.#ended.get(id)!) this.#charge(id, taken, byId.get(taken.recordId));
      this.#ended.delete(id);
    }
    this.#notifyChange();
    this.#charging = undefined;
    if (this.#ended.size > 0 && !this.#closed) this.#chargeSoon();
  }

  #notifyChange(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  #charge(id: string, { counter, unit, amount, answered }: Taken, usage: RequestUsage | undefined): void {
    const now = Date.now();
    const cost = usage?.cost ?? null;
    const charge = unit === "tokens" ? (usage?.totalTokens ?? null) : cost === null ? null : cost * 100;
    counter.ended -= 1;
    counter.release(amount);
    if (charge !== null || answered === true) counter.learn(charge);
    if (charge !== null && charge > 0) counter.window.add(now, charge, counter.span);
    this.#gateway.journal.append(["c", counter.number, id, charge ?? 0, now, counter.likely]);
  }

  #name(number: number, key: string, span: Span): Counter {
    const counter = new Counter(key, number, span);
    this.#counters.set(key, counter);
    this.#resize(key, 1);
    this.#next = Math.max(this.#next, number + 1);
    return counter;
  }

  /** Holds of an earlier run are charged from their records. */
  #replay(entries: readonly Json[]): void {
    const held = replay(entries, (number, key, span) => this.#name(number, key, spanOf(span, this.#gateway.periodOf)));
    for (const { id, taken } of held) this.#setEnded(id, [taken]);
    this.#dropIdle(Date.now());
  }

  *#snapshot(): Generator<Json> {
    this.#dropIdle(Date.now());
    for (const { number, key, span, likely, window } of this.#counters.values()) {
      yield ["k", number, key, span.id];
      if (likely !== undefined) yield ["l", number, likely];
      for (const [time, amount] of window.entries()) yield ["+", number, time, amount];
    }
    for (const [id, taken] of [...this.#inFlight, ...this.#ended]) {
      for (const each of taken) if (each.unit !== "request") yield holdEntry(id, each);
    }
  }

  #dropIdle(now: number): void {
    for (const [key, counter] of this.#counters) {
      if (!counter.isIdle(now)) continue;
      counter.share?.release();
      this.#counters.delete(key);
      this.#resize(key, -1);
    }
  }

  #isFull(organization: string): boolean {
    return (this.#sizes.get(organization) ?? 0) >= COUNTERS_MAX;
  }

  /** Keys begin with the organization. */
  #resize(key: string, by: 1 | -1): void {
    const organization = key.slice(0, key.indexOf(" "));
    const size = (this.#sizes.get(organization) ?? 0) + by;
    if (size === 0) this.#sizes.delete(organization);
    else this.#sizes.set(organization, size);
  }
}

/** Segments come last, because they may contain spaces. */
const keyOf = ({ unit, id }: Policy, organization: string, segment: string) =>
  `${organization} ${unit} ${id} ${segment}`;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
