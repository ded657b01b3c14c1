import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import { type RecordedCall, recordedCalls } from "../../engine/recorded-calls.ts";
import { type Log, messageOf } from "../../log.ts";
import type { PassedOn } from "../../runtime/http/pass-on.ts";
import type { Remote } from "../../runtime/rpc.ts";
import { itemPages } from "../../store/datasets/items.ts";
import { callName, madeCalls, putResults, type RunResult, resultTotals } from "../../store/datasets/run-results.ts";
import { finishRun, type Run, type RunState } from "../../store/datasets/runs.ts";
import { findSentFor } from "../../store/people/sent-for.ts";
import type { Database, Store } from "../../store/store.ts";
import type { RecorderFunctions } from "../../threads.ts";
import type { SentFor } from "../../unified/through-gateway.ts";
import { type Call, type CallOutcome, makeCall } from "./call.ts";

/** Items per read. */
const PAGE = 100;
/** Consecutive failed calls before the run stops: the cause affects all of them. */
const FAILURES_MAX = 25;
/** Calls between two checks of the sender's permission. */
const SENDER_CALLS = 50;
const RECORDER_PAUSE_MS = 1_000;

export interface RunWorkOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  /** The database with keys and users. */
  readonly home: Database;
  readonly recorder: Pick<Remote<RecorderFunctions>, "barrier">;
  readonly passedOn: PassedOn;
}

/** Why a run ends early. `left`: another node or the next start continues it. */
type End = "left" | { readonly state: RunState; readonly reason: string | null };

interface Finished extends Call {
  readonly outcome: CallOutcome;
}

/** Makes the remaining calls of one run, and stores each result as soon as its record exists. */
export class RunWork {
  readonly #options: RunWorkOptions;
  readonly #run: Run;
  #end: End | undefined;
  #isAbandoned = false;
  #inFlight = 0;
  #finished: Finished[] = [];
  #noting: Promise<void> | undefined;
  #wake = Promise.withResolvers<void>();
  #spent = 0;
  /** The most expensive call so far; undefined before the first. */
  #dearest: number | undefined;
  #failedInARow = 0;
  #sentFor: SentFor | undefined;
  #callsSinceCheck = SENDER_CALLS;

