import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import { keysOf, type RecordSource } from "../../engine/record-source.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { NEWEST_FIRST } from "../../filter/sort.ts";
import { both, type FilterTree, isAmong, onColumn } from "../../filter/tree.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { callsAmong, type Judgement, judgementsOf, settleJudgements } from "../../store/judges/judgements.ts";
import type { Judge } from "../../store/judges/judges.ts";
import { isSampled } from "../../store/judges/sampling.ts";
import type { Store } from "../../store/store.ts";

/** New records that are checked in one step. */
const STEP_ROWS = 500;
/** Maximum records waiting for a judge; the others stay new. */
const WAITING_MAX = 1_000;
const QUERY_MS = 60_000;
/** A record that is not found may still become visible on the queried server for this long. */
const SETTLED_MS = 600_000;

interface CandidatesOptions {
  readonly config: Config;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

/** Decides which of a judge's queued records are judged. */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #source: RecordSource;

  constructor(options: CandidatesOptions) {
    this.#options = options;
    this.#source = engineReader(options.reader, options.config).source;
  }

  async find(judge: Judge): Promise<void> {
    const { reader, writer } = this.#options;
    for (;;) {
      const waiting = await judgementsOf(reader.records, judge.id, "waiting", WAITING_MAX);
      if (waiting.length >= WAITING_MAX) return;
      const added = await judgementsOf(reader.records, judge.id, "new", STEP_ROWS);
      if (added.length === 0) return;
      const { settled, fitting } = judge.enabled
        ? await this.#look(judge, added)
        : { settled: added.map(({ request_id }) => request_id), fitting: new Set<string>() };
      if (settled.length === 0) return;
      await settleJudgements((await writer()).records, judge.id, settled, fitting);
    }
  }

  /** @returns the records for which the decision is made, and those of them to judge. */
  async #look(judge: Judge, added: readonly Judgement[]) {
    const ids = added.map(({ request_id }) => request_id);
    const columns = ["request_id", "response_status"] as const;
    const rows = await this.#source.columns(judge.organization_id, keysOf(ids), columns);
    const status = new Map(rows.map(({ request_id, response_status }) => [request_id, response_status]));
    const before = Date.now() - SETTLED_MS;
    const settled = added
      .filter(({ request_id: id, created_at }) => (status.has(id) ? status.get(id) !== null : created_at < before))
      .map(({ request_id }) => request_id);
    const calls = await callsAmong(this.#options.reader.records, settled);
    const own = settled.filter((id) => status.has(id) && !calls.has(id) && isSampled(judge, id));
    return { settled, fitting: await this.#fitting(judge, own) };
  }

  /** The given records that have a response and match the judge's filter. */
  async #fitting(judge: Judge, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const { tree } = decodeFilter(judge.filter, "legacy");
    const scope = {
      organizationId: judge.organization_id,
      tree: both(both(isAmong("request_id", ids), SUCCEEDED), tree),
    };
    const deadline = new Deadline(QUERY_MS);
    const { keys } = await this.#source.page(scope, { sort: NEWEST_FIRST, limit: ids.length, offset: 0, deadline });
    return new Set(keys.map(({ requestId }) => requestId));
  }
}

const SUCCEEDED: FilterTree = {
  kind: "and",
  terms: [onColumn("response_status", "number", "gte", 200), onColumn("response_status", "number", "lte", 299)],
};
