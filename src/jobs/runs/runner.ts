import { type Log, messageOf } from "../../log.ts";
import { type Run, runningRuns } from "../../store/datasets/runs.ts";
import { RunWork, type RunWorkOptions } from "./run-work.ts";

/** Maximum concurrent runs of all organizations; the others wait. */
const RUNS_AT_ONCE = 8;
/** Milliseconds for open calls when the jobs stop; calls not stored by then are repeated at the next start. */
const STOP_MS = 5_000;

interface RunnerOptions extends RunWorkOptions {
  /** Whether this node runs the jobs. */
  readonly isMine: () => boolean;
}

/** Executes runs of datasets: started ones, and after a restart interrupted ones. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #log: Log;
  readonly #works = new Map<string, { readonly run: Run; readonly work: RunWork; readonly ended: Promise<void> }>();
  #looking: Promise<void> | undefined;
  #isPaused = false;
  #failed: string | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** To be called every second. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Starts no further calls, because the gateway is about to stop. */
  pause(): void {
    this.#isPaused = true;
    for (const { work } of this.#works.values()) work.leave();
  }

  async stop(): Promise<void> {
    this.pause();
    await this.#looking;
    const works = [...this.#works.values()];
    const late = setTimeout(() => {
      for (const { work } of works) work.abandon();
    }, STOP_MS);
    await Promise.all(works.map(({ ended }) => ended));
    clearTimeout(late);
  }

  async #look(): Promise<void> {
    const isMine = this.#options.isMine() && !this.#isPaused;
    if (!isMine && this.#works.size === 0) return;
    try {
      const running = isMine ? await runningRuns(this.#options.reader.records, RUNS_AT_ONCE) : [];
      this.#failed = undefined;
      const terms = new Map(running.map((run) => [run.id, termsOf(run)]));
      // The run was cancelled, or resumed with other settings: it restarts once its calls have ended.
      for (const { run, work } of this.#works.values()) if (terms.get(run.id) !== termsOf(run)) work.leave();
      if (this.#isPaused) return;
      for (const run of running) {
        if (this.#works.has(run.id)) continue;
        const work = new RunWork(run, this.#options);
        const ended = work
          .work()
          .catch((error: unknown) => this.#warn(error))
          .finally(() => this.#works.delete(run.id));
        this.#works.set(run.id, { run, work, ended });
      }
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    // An unreachable database fails every second.
    if (this.#failed === messageOf(error)) return;
    this.#failed = messageOf(error);
    this.#log.warn("a run of a dataset failed and will be retried", { error: this.#failed });
  }
}

const termsOf = ({ settings, sender }: Run): string => JSON.stringify([settings, sender]);
