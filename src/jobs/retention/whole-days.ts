import type { Config } from "../../config.ts";
import type { AgedDay, AgedDays, NotedRecord } from "../../engine/aged-records.ts";
import { inForce, retentionOf } from "../../store/retention/retention.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance } from "../../threads.ts";
import { type Ages, DAY_MS, keptOf } from "./ages.ts";
import type { Pace } from "./pace.ts";

/** Maximum noted ids that are read, and freed, in one step. */
const PAGE_ROWS = 20_000;
const STEP_ROWS = 2_000;

interface WholeDaysOptions {
  readonly config: Config;
  readonly reader: Store;
  readonly days: AgedDays;
  readonly maintain: (task: Maintenance) => Promise<number>;
  readonly pace: Pace;
}

/**
 * Drops days of which no organization's rules keep a record. Ids are noted before the drop, so that the bodies and other
 * data of the records can be found afterwards; the next run continues an interrupted one.
 */
export class WholeDays {
  readonly #options: WholeDaysOptions;

  constructor(options: WholeDaysOptions) {
    this.#options = options;
  }

  /**
   * @param now - the beginning of a day.
   * @param only - organizations; a day that also has records of others stays. Undefined for all.
   * @returns the number of removed records by organization.
   */
  async drop(now: number, only?: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const { days, maintain, pace } = this.#options;
    const removed = new Map<string, number>();
    // The ids may be those of a day that was noted but not dropped: existing records are skipped.
    for (const day of await days.noted()) await this.#free(day, removed);
    const agesOf = new Map<string, Ages>();
    for (const aged of await days.before(Math.floor(now / DAY_MS))) {
      const { day, organizationIds } = aged;
      if (pace.stopped) break;
      if (only !== undefined && !organizationIds.every((id) => only.has(id))) continue;
      if (!(await this.#isTooOld(aged, now, agesOf))) continue;
      await days.note(day);
      await pace.step(() => maintain({ kind: "day", day, organizationIds }));
      await this.#free(day, removed);
    }
    return removed;
  }

  /** Whether all records of a day are too old. */
  async #isTooOld({ day, organizationIds }: AgedDay, now: number, known: Map<string, Ages>): Promise<boolean> {
    const { config, reader, days } = this.#options;
    for (const organizationId of organizationIds) {
      let ages = known.get(organizationId);
      if (ages === undefined) {
        const rule = await retentionOf(reader.records, organizationId);
        ages = { ...rule, ...inForce(rule, config) };
        known.set(organizationId, ages);
      }
      const kept = keptOf(ages, (day + 1) * DAY_MS, now);
      if (kept === undefined || (await days.holds({ day, organizationId }, kept))) return false;
    }
    return true;
  }

  async #free(day: number, removed: Map<string, number>): Promise<void> {
    const { days, maintain, pace } = this.#options;
    for (let after: NotedRecord | undefined; !pace.stopped; ) {
      const page = await days.idsOf(day, after, PAGE_ROWS);
      if (page.length === 0) return days.forget(day);
      after = page.at(-1);
      for (const [organizationId, records] of Map.groupBy(page, (each) => each.organizationId)) {
        await pace.each(records, STEP_ROWS, async (some) => {
          const gone = await maintain({ kind: "beside", requestIds: some.map(({ requestId }) => requestId) });
          removed.set(organizationId, (removed.get(organizationId) ?? 0) + gone);
        });
      }
    }
  }
}
