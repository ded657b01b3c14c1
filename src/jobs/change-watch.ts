import type { Config } from "../config.ts";
import { type Log, messageOf } from "../log.ts";
import type { Remote } from "../runtime/rpc.ts";
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
 * Makes the recorder reload mappings, prices and webhooks after a change from elsewhere: another node,
 * the command line, or the first region's address.
 */
export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  readonly #seen: LearntTables;
  #webhooks: string | undefined;
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
      const webhooks = await webhooksFingerprint(reader.records);
      if ((await this.#seen.refresh(reader.records)) || webhooks !== this.#webhooks) await recorder.relearn();
      this.#webhooks = webhooks;
    } catch (error) {
      log.debug("mappings, prices and webhooks cannot be read now", { error: messageOf(error) });
    }
    this.#looking = undefined;
  }
}
