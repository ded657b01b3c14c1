import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import { keysOf } from "../../engine/record-source.ts";
import { hasScope, type KeySnapshot, whyUnusable } from "../../keys.ts";
import { type Log, messageOf } from "../../observe.ts";
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
import type { Verdict } from "../../store/judges/verdict.ts";
import { snapshotKeys } from "../../store/keys.ts";
import { type Database, localPath, type Store } from "../../store/store.ts";
import type { RecorderFunctions } from "../../threads.ts";
import { Candidates } from "./candidates.ts";

/** Records that one judge is asked about at once. */
const AT_ONCE = 4;
/** How often a record is tried where the judge's answer cannot be read. */
const READABLE_TRIES = 2;
/** And where it could not be asked: each of these is a failure of the judge as well. */
const ASKED_TRIES = 5;
/** A call that another node made may still be under way: it has two minutes. */
const ELSEWHERE_MS = 150_000;
const STOP_MS = 2_000;
const REST_MS = 30_000;
const REST_MS_MAX = 600_000;

export interface JudgingOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  /** Where keys stand. */
  readonly keys: Database;
  readonly recorder: Pick<Remote<RecorderFunctions>, "amend" | "barrier" | "usageOf">;
  readonly passedOn: PassedOn;
  readonly ofProviders: MappingsOfProviders;
  /** Whether this node does the jobs. */
  readonly isMine: () => boolean;
}

/** Why a judge goes on to the next record or does not: undefined where nothing failed. */
type Failure =
  | {
      readonly error: string;
      readonly restMs?: number;
      /** As how many failures it counts; 1 unless given. */
      readonly counts?: number;
    }
  | undefined;

/**
 * Has models score records. What is to be judged stands in the database before anything is asked, and the id of a call before
 * the call: a restart neither judges twice nor passes anything over. A judge has a few workers; none waits for another.
 */
export class Judging {
  readonly #options: JudgingOptions;
  readonly #candidates: Candidates;
  /** By the judge's id: what is looked for now, and the workers that ask. */
  readonly #finding = new Map<string, Promise<void>>();
  readonly #workers = new Map<string, Set<Promise<void>>>();
  /** Records that a worker has taken: judge and request. */
  readonly #taken = new Set<string>();
  /** Calls that this process waits for. */
  readonly #asking = new Set<string>();
  #looking: Promise<void> | undefined;
  readonly #leaving = new AbortController();
  #stopped = false;

  constructor(options: JudgingOptions) {
    this.#options = options;
    this.#candidates = new Candidates(options);
  }

