import type { Config } from "../../config.ts";
import type { AgedDay, AgedDays, NotedRecord, TestedDay } from "../../engine/aged-records.ts";
import { inForce, retentionOf } from "../../store/retention/retention.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance } from "../../threads.ts";
import { type Ages, DAY_MS, keptOf } from "./ages.ts";
import type { Pace } from "./pace.ts";

/** Maximum noted ids that are read, and freed, in one step. */
const PAGE_ROWS = 20_000;
const STEP_ROWS = 2_000;
/** Maximum days that are dropped together, unless they have more records than a page. A day takes the database 10 to 40 ms. */
const DAYS_TOGETHER = 30;

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
    await this.#free(await days.noted(), removed);
    const present = await days.before(Math.floor(now / DAY_MS));
    const asked =
      only === undefined ? present : present.filter((day) => day.organizationIds.every((id) => only.has(id)));
    for (const some of inGroups(await this.#over(asked, now))) {
      if (pace.stopped) break;
      const held = await days.having(some.flatMap(({ kept }) => kept));
      const free = some.filter(({ day }) => !held.has(day));
      if (free.length === 0) continue;
      const numbers = free.map(({ day }) => day);
      await days.note(numbers);
      await pace.step(() =>
        maintain({ kind: "days", days: free.map(({ day, organizationIds }) => ({ day, organizationIds })) }),
      );
      await this.#free(numbers, removed);
    }
    return removed;
  }

  /** Days of which all records are too old, except those that a property keeps. */
  async #over(present: readonly AgedDay[], now: number): Promise<readonly OverDay[]> {
    const { config, reader } = this.#options;
    const agesOf = new Map<string, Ages>();
    for (const organizationId of new Set(present.flatMap(({ organizationIds }) => organizationIds))) {
      const rule = await retentionOf(reader.records, organizationId);
      agesOf.set(organizationId, { ...rule, ...inForce(rule, config) });
    }
    return present.flatMap((aged): OverDay[] => {
      const kept: TestedDay[] = [];
      for (const organizationId of aged.organizationIds) {
        const tests = keptOf(agesOf.get(organizationId)!, (aged.day + 1) * DAY_MS, now);
        if (tests === undefined) return [];
        if (tests.length > 0) kept.push({ day: aged.day, organizationId, tests });
      }
      return [{ ...aged, kept }];
    });
  }

  async #free(numbers: readonly number[], removed: Map<string, number>): Promise<void> {
    if (numbers.length === 0) return;
    const { days, maintain, pace } = this.#options;
    for (let after: NotedRecord | undefined; !pace.stopped; ) {
      const page = await days.idsOf(numbers, after, PAGE_ROWS);
      if (page.length === 0) return days.forget(numbers);
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

/** A day that is too old, and the records that a property may keep. */
interface OverDay extends AgedDay {
  readonly kept: readonly TestedDay[];
}

function* inGroups(days: readonly OverDay[]): Generator<readonly OverDay[]> {
  let some: OverDay[] = [];
  let records = 0;
  for (const day of days) {
    if (some.length === DAYS_TOGETHER || (some.length > 0 && records + day.records > PAGE_ROWS)) {
      yield some;
      some = [];
      records = 0;
    }
    some.push(day);
    records += day.records;
  }
  if (some.length > 0) yield some;
}