  constructor(run: Run, options: RunWorkOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** Starts no further calls. */
  leave(): void {
    this.#stop("left");
  }

  /** Stops waiting for open calls too. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#stop("left");
  }

  /** Resolves when every started call is stored. */
  async work(): Promise<void> {
    const { reader, writer } = this.#options;
    for (const { cost } of await resultTotals(reader.records, this.#run.id)) this.#pay(cost);
    for await (const call of this.#calls()) {
      await this.#room();
      if (this.#end === undefined) await this.#ask();
      if (this.#end !== undefined) break;
      this.#begin(call);
    }
    while (this.#inFlight > 0 && !this.#isAbandoned) await this.#wake.promise;
    await this.#noting;
    if (this.#end === "left") return;
    await finishRun((await writer()).records, this.#run.id, this.#end ?? { state: "done", reason: null });
  }

  #stop(end: End): void {
    this.#end ??= end;
    this.#woken();
  }

  #woken(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Calls without a result, item by item. */
  async *#calls(): AsyncGenerator<Call> {
    const { id, dataset_id, version, label, targets } = this.#run;
    const { records } = this.#options.reader;
    for await (const items of itemPages(records, dataset_id, { version, label, limit: PAGE })) {
      const ids = items.map((item) => item.id);
      const made = await madeCalls(records, id, ids);
      for (const item of items)
        for (const target of targets.keys())
          if (!made.has(callName(item.id, target))) yield { run: this.#run, item, target };
    }
  }

  /** Waits until another call may start, or none may start any more. */
  async #room(): Promise<void> {
    const { concurrency, max_cost } = this.#run.settings;
    for (;;) {
      if (this.#end !== undefined) return;
      if (this.#inFlight < concurrency && (max_cost === null || this.#isAffordable(max_cost))) return;
      if (this.#inFlight === 0) {
        const reason = `another call may cost more than what is left of $${max_cost}`;
        return this.#stop({ state: "stopped", reason });
      }
      await this.#wake.promise;
    }
  }

  /**
   * A call's cost is known only afterwards: each call is budgeted like the most expensive earlier one, and the first runs
   * alone.
   */
  #isAffordable(maxCost: number): boolean {
    if (this.#dearest === undefined) return this.#inFlight === 0 && maxCost > 0;
    return this.#spent + (this.#inFlight + 1) * this.#dearest <= maxCost;
  }

  #pay(cost: number | null): void {
    this.#spent += cost ?? 0;
    this.#dearest = Math.max(this.#dearest ?? 0, cost ?? 0);
  }

  /** Checks whether the sender may still send. */
  async #ask(): Promise<void> {
    if (this.#callsSinceCheck++ < SENDER_CALLS) return;
    this.#callsSinceCheck = 0;
    this.#sentFor = await findSentFor(this.#options.home, this.#run.organization_id, this.#run.sender);
    if (this.#sentFor !== undefined) return;
    const reason = "the key or user that started it may not send requests any more: resume it as another one";
    this.#stop({ state: "stopped", reason });
  }

  #begin(call: Call): void {
    this.#inFlight++;
    void makeCall(this.#options.passedOn, this.#sentFor!, call).then((outcome) => {
      if (this.#isAbandoned) return;
      this.#finished.push({ ...call, outcome });
      this.#noting ??= this.#note().finally(() => {
        this.#noting = undefined;
      });
    });
  }

  /** Stores finished calls; those that finish together are stored together. */
  async #note(): Promise<void> {
    while (this.#finished.length > 0) {
      const finished = this.#finished;
      this.#finished = [];
      try {
        await this.#noteAll(finished);
      } catch (error) {
        // The database is unreachable or the recorder is restarting: the calls were made, so their results are kept for a
        // retry.
        this.#finished.unshift(...finished);
        this.#options.log.warn("results of a dataset run cannot be stored; this will be retried", {
          error: messageOf(error),
        });
        if (this.#end === "left") return this.#giveUp();
        await sleep(RECORDER_PAUSE_MS);
      }
    }
  }

  /** The service stops: these calls are repeated at the next start. */
  #giveUp(): void {
    this.#inFlight -= this.#finished.length;
    this.#finished = [];
    this.#woken();
  }

  async #noteAll(finished: readonly Finished[]): Promise<void> {
    const { config, recorder, reader, writer } = this.#options;
    await recorder.barrier();
    const ids = finished.map(({ outcome }) => outcome.requestId);
    const recorded = await recordedCalls(engineReader(reader, config).source, this.#run.organization_id, ids);
    const results = finished.map((each) => resultOf(each, recorded.get(each.outcome.requestId)));
    await putResults((await writer()).records, this.#run.id, results);
    for (const { cost, ok } of results) {
      this.#pay(cost);
      this.#failedInARow = ok ? 0 : this.#failedInARow + 1;
    }
    this.#inFlight -= finished.length;
    const { error } = results.at(-1)!;
    if (this.#failedInARow >= FAILURES_MAX)
      this.#stop({ state: "stopped", reason: `${FAILURES_MAX} calls failed one after the other: ${error}` });
    this.#woken();
  }
}

/** Also handles a stream that broke off: only its record has the failure. */
function resultOf({ item, target, outcome }: Finished, recorded: RecordedCall | undefined): RunResult {
  const { requestId, output } = outcome;
  const status = recorded?.status ?? outcome.status;
  const said = [recorded?.error_code, recorded?.error_message].filter((text) => text != null).join(": ");
  const broke = status !== null && status >= 400 ? said || `the response has the status ${status}` : null;
  const error = outcome.error ?? broke;
  return {
    ...{ item_id: item.id, target, request_id: requestId, ok: error === null, status, error, output },
    ...{ provider: recorded?.provider ?? null, model: recorded?.model ?? null },
    ...{ prompt_tokens: recorded?.prompt_tokens ?? null, completion_tokens: recorded?.completion_tokens ?? null },
    ...{ cost: recorded?.cost ?? null, latency: recorded?.latency ?? null, first_token: recorded?.first_token ?? null },
    created_at: Date.now(),
  };
}
