import type { Config } from "../config.ts";
import { engineReader } from "../engine/reader.ts";
import type { RecordWalk } from "../engine/record-walk.ts";
import { engineSink } from "../engine/writer.ts";
import { configuredLog, type Log } from "../log.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import { openRegistry } from "../plugin-host/live.ts";
import { patiently } from "../store/database/while-locked.ts";
import { LearntTables } from "../store/models/learnt.ts";
import { openStore, type Store } from "../store/store.ts";
import type { RecordChange } from "../threads.ts";
import type { Invocation } from "./command.ts";
import { withHome } from "./region.ts";
import { withStore } from "./with-store.ts";

interface ReadingParts {
  readonly reader: Store;
  readonly walk: RecordWalk;
  readonly store: Store;
  readonly rewrite: (changes: readonly RecordChange[]) => Promise<void>;
  readonly learnt: LearntTables;
  readonly provider: (name: string) => ProviderPlugin | undefined;
  readonly log: Log;
}

/**
 * If no service runs, runs with the parts of its jobs that read records again: the caller holds the data directory's lock.
 *
 * @param config - of the selected region.
 */
export async function withoutService<T>(
  invocation: Pick<Invocation, "config">,
  config: Config,
  work: (parts: ReadingParts) => Promise<T>,
): Promise<T> {
  const log = configuredLog(config);
  const registry = await openRegistry({ config, log });
  const reader = await openStore(config, "current");
  try {
    return await withHome(invocation, config, (home) =>
      withStore(config, async (store) => {
        const learnt = new LearntTables(config.prices, home);
        await learnt.load(store.records);
        const sink = engineSink({ store, config });
        return work({
          reader,
          walk: engineReader(reader, config).walk,
          store,
          rewrite: (changes) => patiently(async () => void (await sink.rewrite(changes, Date.now()))),
          learnt,
          provider: (name) => registry.current().providerByName(name),
          log,
        });
      }),
    );
  } finally {
    await reader.close();
    registry.close();
  }
}