  /** Starts what is due. To be called every second. */
  look(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** The gateway is about to stop: nothing more is asked, and calls that take longer are broken off. */
  pause(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    setTimeout(() => this.#leaving.abort(), STOP_MS).unref();
  }

  /** Calls under way are waited for a while; what they are answered after that is recorded, and found at the next start. */
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
        if (isKept(judge) || this.#finding.has(judge.id)) continue;
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

  /** The same is begun again at the next look. */
  async #quietly(judge: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#stopped) this.#options.log.warn("a judge cannot go on", { judge, error: messageOf(error) });
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

  /** Asks about one record after the other, until none waits. */
  async #work(judgeId: string): Promise<void> {
    while (this.#goesOn) {
      const { records } = this.#options.reader;
      const judge = await findJudge(records, judgeId);
      if (judge === undefined || isKept(judge)) return;
      const waiting = await judgementsOf(records, judgeId, "waiting", AT_ONCE * 2);
      const next = waiting.find((judgement) => !this.#taken.has(nameOf(judgement)));
      if (next === undefined) return;
      this.#taken.add(nameOf(next));
      try {
        // Another worker may have had it since the list was read.
        const isWaiting = (await judgedAmong(records, judgeId, [next.request_id])).get(next.request_id) === "waiting";
        if (isWaiting && !(await this.#ask(judge, next))) return;
      } finally {
        this.#taken.delete(nameOf(next));
      }
    }
  }

  /** Calls that were under way when the service ended: what they were answered is recorded, or they are made again. */
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
      const [call] = await engineReader(reader, config).source.records(
        judge.organization_id,
        keysOf([judgement.call_id ?? ""]),
      );
      if (call !== undefined && call.response_status === null) continue;
      const verdicts = call && (await verdictOfCall(reader, call, judge, this.#options.ofProviders));
      if (verdicts !== undefined) await this.#keep(judge, judgement, verdicts, sum(judgement.cost, call?.cost));
      else await this.#change(judgement, { state: "waiting" });
    }
  }

  /** @returns whether there may be more to ask now. */
  async #ask(judge: Judge, judgement: Judgement): Promise<boolean> {
    const key = (await snapshotKeys(this.#options.keys)).find(({ id }) => id === judge.key_id);
    const hindrance = (await this.#whyBroke(judge)) ?? whyNoKey(key, judge);
    const failure = hindrance ?? (await this.#judge(judge, judgement, key!.hash));
    if (failure === undefined) await noteSuccess((await this.#options.writer()).records, judge.id);
    else await this.#noteFailure(judge, failure);
    return hindrance === undefined;
  }

  /** Asks about one record. @returns what failed. */
  async #judge(judge: Judge, judgement: Judgement, keyHash: string): Promise<Failure> {
    const { reader, config, recorder, passedOn, ofProviders } = this.#options;
    const [row] = await engineReader(reader, config).source.records(
      judge.organization_id,
      keysOf([judgement.request_id]),
    );
    if (row === undefined) return this.#drop(judgement);
    const named = judge.reference === null ? undefined : JSON.parse(row.properties)[judge.reference];
    const reference = judgement.reference ?? named ?? null;
    const record = await loadJudged(reader, row, { reference, ofProviders });
    if (record.output === "") {
      await this.#change(judgement, { state: "skipped", error: "no response was recorded that can be read" });
      return undefined;
    }
    const callId = uuidv7();
    const attempts = judgement.attempts + 1;
    this.#asking.add(callId);
    try {
      await this.#change(judgement, { state: "asking", call_id: callId, attempts });
      const outcome = await askJudge({ passedOn, keyHash, callId, signal: this.#leaving.signal }, judge, record);
      // What a stop has broken off is asked for again at the next start.
      if (this.#stopped && outcome.kind !== "verdict") return undefined;
      const [used] = await recorder.usageOf([callId]);
      const cost = sum(judgement.cost, used?.cost);
      if (outcome.kind === "verdict") {
        await this.#keep(judge, judgement, outcome.verdicts, cost);
        return judge.budget !== null && used?.cost == null ? noPrice(judge) : undefined;
      }
      const isOver = attempts >= (outcome.kind === "judge" ? ASKED_TRIES : READABLE_TRIES) || isFinal(outcome);
      await this.#change(judgement, { state: isOver ? "failed" : "waiting", error: outcome.error, cost });
      return failureOf(outcome, judge);
    } finally {
      this.#asking.delete(callId);
    }
  }

  /** Stores the scores, then that they are stored: the same once more changes nothing. */
  async #keep(judge: Judge, judgement: Judgement, verdicts: readonly Verdict[], cost: number | null): Promise<void> {
    const source = `${JUDGE}${judge.id}`;
    const kept = await this.#options.recorder.amend({
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

  async #whyBroke({ id, budget }: Judge): Promise<Failure> {
    if (budget === null) return undefined;
    const now = Date.now();
    const spent = await spentSince(this.#options.reader.records, id, periodStart(budget, now));
    if (spent < budget.dollars) return undefined;
    return {
      error: `the budget of $${budget.dollars} a ${budget.per} is spent`,
      restMs: periodEnd(budget, now) - now,
      counts: 0,
    };
  }

  async #noteFailure({ id, name }: Judge, { error, restMs = 0, counts = 1 }: NonNullable<Failure>): Promise<void> {
    this.#options.log.warn("a judge does not get on", { judge: id, name, error });
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

/** Stopped after many failures, or resting. */
const isKept = ({ failures, rests_until }: Judge) => failures >= FAILURES_MAX || (rests_until ?? 0) > Date.now();

function whyNoKey(key: KeySnapshot | undefined, judge: Judge): Failure {
  if (key === undefined || key.organizationId !== judge.organization_id)
    return { error: "its service key is gone: choose another one", counts: FAILURES_MAX };
  const why = whyUnusable(key, Date.now());
  if (why !== undefined)
    return { error: `its service key "${key.name}" is ${why}: choose another one`, counts: FAILURES_MAX };
  if (hasScope(key, "gateway")) return undefined;
  return { error: `its service key "${key.name}" lacks the scope gateway: choose another one`, counts: FAILURES_MAX };
}

const noPrice = ({ model }: Judge): Failure => ({
  error: `the price of ${model} is not known, so its budget cannot be kept: set a price, or remove the budget`,
  counts: FAILURES_MAX,
});

/** What the provider refuses for what the record says is not asked again. */
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
