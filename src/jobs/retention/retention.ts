import type { Config } from "../../config.ts";
import type { Age, AgedRecord, AgedRecords } from "../../engine/aged-records.ts";
import { agedRecords } from "../../engine/reader.ts";
import { type Log, messageOf } from "../../log.ts";
import { patiently } from "../../store/database/while-locked.ts";
import { removeEndedInvitations } from "../../store/people/invitations.ts";
import {
  EVERY_ORGANIZATION,
  endOrder,
  inForce,
  noteRun,
  orderedRuns,
  orderRun,
  type RetentionOrder,
  retentionOf,
} from "../../store/retention/retention.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance, Removal } from "../../threads.ts";
import { type Ages, DAY_MS, isTooOld, type Now, youngest } from "./ages.ts";
import { erase } from "./erasing.ts";
import { Leftovers } from "./leftovers.ts";
import { Pace } from "./pace.ts";
import { WholeDays } from "./whole-days.ts";

const TELL_MS = 10_000;

export interface RetentionOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  /** Used for notes on runs; the recorder removes the records. */
  readonly writer: () => Promise<Store>;
  readonly remove: (removal: Removal) => Promise<number>;
  readonly maintain: (task: Maintenance) => Promise<number>;
}

interface Counts {
  records: number;
  bodies: number;
}

