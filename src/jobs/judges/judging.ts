import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import { keysOf } from "../../engine/record-source.ts";
import { hasScope, type KeySnapshot, whyUnusable } from "../../keys.ts";
import { type Log, messageOf } from "../../log.ts";
import { JUDGE } from "../../record/rating-sources.ts";
import type { PassedOn } from "../../runtime/http/pass-on.ts";
import type { Remote } from "../../runtime/rpc.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { within } from "../../runtime/within.ts";
import type { MappingsOfProviders } from "../../store/bodies/body-text.ts";
import { askJudge, type JudgeOutcome, loadJudged, verdictOfCall } from "../../store/judges/ask-judge.ts";
import {
  changeJudgement,
  dropJudgements,
  type Judgement,
  judgedAmong,
  judgementsOf,
  periodEnd,
  periodStart,
  spentSince,
} from "../../store/judges/judgements.ts";
import {
  FAILURES_MAX,
  findJudge,
  type Judge,
  listJudges,
  noteProblem,
  noteSuccess,
} from "../../store/judges/judges.ts";
import type { JudgeVerdict } from "../../store/judges/verdict.ts";
import { snapshotKeys } from "../../store/keys.ts";
import { type Database, localPath, type Store } from "../../store/store.ts";
import type { RecorderFunctions } from "../../threads.ts";
import { Candidates } from "./candidates.ts";

/** Concurrent records per judge. */
const AT_ONCE = 4;
/** Attempts per record if the judge's response cannot be read. */
const READABLE_TRIES = 2;
/** Attempts if the call fails; each failed attempt also counts as a failure of the judge. */
const CALL_TRIES = 5;
/** A call of another node may still be in progress: its limit is two minutes. */
const ELSEWHERE_MS = 150_000;
const STOP_MS = 2_000;
const REST_MS = 30_000;
const REST_MS_MAX = 600_000;

interface JudgingOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  /** The database with keys. */
  readonly keys: Database;
  readonly recorder: Pick<Remote<RecorderFunctions>, "update" | "barrier" | "usageOf">;
  readonly passedOn: PassedOn;
  readonly ofProviders: MappingsOfProviders;
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/** The failure of a judge, which decides whether it continues; undefined if nothing failed. */
type Failure =
  | {
      readonly error: string;
      readonly restMs?: number;
      /** The number of failures that it counts as; default 1. */
      readonly counts?: number;
    }
  | undefined;

/**
 * Has models score records. The database holds the records to judge before a call, and the id of a call before it is made: a
 * restart neither judges twice nor skips anything. Each judge has a few independent workers.
 */
export class Judging {
  readonly #options: JudgingOptions;
  readonly #candidates: Candidates;
  /** By the judge's id: the current search, and the workers. */
  readonly #finding = new Map<string, Promise<void>>();
  readonly #workers = new Map<string, Set<Promise<void>>>();
  /** Records claimed by a worker: judge and request. */
  readonly #taken = new Set<string>();
  /** Open calls of this process. */
  readonly #asking = new Set<string>();
  #looking: Promise<void> | undefined;
  readonly #leaving = new AbortController();
  #stopped = false;

  constructor(options: JudgingOptions) {
    this.#options = options;
    this.#candidates = new Candidates(options);
  }

  /** Starts due work. To be called every second. */
  look(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** The gateway is about to stop: starts no new calls and aborts long ones. */
  pause(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    setTimeout(() => this.#leaving.abort(), STOP_MS).unref();
  }

  /** Waits a while for open calls; later responses are recorded, and are found at the next start. */
  async stop(): Promise<void> {
    this.pause();
    await this.#looking;
    const all = [...this.#finding.values(), ...[...this.#workers.values()].flatMap((workers) => [...workers])];
    await within(Promise.all(all), STOP_MS * 2, () => undefined);
  }

  async #look(): Promise<void> {
    if (!this.#goesOn) return;
    try {
      for (const judge of await listJudges(this.#options.reader.records)) {
        if (isResting(judge) || this.#finding.has(judge.id)) continue;
        const finding = this.#quietly(judge.id, async () => {
          await this.#recover(judge);
          await this.#candidates.find(judge);
          await this.#startWorkers(judge);
        });
        this.#finding.set(
          judge.id,
          finding.finally(() => this.#finding.delete(judge.id)),
        );
      }
    } catch (error) {
      this.#options.log.debug("judges cannot be read", { error: messageOf(error) });
    }
  }

  get #goesOn(): boolean {
    return !this.#stopped && this.#options.isMine();
  }

  /** The same work starts again at the next check. */
  async #quietly(judge: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#stopped) this.#options.log.warn("a judge cannot continue", { judge, error: messageOf(error) });
    }
  }

