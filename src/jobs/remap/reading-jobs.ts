import { join } from "node:path";
import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import type { Log } from "../../log.ts";
import { mappingsOf, type Registry } from "../../plugin-host/providers/registry.ts";
import type { Remote } from "../../runtime/rpc.ts";
import { LearntTables } from "../../store/models/learnt.ts";
import { nextReread } from "../../store/models/mappings.ts";
import { expeditedModels } from "../../store/models/models.ts";
import { type Database, localPath, type Store } from "../../store/store.ts";
import type { ExpediteOrder, ModelOutcome, RecordChange, RecorderFunctions } from "../../threads.ts";
import { inQueue, Queue } from "../queue.ts";
import { Mapper } from "./mapper.ts";
import { serveOrder } from "./recompute-order.ts";
import { TextFiller } from "./texts.ts";
import { serveUnreadOrder } from "./unread-order.ts";

/** Every node uses a changed mapping within two seconds. */
const SPREAD_MS = 2_500;

interface ReadingJobsOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  /** The database with prices, if it is another one. */
  readonly home: Database | undefined;
  readonly recorder: Pick<Remote<RecorderFunctions>, "rewrite" | "relearn">;
  readonly registry: () => Registry;
}

/** The jobs that read records again: mapping models and recomputing costs. One runs at a time, for all callers. */
export class ReadingJobs {
  readonly #options: ReadingJobsOptions;
  readonly #learnt: LearntTables;
  readonly #mapper: Mapper;
  readonly #texts: TextFiller;
  readonly #queue = new Queue();
  readonly #inTurn: (work: () => Promise<unknown>) => Promise<void>;
  #looking = false;

  constructor(options: ReadingJobsOptions) {
    const { config, log, recorder } = options;
    this.#options = options;
    this.#learnt = new LearntTables(config.prices, options.home);
    this.#inTurn = inQueue(this.#queue, log);
    this.#mapper = new Mapper({
      ...this.#context(),
      onChanged: () => recorder.relearn(),
      ...(localPath(config) === undefined && { spreadMs: SPREAD_MS }),
    });
    const ofProviders = async () => mappingsOf(options.registry().providers);
    this.#texts = new TextFiller({ config, ...this.#context(), ofProviders });
  }

  /** Never rejects. */
  async mapAll(): Promise<void> {
    await this.#inTurn(() => this.#mapper.mapAll());
  }

  async map(order: ExpediteOrder): Promise<readonly ModelOutcome[]> {
    return this.#queue.run(() => this.#mapper.map(order));
  }

  /** Processes orders from the command line and interrupted jobs. Never rejects. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    await this.#inTurn(async () => {
      const { reader, recorder } = this.#options;
      if ((await expeditedModels(reader.records)).length > 0) await this.#mapper.mapOrdered();
      await serveOrder(this.#context());
      await serveUnreadOrder(this.#context());
      if ((await nextReread(reader.records)) !== undefined) {
        await recorder.relearn();
        await this.#mapper.rereadAll();
      }
      await this.#texts.turn();
    });
    this.#looking = false;
  }

  async stop(): Promise<void> {
    this.#mapper.stop();
    this.#texts.stop();
    await this.#queue.idle();
  }

  #context() {
    const { config, log, reader, writer, recorder, registry } = this.#options;
    return {
      log,
      spoolDirectory: join(config.data_dir, "spool"),
      reader,
      walk: engineReader(reader, config).walk,
      writer,
      rewrite: (changes: readonly RecordChange[]) => recorder.rewrite(changes),
      learnt: this.#learnt,
      provider: (name: string) => registry().providerByName(name),
    };
  }
}
