import type { Config } from "../config.ts";
import { type Log, messageOf } from "../log.ts";
import type { Remote } from "../runtime/rpc.ts";
import { judgesFingerprint } from "../store/judges/judges.ts";
import { LearntTables } from "../store/models/learnt.ts";
import type { Database, Store } from "../store/store.ts";
import { webhooksFingerprint } from "../store/webhooks/webhooks.ts";
import type { RecorderFunctions } from "../threads.ts";

interface ChangeWatchOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  /** The database with prices, if it is another one. */
  readonly home: Database | undefined;
  readonly recorder: Pick<Remote<RecorderFunctions>, "relearn">;
}

/**
 * Makes the recorder reload mappings, prices, webhooks and judges after a change from elsewhere: another node,
 * the command line, or the first region's address.
 */
export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  readonly #seen: LearntTables;
  #rules: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
    this.#seen = new LearntTables(options.config.prices, options.home);
  }

  /** Checks, unless a check is running. Never rejects. */
  look(): void {
    this.#looking ??= this.#look();
  }

  async idle(): Promise<void> {
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { log, reader, recorder } = this.#options;
    try {
      const { records } = reader;
      const rules = `${await webhooksFingerprint(records)} ${await judgesFingerprint(records)}`;
      if ((await this.#seen.refresh(records)) || rules !== this.#rules) await recorder.relearn();
      this.#rules = rules;
    } catch (error) {
      log.debug("mappings, prices, webhooks and judges cannot be read now", { error: messageOf(error) });
    }
    this.#looking = undefined;
  }
}
