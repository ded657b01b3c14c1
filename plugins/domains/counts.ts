import type { PluginJournal, PluginShare, PluginShares } from "weir/plugin";

const DAY_MS = 86_400_000;
const PER_DAY = 10_000;
const PAUSE_MS = 1_000;
/** Unlimited requests are counted only for display, and written to the journal once a second. */
const SHOWN_WRITE_MS = 1_000;
/** Maximum hosts counted at a time for one organization, so that a client with invented names cannot fill the memory. */
const HOSTS_MAX = 20_000;

interface Count {
  readonly organization: string;
  readonly host: string;
  /** Days since 1970, in UTC. */
  day: number;
  requests: number;
  /** Times of the last two requests that the limit allowed; milliseconds since 1970. */
  lastMs: number;
  beforeMs: number;
  /** Shares of a limited host's day and second, if several nodes count together. */
  shares?: { readonly day: number; readonly ofDay: PluginShare; readonly ofSecond: PluginShare };
}

/** Why a request must wait: `text` completes the sentence "it is limited to …"; the wait is in whole seconds. */
export interface SpentRule {
  readonly text: string;
  readonly seconds: number;
}

/** A request to a domain with limits. */
export interface Counted {
  readonly id: string;
  readonly organization: string;
  readonly host: string;
}

/**
 * Requests per organization and host. Limited requests are in the journal before their response, so that not even a kill
 * loses one; a kill may lose the last second of the others.
 */
export class Counts {
  readonly #journal: PluginJournal;
  readonly #organizations = new Map<string, Map<string, Count>>();
  /** Limited requests that have not ended. */
  readonly #taken = new Map<string, { readonly count: Count; readonly day: number; readonly atMs: number }>();
  readonly #unwritten = new Set<Count>();
  #day = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly #shares: PluginShares | undefined;

