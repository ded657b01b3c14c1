import type { Config } from "../../config.ts";
import { type Log, messageOf } from "../../observe.ts";
import { patiently } from "../../store/database/patiently.ts";
import { inForce, noteRun, orderedRuns, retentionOf, takeOrders } from "../../store/retention/retention.ts";
import type { Store } from "../../store/store.ts";
import type { Maintenance, Removal } from "../../threads.ts";
import { type Ages, isTooOld, type StoredProperty, youngest } from "./ages.ts";
import { erase } from "./erasing.ts";
import { Leftovers } from "./leftovers.ts";
import { Pace } from "./pace.ts";

/** Records looked at in one step, and removed in one. */
const PAGE_ROWS = 1_000;
const STEP_ROWS = 500;
const TELL_MS = 10_000;

export interface RetentionOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  /** For notes on runs; records are removed by whoever writes them. */
  readonly writer: () => Promise<Store>;
  readonly remove: (removal: Removal) => Promise<number>;
  readonly maintain: (task: Maintenance) => Promise<number>;
}

interface Candidate {
  readonly request_id: string;
  readonly seq: number;
  readonly request_created_at: number;
}

interface Counts {
  records: number;
  bodies: number;
}

/**
 * Removes what is older than it may get, in steps so small that the recorder and the gateway never wait for one: between
 * two steps there is a pause. What is left of a run that was cut off the next one removes.
 *
 * One at a time: the caller sees to it.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #pace: Pace;
  #toldAt = 0;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#pace = new Pace();
  }

  /** All organizations, and then what belongs to none. */
  async run(): Promise<void> {
    for (const id of await this.#organizations()) await this.#noted(id, () => this.#clean(id));
    await this.#tidy();
  }

  /** Organizations that asked for it. */
  async runOrdered(): Promise<void> {
    const ordered = await orderedRuns(this.#options.reader.records);
    if (ordered.length === 0) return;
    const { records } = await this.#options.writer();
    await takeOrders(records, ordered);
    for (const id of ordered) await this.#noted(id, () => this.#clean(id));
    await this.#tidy();
  }

  /** The run under way ends after its step. */
  stop(): void {
    this.#pace.stop();
  }

  /** Organizations with records, by one step through the index for each. */
  async #organizations(): Promise<string[]> {
    const sql = `with recursive found(id) as (
        select min(organization_id) from requests
        union all
        select (select min(r.organization_id) from requests r where r.organization_id > found.id) from found
          where found.id is not null
      )
      select id from found where id is not null`;
    const rows = await this.#options.reader.records.query<{ id: string }>({ sql, args: [] });
    return rows.map(({ id }) => id);
  }

  async #clean(organizationId: string): Promise<Counts> {
    const { reader, config, log } = this.#options;
    const rule = await retentionOf(reader.records, organizationId);
    const ages: Ages = { ...rule, ...inForce(rule, config) };
    const counts = { records: 0, bodies: 0 };
    // One time for all of the run: a clock that is set meanwhile makes nothing older.
    const now = Date.now();
    const before = youngest(ages, now);
    if (before === undefined) return counts;
    let after: Candidate = { request_id: "", seq: 0, request_created_at: Number.MIN_SAFE_INTEGER };
    while (!this.#pace.stopped) {
      const from = after;
      const { last, records, bodies } = await this.#pace.step(async () => {
        const page = await this.#page(organizationId, before, from);
        return { last: page.at(-1), ...(await this.#judge(ages, page, now)) };
      });
      if (last === undefined) break;
      after = last;
      await this.#pace.each(records, STEP_ROWS, async (requestIds) => {
        counts.records += await this.#options.remove({ organizationId, requestIds, when: "next" });
      });
      await this.#pace.each(bodies, STEP_ROWS, async (requestIds) => {
        counts.bodies += await this.#options.maintain({ kind: "bodies", organizationId, requestIds });
      });
      if (performance.now() - this.#toldAt < TELL_MS) continue;
      this.#toldAt = performance.now();
      log.info("retention goes on", { organization: organizationId, ...counts });
    }
    return counts;
  }

  async #page(organizationId: string, before: number, after: Candidate): Promise<Candidate[]> {
    const sql = `select request_id, seq, request_created_at from requests
      where organization_id = ? and request_created_at < ? and (request_created_at, request_id) > (?, ?)
      order by request_created_at, request_id limit ${PAGE_ROWS}`;
    const args = [organizationId, before, after.request_created_at, after.request_id];
    return this.#options.reader.records.query<Candidate>({ sql, args });
  }

  /** Which of a page have to go, and which only without bodies; of those the ones that still have some. */
  async #judge(ages: Ages, page: readonly Candidate[], now: number): Promise<{ records: string[]; bodies: string[] }> {
    const properties =
      ages.properties.length === 0 ? new Map<number, StoredProperty[]>() : await this.#properties(page);
    const verdicts = Map.groupBy(page, ({ seq, request_created_at }) =>
      isTooOld(ages, request_created_at, properties.get(seq) ?? [], now),
    );
    const idsOf = (verdict: "record" | "bodies") => (verdicts.get(verdict) ?? []).map(({ request_id }) => request_id);
    return { records: idsOf("record"), bodies: await this.#withBodies(idsOf("bodies")) };
  }

  /** Also those that show something of bodies which they do not have: imported ones may. */
  async #withBodies(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const { content, records } = this.#options.reader;
    const sql = `select request_id from requests
      where request_id in (select value from json_each(?)) and coalesce(input, output) is not null`;
    const showing = records.query<{ request_id: string }>({ sql, args: [JSON.stringify(ids)] });
    const having = await content.having(ids);
    return [...new Set([...having, ...(await showing).map(({ request_id }) => request_id)])];
  }

  async #properties(page: readonly Candidate[]): Promise<Map<number, StoredProperty[]>> {
    const rows = await this.#options.reader.records.query<StoredProperty & { seq: number }>({
      sql: `select seq, name, value, case_erased from properties
        where seq in (select value from json_each(?)) and kind = 0`,
      args: [JSON.stringify(page.map(({ seq }) => seq))],
    });
    return Map.groupBy(rows, ({ seq }) => seq);
  }

  async #noted(organizationId: string, work: () => Promise<Counts>): Promise<void> {
    const { writer, log } = this.#options;
    const startedAt = Date.now();
    const counts: Counts = { records: 0, bodies: 0 };
    let error: string | null = null;
    try {
      Object.assign(counts, await work());
    } catch (cause) {
      error = messageOf(cause);
    }
    const told = { organization: organizationId, ...counts, ...(error !== null && { error }) };
    if (error !== null) log.warn("retention could not be finished; the next run goes on", told);
    else if (counts.records + counts.bodies > 0) log.info("retention is done", told);
    const { records } = await writer();
    await patiently(() => noteRun(records, organizationId, { startedAt, ...counts, orphans: 0, freed: 0, error }));
  }

  /** What crashes left over, and pages that hold nothing any more. */
  async #tidy(): Promise<void> {
    const { reader, maintain, writer, log } = this.#options;
    const startedAt = Date.now();
    const leftovers = new Leftovers({ reader, maintain, pace: this.#pace });
    const orphans = await leftovers.remove();
    await erase(maintain, this.#pace, false);
    const freed = await leftovers.compact();
    if (orphans + freed > 0) log.info("space was freed", { orphans, bytes: freed });
    const { records } = await writer();
    await patiently(() => noteRun(records, "", { startedAt, records: 0, bodies: 0, orphans, freed, error: null }));
  }
}