/**
 * Removes data that is too old, in steps so small that the recorder and the gateway never wait: between two steps there is a
 * pause. An order is kept until its run has ended, so the next start continues an interrupted run.
 *
 * The caller ensures that only one runs.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #pace: Pace;
  readonly #aged: AgedRecords;
  #reportedAt = 0;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#pace = new Pace();
    this.#aged = agedRecords(options.reader, options.config);
  }

  /** All organizations, then data without one. */
  async run(): Promise<void> {
    await orderRun((await this.#options.writer()).records, EVERY_ORGANIZATION);
    await this.runOrdered();
  }

  /** What was ordered, and what an interrupted run left. */
  async runOrdered(): Promise<void> {
    const orders = await orderedRuns(this.#options.reader.records);
    if (orders.length === 0) return;
    const ofAll = orders.find(({ organizationId }) => organizationId === EVERY_ORGANIZATION);
    const byId = new Map(orders.map((order) => [order.organizationId, order]));
    byId.delete(EVERY_ORGANIZATION);
    try {
      const dropped = await this.#dropDays(ofAll === undefined ? new Set(byId.keys()) : undefined);
      const further = ofAll === undefined ? [] : [...(await this.#aged.organizations()), ...dropped.keys()];
      for (const id of new Set([...byId.keys(), ...further])) {
        if (this.#pace.stopped) return;
        await this.#noted(id, () => this.#clean(id, dropped.get(id)));
        await this.#end(byId.get(id));
      }
      if (!this.#pace.stopped) await this.#tidy();
    } finally {
      // A run that failed is not retried every second.
      for (const order of byId.values()) await this.#end(order);
      await this.#end(ofAll);
    }
  }

  /** Ends after the current step. */
  stop(): void {
    this.#pace.stop();
  }

  /**
   * Drops days that are too old entirely. @param only - organizations. @returns the number of removed records by
   * organization.
   */
  async #dropDays(only?: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const { config, reader, maintain, log } = this.#options;
    const { days } = this.#aged;
    if (days === undefined) return new Map();
    try {
      return await new WholeDays({ config, reader, days, maintain, pace: this.#pace }).drop(this.#now().records, only);
    } catch (cause) {
      log.warn("whole days could not be dropped; the next run continues", { error: messageOf(cause) });
      return new Map();
    }
  }

  /** If days are dropped, a record is as old as the last record of its day. */
  #now(): Now {
    const now = Date.now();
    return { records: this.#aged.days === undefined ? now : now - (now % DAY_MS), bodies: now };
  }

  async #end(order: RetentionOrder | undefined): Promise<void> {
    if (order !== undefined && !this.#pace.stopped) await endOrder((await this.#options.writer()).records, order);
  }

  async #clean(organizationId: string, dropped = 0): Promise<Counts> {
    const { reader, config, log } = this.#options;
    const rule = await retentionOf(reader.records, organizationId);
    const ages: Ages = { ...rule, ...inForce(rule, config) };
    const counts = { records: dropped, bodies: 0 };
    // One time for the complete run: a clock change meanwhile makes nothing older.
    const now = this.#now();
    const before = youngest(ages, now);
    if (before === undefined) return counts;
    let after: Age | undefined;
    const withProperties = ages.properties.length > 0;
    const { look, remove } = this.#aged.steps;
    while (!this.#pace.stopped) {
      const from = after;
      const { last, records, bodies } = await this.#pace.step(async () => {
        const page = await this.#aged.page({ organizationId, before, after: from, limit: look, withProperties });
        return { last: page.at(-1), ...(await this.#judge(ages, page, now)) };
      });
      if (last === undefined) break;
      after = last;
      await this.#pace.each(records, remove, async (requestIds) => {
        counts.records += await this.#options.remove({ organizationId, requestIds, when: "next" });
      });
      await this.#pace.each(bodies, remove, async (requestIds) => {
        counts.bodies += await this.#options.maintain({ kind: "bodies", organizationId, requestIds });
      });
      if (performance.now() - this.#reportedAt < TELL_MS) continue;
      this.#reportedAt = performance.now();
      log.info("retention continues", { organization: organizationId, ...counts });
    }
    return counts;
  }

  /** The records of a page to remove, and those that lose only their bodies, if they still have any. */
  async #judge(ages: Ages, page: readonly AgedRecord[], now: Now): Promise<{ records: string[]; bodies: string[] }> {
    const verdicts = Map.groupBy(page, ({ createdAt, properties }) => isTooOld(ages, createdAt, properties, now));
    const idsOf = (verdict: "record" | "bodies") => (verdicts.get(verdict) ?? []).map(({ requestId }) => requestId);
    return { records: idsOf("record"), bodies: await this.#withBodies(idsOf("bodies")) };
  }

  /** Includes records that show parts of bodies which they do not have: imported ones may. */
  async #withBodies(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const showing = this.#aged.showing(ids);
    const having = await this.#options.reader.content.having(ids);
    return [...new Set([...having, ...(await showing)])];
  }

  async #noted(organizationId: string, work: () => Promise<Counts>): Promise<void> {
    const { writer, log } = this.#options;
    const startedAt = Date.now();
    const counts: Counts = { records: 0, bodies: 0 };
    let error: string | null = null;
    try {
      Object.assign(counts, await work());
      if (this.#pace.stopped) error = "the service was stopped";
    } catch (cause) {
      error = messageOf(cause);
    }
    const logged = { organization: organizationId, ...counts, ...(error !== null && { error }) };
    if (error !== null) log.warn("retention could not be finished; the next run continues", logged);
    else if (counts.records + counts.bodies > 0) log.info("retention is done", logged);
    const { records } = await writer();
    await patiently(() => noteRun(records, organizationId, { startedAt, ...counts, orphans: 0, freed: 0, error }));
  }

  /** Leftovers of crashes, old invitations, and empty pages. */
  async #tidy(): Promise<void> {
    const { reader, maintain, writer, log } = this.#options;
    const startedAt = Date.now();
    const leftovers = new Leftovers({ reader, aged: this.#aged, maintain, pace: this.#pace });
    const orphans = await leftovers.remove();
    await erase(maintain, this.#pace, false);
    const freed = await leftovers.compact();
    if (orphans + freed > 0) log.info("space was freed", { orphans, bytes: freed });
    const { records } = await writer();
    await removeEndedInvitations(records, startedAt);
    await patiently(() => noteRun(records, "", { startedAt, records: 0, bodies: 0, orphans, freed, error: null }));
  }
}