  async #startWorkers(judge: Judge): Promise<void> {
    const workers = this.#workers.get(judge.id) ?? new Set<Promise<void>>();
    this.#workers.set(judge.id, workers);
    const waiting = await judgementsOf(this.#options.reader.records, judge.id, "waiting", AT_ONCE);
    for (let more = Math.min(waiting.length, AT_ONCE - workers.size); more > 0; more--) {
      const worker = this.#quietly(judge.id, () => this.#work(judge.id)).finally(() => workers.delete(worker));
      workers.add(worker);
    }
  }

  /** Judges records one at a time, until none waits. */
  async #work(judgeId: string): Promise<void> {
    while (this.#goesOn) {
      const { records } = this.#options.reader;
      const judge = await findJudge(records, judgeId);
      if (judge === undefined || isResting(judge)) return;
      const waiting = await judgementsOf(records, judgeId, "waiting", AT_ONCE * 2);
      const next = waiting.find((judgement) => !this.#taken.has(nameOf(judgement)));
      if (next === undefined) return;
      this.#taken.add(nameOf(next));
      try {
        // Another worker may have taken it since the list was read.
        const isWaiting = (await judgedAmong(records, judgeId, [next.request_id])).get(next.request_id) === "waiting";
        if (isWaiting && !(await this.#ask(judge, next))) return;
      } finally {
        this.#taken.delete(nameOf(next));
      }
    }
  }

  /** Calls that were open when the service ended: their recorded responses are used, or they are made again. */
  async #recover(judge: Judge): Promise<void> {
    const { reader, config, recorder } = this.#options;
    const isShared = localPath(config) === undefined;
    const lost = (await judgementsOf(reader.records, judge.id, "asking", 100)).filter(
      ({ call_id, updated_at }) =>
        !this.#asking.has(call_id ?? "") && (!isShared || updated_at < Date.now() - ELSEWHERE_MS),
    );
    if (lost.length === 0) return;
    await recorder.barrier();
    for (const judgement of lost) {
      const call = await this.#recordOf(judge, judgement.call_id ?? "");
      if (call !== undefined && call.response_status === null) continue;
      const verdicts = call && (await verdictOfCall(reader, call, judge, this.#options.ofProviders));
      if (verdicts !== undefined) await this.#keep(judge, judgement, verdicts, sum(judgement.cost, call?.cost));
      else await this.#change(judgement, { state: "waiting" });
    }
  }

  /** @returns whether there may be more work now. */
  async #ask(judge: Judge, judgement: Judgement): Promise<boolean> {
    const key = (await snapshotKeys(this.#options.keys)).find(({ id }) => id === judge.key_id);
    const hindrance = (await this.#budgetFailure(judge)) ?? keyFailure(key, judge);
    const failure = hindrance ?? (await this.#judge(judge, judgement, key!.hash));
    if (failure === undefined) await noteSuccess((await this.#options.writer()).records, judge.id);
    else await this.#noteFailure(judge, failure);
    return hindrance === undefined;
  }

  /** Judges one record. @returns the failure, if any. */
  async #judge(judge: Judge, judgement: Judgement, keyHash: string): Promise<Failure> {
    const { reader, recorder, passedOn, ofProviders } = this.#options;
    const row = await this.#recordOf(judge, judgement.request_id);
    if (row === undefined) return this.#drop(judgement);
    const named = judge.reference === null ? undefined : JSON.parse(row.properties)[judge.reference];
    const reference = judgement.reference ?? named ?? null;
    const record = await loadJudged(reader, row, { reference, ofProviders });
    if (record.output === "") {
      await this.#change(judgement, { state: "skipped", error: "there is no readable recorded response" });
      return undefined;
    }
    const callId = uuidv7();
    const attempts = judgement.attempts + 1;
    this.#asking.add(callId);
    try {
      await this.#change(judgement, { state: "asking", call_id: callId, attempts });
      const outcome = await askJudge({ passedOn, keyHash, callId, signal: this.#leaving.signal }, judge, record);
      // A call aborted by a stop is made again at the next start.
      if (this.#stopped && outcome.kind !== "verdict") return undefined;
      const [used] = await recorder.usageOf([callId]);
      const cost = sum(judgement.cost, used?.cost);
      if (outcome.kind === "verdict") {
        await this.#keep(judge, judgement, outcome.verdicts, cost);
        return judge.budget !== null && used?.cost == null ? priceFailure(judge) : undefined;
      }
      const isOver = attempts >= (outcome.kind === "judge" ? CALL_TRIES : READABLE_TRIES) || isFinal(outcome);
      await this.#change(judgement, { state: isOver ? "failed" : "waiting", error: outcome.error, cost });
      return failureOf(outcome, judge);
    } finally {
      this.#asking.delete(callId);
    }
  }

  async #recordOf({ organization_id }: Judge, requestId: string) {
    const { reader, config } = this.#options;
    return (await engineReader(reader, config).source.records(organization_id, keysOf([requestId])))[0];
  }

  /** Stores the scores, then marks them as stored: repeating it changes nothing. */
  async #keep(
    judge: Judge,
    judgement: Judgement,
    verdicts: readonly JudgeVerdict[],
    cost: number | null,
  ): Promise<void> {
    const source = `${JUDGE}${judge.id}`;
    const kept = await this.#options.recorder.update({
      requestId: judgement.request_id,
      organizationId: judge.organization_id,
      scores: Object.fromEntries(verdicts.map(({ name, value }) => [name, value])),
      ratings: Object.fromEntries(
        verdicts.map(({ name, label, reason }) => [name, { source, author: judge.name, label, reason }]),
      ),
    });
    if (kept === null) await this.#drop(judgement);
    else await this.#change(judgement, { state: "done", cost, error: null });
  }

  async #budgetFailure({ id, budget }: Judge): Promise<Failure> {
    if (budget === null) return undefined;
    const now = Date.now();
    const spent = await spentSince(this.#options.reader.records, id, periodStart(budget, now));
    if (spent < budget.dollars) return undefined;
    return {
      error: `the budget of $${budget.dollars} a ${budget.per} is exhausted`,
      restMs: periodEnd(budget, now) - now,
      counts: 0,
    };
  }

  async #noteFailure({ id, name }: Judge, { error, restMs = 0, counts = 1 }: NonNullable<Failure>): Promise<void> {
    this.#options.log.warn("a judge makes no progress", { judge: id, name, error });
    const restsUntil = restMs > 0 ? Date.now() + restMs : null;
    await noteProblem((await this.#options.writer()).records, id, { problem: error, counts, restsUntil });
  }

  async #change(judgement: Judgement, change: Parameters<typeof changeJudgement>[2]): Promise<void> {
    await changeJudgement((await this.#options.writer()).records, judgement, change);
  }

  async #drop({ judge_id, request_id }: Judgement): Promise<undefined> {
    await dropJudgements((await this.#options.writer()).records, judge_id, [request_id]);
    return undefined;
  }
}

const nameOf = ({ judge_id, request_id }: Judgement) => `${judge_id} ${request_id}`;

/** Whether its failures have stopped or paused it. */
const isResting = ({ failures, rests_until }: Judge) => failures >= FAILURES_MAX || (rests_until ?? 0) > Date.now();

function keyFailure(key: KeySnapshot | undefined, judge: Judge): Failure {
  if (key === undefined || key.organizationId !== judge.organization_id)
    return { error: "its service key is gone: choose another one", counts: FAILURES_MAX };
  const why = whyUnusable(key, Date.now());
  if (why !== undefined)
    return { error: `its service key "${key.name}" is ${why}: choose another one`, counts: FAILURES_MAX };
  if (hasScope(key, "gateway")) return undefined;
  return { error: `its service key "${key.name}" lacks the scope gateway: choose another one`, counts: FAILURES_MAX };
}

const priceFailure = ({ model }: Judge): Failure => ({
  error: `the price of ${model} is not known, so its budget cannot be kept: set a price, or remove the budget`,
  counts: FAILURES_MAX,
});

/** A call that the provider refuses because of its content is not repeated. */
const isFinal = (outcome: JudgeOutcome) => outcome.kind === "record" && outcome.answer === undefined;

function failureOf(outcome: Exclude<JudgeOutcome, { kind: "verdict" }>, { failures }: Judge): Failure {
  const { error } = outcome;
  if (outcome.kind === "record") return { error };
  const restMs =
    outcome.waitSeconds === undefined ? REST_MS * 2 ** Math.min(failures, 10) : outcome.waitSeconds * 1_000;
  return { error, restMs: Math.min(restMs, REST_MS_MAX) };
}

/** Null where neither is known. */
function sum(before: number | null, more: number | null | undefined): number | null {
  return before === null && more == null ? null : (before ?? 0) + (more ?? 0);
}