  constructor(journal: PluginJournal, shares?: PluginShares) {
    this.#journal = journal;
    this.#shares = shares;
    for (const [organization, host, day, requests, lastMs] of journal.read()) {
      Object.assign(this.#count(organization, host), { day, requests, lastMs, beforeMs: lastMs });
    }
    this.#dropBefore(dayOf(Date.now()));
    journal.onCompact(() => this.#all().map(line));
  }

  /** Counts a request, or returns the exhausted rule; then nothing is counted. */
  take({ id, organization, host }: Counted, now: number): SpentRule | undefined {
    const count = this.#countOf(organization, host, now);
    if (count === undefined)
      return {
        text: `no request while ${HOSTS_MAX.toLocaleString("en")} other domains are counted today`,
        seconds: secondsToMidnight(now),
      };
    const { day } = count;
    const shares = this.#sharesOf(count, now);
    if (count.requests >= Math.min(PER_DAY, shares?.ofDay.allowed() ?? PER_DAY))
      return { text: `${PER_DAY.toLocaleString("en")} requests per UTC day`, seconds: secondsToMidnight(now) };
    // A clock that was set back must not lock the domain until it has caught up.
    const spent = Math.abs(now - count.lastMs) < PAUSE_MS || (shares !== undefined && shares.ofSecond.allowed() < 1);
    if (spent) return { text: "1 request per second", seconds: 1 };
    count.requests += 1;
    count.beforeMs = count.lastMs;
    count.lastMs = now;
    this.#taken.set(id, { count, day, atMs: now });
    this.#journal.append(line(count));
    return undefined;
  }

  /** Counts requests without limits. */
  show(organization: string, host: string, requests: number, now: number): void {
    const count = this.#countOf(organization, host, now);
    if (count === undefined) return;
    count.requests += requests;
    this.#writeLater(count);
  }

  /** Requests room from the other nodes for another limited request; undefined if that cannot help. */
  ask(organization: string, host: string, now: number): Promise<unknown> | undefined {
    const count = this.#organizations.get(organization)?.get(host);
    const shares = count?.shares;
    if (count === undefined || shares === undefined || count.requests >= PER_DAY) return undefined;
    if (Math.abs(now - count.lastMs) < PAUSE_MS) return undefined;
    const lacking = [
      ...(count.requests >= shares.ofDay.allowed() ? [shares.ofDay] : []),
      ...(shares.ofSecond.allowed() < 1 ? [shares.ofSecond] : []),
    ];
    if (lacking.length === 0 || !lacking.every((share) => share.mayGrow())) return undefined;
    return Promise.all(lacking.map((share) => share.ask()));
  }

  /** A request has ended; if it did not count, its count is undone. */
  end(id: string, counts: boolean): void {
    const taken = this.#taken.get(id);
    if (taken === undefined) return;
    this.#taken.delete(id);
    const { count, day, atMs } = taken;
    if (counts || count.day !== day) return;
    count.requests -= 1;
    if (count.lastMs === atMs) count.lastMs = count.beforeMs;
    this.#journal.append(line(count));
  }

  /** Counts of one organization, or of all together; by host. */
  today(organization: string | undefined, now: number): ReadonlyMap<string, number> {
    const totals = new Map<string, number>();
    for (const count of this.#all()) {
      if (count.day !== dayOf(now) || (organization !== undefined && count.organization !== organization)) continue;
      totals.set(count.host, (totals.get(count.host) ?? 0) + count.requests);
    }
    return totals;
  }

  close(): void {
    for (const count of this.#all()) release(count);
    clearTimeout(this.#timer);
    this.#writeNow();
  }

  #sharesOf(count: Count, now: number): Count["shares"] {
    const open = this.#shares;
    if (open === undefined || count.shares?.day === count.day) return count.shares;
    release(count);
    const { organization, host, day } = count;
    const ofDay = open.open(
      `${organization} ${host} ${day}`,
      { quota: PER_DAY, windowMs: (day + 1) * DAY_MS - now },
      () => ({
        used: count.day === day ? count.requests : 0,
        likely: 1,
      }),
    );
    const ofSecond = open.open(`${organization} ${host} second`, { quota: 1, windowMs: PAUSE_MS }, () => ({
      used: Math.abs(Date.now() - count.lastMs) < PAUSE_MS ? 1 : 0,
      likely: 1,
    }));
    count.shares = { day, ofDay, ofSecond };
    return count.shares;
  }

  /** The count of today; undefined if too many hosts are counted. */
  #countOf(organization: string, host: string, now: number): Count | undefined {
    const day = dayOf(now);
    if (day !== this.#day) this.#dropBefore(day);
    const hosts = this.#organizations.get(organization);
    if (hosts !== undefined && hosts.size >= HOSTS_MAX && !hosts.has(host)) return undefined;
    const count = this.#count(organization, host);
    if (count.day !== day) Object.assign(count, { day, requests: 0 });
    return count;
  }

  #count(organization: string, host: string): Count {
    let hosts = this.#organizations.get(organization);
    if (hosts === undefined) {
      hosts = new Map();
      this.#organizations.set(organization, hosts);
    }
    let count = hosts.get(host);
    if (count === undefined) {
      count = { organization, host, day: 0, requests: 0, lastMs: 0, beforeMs: 0 };
      hosts.set(host, count);
    }
    return count;
  }

  #all(): Count[] {
    return [...this.#organizations.values()].flatMap((hosts) => [...hosts.values()]);
  }

  /** Drops earlier days' counts, except those of a host whose second has not passed yet. */
  #dropBefore(day: number): void {
    this.#day = day;
    const startMs = day * DAY_MS;
    for (const count of this.#all()) {
      if (count.day === day || count.lastMs > startMs - PAUSE_MS) continue;
      release(count);
      this.#organizations.get(count.organization)!.delete(count.host);
    }
  }

  #writeLater(count: Count): void {
    this.#unwritten.add(count);
    this.#timer ??= setTimeout(() => this.#writeNow(), SHOWN_WRITE_MS).unref();
  }

  #writeNow(): void {
    this.#timer = undefined;
    for (const count of this.#unwritten) this.#journal.append(line(count));
    this.#unwritten.clear();
  }
}

/** The daily limit, and when it resets. */
export const DAILY = {
  requests: PER_DAY,
  resetsAt: (now: number) => new Date((dayOf(now) + 1) * DAY_MS).toISOString(),
} as const;

function release(count: Count): void {
  count.shares?.ofDay.release();
  count.shares?.ofSecond.release();
  delete count.shares;
}

function line({ organization, host, day, requests, lastMs }: Count) {
  return [organization, host, day, requests, lastMs];
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function secondsToMidnight(now: number): number {
  return Math.ceil(((dayOf(now) + 1) * DAY_MS - now) / 1_000);
}
