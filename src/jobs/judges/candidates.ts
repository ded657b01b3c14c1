import { createHash } from "node:crypto";
import type { Config } from "../../config.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { selectRecords } from "../../filter/select.ts";
import { JUDGE_PROPERTY } from "../../store/judges/ask-judge.ts";
import {
  addJudgements,
  callsAmong,
  dropJudgements,
  judgementsOf,
  type NewJudgement,
} from "../../store/judges/judgements.ts";
import { type Judge, notePosition } from "../../store/judges/judges.ts";
import { localPath, type Store } from "../../store/store.ts";

/** Records per statement. */
const STEP_ROWS = 5_000;
/** Records of other nodes may get their numbers out of order; after this time they are complete. */
const SETTLED_MS = 30_000;
const BEHIND_MAX = 20_000;
/** Maximum records waiting for a judge; no new ones are added above it. */
const WAITING_MAX = 1_000;

interface CandidatesOptions {
  readonly config: Config;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

interface Row {
  readonly seq: number;
  readonly request_id: string;
  readonly response_status: number | null;
  readonly attempt_of: string | null;
  readonly updated_at: number;
  readonly judge: string | null;
}

/** Finds new records for a judge, and queues them. */
export class Candidates {
  readonly #options: CandidatesOptions;

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  async find(judge: Judge): Promise<void> {
    await this.#ended(judge);
    if (!judge.enabled) return;
    const { reader, writer } = this.#options;
    let { position } = judge;
    for (;;) {
      const waiting = await judgementsOf(reader.records, judge.id, "waiting", WAITING_MAX);
      if (waiting.length >= WAITING_MAX) return;
      const [newest] = await reader.records.query<{ top: number }>({
        sql: "select coalesce(max(seq), 0) as top from requests",
        args: [],
      });
      const rows = await this.#rows(judge, position, newest!.top);
      await this.#add(judge, rows);
      const next = rows.length === STEP_ROWS ? rows.at(-1)!.seq : this.#upTo(rows, position, newest!.top);
      if (next > position) await notePosition((await writer()).records, { id: judge.id, position: next });
      position = Math.max(position, next);
      if (rows.length < STEP_ROWS) return;
    }
  }

  #rows({ organization_id }: Judge, after: number, upTo: number): Promise<Row[]> {
    return this.#options.reader.records.query<Row>({
      // The plus keeps SQLite from scanning all of the organization's records.
      sql: `select seq, request_id, response_status, attempt_of, updated_at,
          json_extract(properties, '$."${JUDGE_PROPERTY}"') as judge
        from requests where seq > ? and seq <= ? and +organization_id = ? order by seq limit ${STEP_ROWS}`,
      args: [after, upTo, organization_id],
    });
  }

  /** The position before which no new record can appear. */
  #upTo(rows: readonly Row[], position: number, top: number): number {
    if (localPath(this.#options.config) !== undefined) return top;
    const before = Date.now() - SETTLED_MS;
    const fresh = rows.findIndex(({ updated_at }) => updated_at > before);
    const settled = fresh === -1 ? rows.at(-1) : rows[fresh - 1];
    const bound = fresh === -1 ? top : rows[fresh]!.seq - 1;
    return Math.max(settled?.seq ?? position, Math.min(bound, top - BEHIND_MAX));
  }

  async #add(judge: Judge, rows: readonly Row[]): Promise<void> {
    const sampled = rows.filter(
      (row) => row.attempt_of === null && row.judge === null && isSampled(judge, row.request_id),
    );
    if (sampled.length === 0) return;
    const { reader, writer } = this.#options;
    const calls = await callsAmong(
      reader.records,
      sampled.map(({ request_id }) => request_id),
    );
    const own = sampled.filter(({ request_id }) => !calls.has(request_id));
    const fits = await this.#fitting(
      judge,
      own.filter(({ response_status }) => response_status !== null).map(({ seq }) => seq),
    );
    const added = own.flatMap(({ request_id, response_status }): NewJudgement[] => {
      if (response_status === null) return [{ request_id, state: "in_flight" }];
      return fits.has(request_id) ? [{ request_id, state: "waiting" }] : [];
    });
    await addJudgements((await writer()).records, judge, added);
  }

  /** Records that were in flight at the last check, and are not any more. */
  async #ended(judge: Judge): Promise<void> {
    const { reader, writer } = this.#options;
    const open = await judgementsOf(reader.records, judge.id, "in_flight", STEP_ROWS);
    if (open.length === 0) return;
    const ids = open.map(({ request_id }) => request_id);
    const rows = await reader.records.query<Pick<Row, "seq" | "request_id" | "response_status">>({
      sql: "select seq, request_id, response_status from requests where request_id in (select value from json_each(?))",
      args: [JSON.stringify(ids)],
    });
    const flying = new Set(rows.filter((row) => row.response_status === null).map(({ request_id }) => request_id));
    const fits = await this.#fitting(
      judge,
      rows.filter((row) => row.response_status !== null).map(({ seq }) => seq),
    );
    const over = ids.filter((id) => !flying.has(id));
    const { records } = await writer();
    await dropJudgements(records, judge.id, over);
    const waiting = over.filter((id) => fits.has(id));
    await addJudgements(
      records,
      judge,
      waiting.map((request_id) => ({ request_id, state: "waiting" })),
    );
  }

  /** Ids of the given records that have a response and match the judge's filter. */
  async #fitting(judge: Judge, seqs: readonly number[]): Promise<ReadonlySet<string>> {
    if (seqs.length === 0) return new Set();
    const scope = { organizationId: judge.organization_id, tree: decodeFilter(judge.filter, "legacy").tree };
    const statement = selectRecords(scope, "r.request_id as request_id", () => "", {
      source: { kind: "rows", seqs },
      where: () => "r.response_status between 200 and 299",
    });
    const rows = await this.#options.reader.records.query<{ request_id: string }>(statement);
    return new Set(rows.map(({ request_id }) => request_id));
  }
}

/** Deterministic per record: the selection does not depend on the time of the check. */
export function isSampled({ id, share }: Pick<Judge, "id" | "share">, requestId: string): boolean {
  const number = createHash("sha256").update(`${id} ${requestId}`).digest().readUInt32BE();
  return number / 2 ** 32 < share / 100;
}
