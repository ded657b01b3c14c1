import { Cron } from "croner";
import type { Config } from "../config.ts";
import { type Log, messageOf } from "../observe.ts";
import { openRegistry } from "../plugin/live.ts";
import type { Remote } from "../runtime/rpc.ts";
import { LearntTables } from "../store/learnt.ts";
import { nextReread } from "../store/mappings.ts";
import { localPath, openStore, type Store } from "../store/store.ts";
import { webhooksFingerprint } from "../store/webhooks.ts";
import type { HostFunctions, JobFunctions, RecorderFunctions } from "../threads.ts";
import { AlertChecker } from "./alerts/checker.ts";
import { BlockKeeper } from "./block-keeper.ts";
import { Deliverer } from "./delivery/deliverer.ts";
import { expediteElsewhere } from "./expedite-elsewhere.ts";
import { Mapper } from "./mapper.ts";
import { Node } from "./node.ts";
import { CRON, inQueue, Queue } from "./queue.ts";
import { serveOrder } from "./recompute-order.ts";
import { startRemovals } from "./retention/start.ts";

/** How often the database is asked for what the command line ordered and what is left of a job that was cut off. */
const LOOK_MS = 1_000;
/** Within two seconds every node reads with a mapping that was changed. */
const SPREAD_MS = 2_500;

interface JobOptions {
  readonly config: Config;
  /** Of the region in whose database prices stand, where that is another one. */
  readonly home?: Config | undefined;
  readonly log: Log;
  readonly recorder: Pick<Remote<RecorderFunctions>, "rewrite" | "relearn" | "remove" | "maintain">;
  readonly host: Remote<HostFunctions>;
}

/**
 * What is done by the clock, and at once where somebody asks for it. One job at a time of those that read records again,
 * whoever started it: the data directory is this program's alone, of several nodes on one database one has the jobs, and
 * here there is one queue. Alerts have a queue of their own, so that they are not late because of it, and deliveries
 * wait for nobody.
 */
export async function startJobs({ config, home, log, recorder, host }: JobOptions): Promise<JobFunctions> {
  const registry = await openRegistry({ config, log });
  const reader = await openStore(config, "current");
  const homeReader = home && (await openStore(home, "current"));
  let writing: Promise<Store> | undefined;
  const writer = () => {
    writing ??= openStore(config, "change").catch((error: unknown) => {
      writing = undefined;
      throw error;
    });
    return writing;
  };
  const learnt = new LearntTables(config.prices, homeReader?.records);
  const mapper = new Mapper({
    reader,
    writer,
    rewrite: (changes) => recorder.rewrite(changes),
    onChanged: () => recorder.relearn(),
    learnt,
    provider: (name) => registry.current().providerByName(name),
    log,
    ...(localPath(config) === undefined && { spreadMs: SPREAD_MS }),
  });
  const queue = new Queue();
  const node = new Node({ config, log, writer });
  void node.start();
  const blocks = new BlockKeeper({ writer, log, isMine: () => node.hasJobs });
  const told = inQueue(queue, log);
  const checker = new AlertChecker({ config, log, reader, writer });
  const checks = new Queue();
  const deliverer = new Deliverer({ config, log, reader, writer, ports: () => host.ports() });
  deliverer.start();
  const checked = inQueue(checks, log);
  const onOneNode = (job: () => Promise<void>) => async () => {
    if (node.hasJobs) await job();
  };
  const removals = startRemovals({ config, log, reader, writer, recorder, isMine: () => node.hasJobs });
  const crons = [
    new Cron(
      config.mapper_cron,
      CRON,
      onOneNode(() => told(() => mapper.mapAll())),
    ),
    new Cron(
      config.alerts_cron,
      CRON,
      onOneNode(() => checked(() => checker.checkAll())),
    ),
  ];
  /** Others may have changed what models are read and priced with, and webhooks: another node, or the first region's address. */
  const seen = new LearntTables(config.prices, homeReader?.records);
  let webhooks: string | undefined;
  let following: Promise<void> | undefined;
  const follow = async () => {
    try {
      const now = await webhooksFingerprint(reader.records);
      if ((await seen.refresh(reader.records)) || now !== webhooks) await recorder.relearn();
      webhooks = now;
    } catch (error) {
      log.debug("mappings, prices and webhooks cannot be looked at now", { error: messageOf(error) });
    }
    following = undefined;
  };
  let looking = false;
  const look = async () => {
    if (looking || !node.hasJobs) return;
    looking = true;
    await told(async () => {
      const { records } = reader;
      const [ordered] = await records.query({
        sql: "select 1 from models where expedited_at is not null limit 1",
        args: [],
      });
      if (ordered !== undefined) await mapper.mapOrdered();
      await serveOrder({
        reader,
        writer,
        rewrite: (changes) => recorder.rewrite(changes),
        learnt,
        provider: (name) => registry.current().providerByName(name),
      });
      if ((await nextReread(records)) === undefined) return;
      await recorder.relearn();
      await mapper.rereadAll();
    });
    looking = false;
  };
  const timer = setInterval(() => {
    following ??= follow();
    void look();
  }, LOOK_MS);
  timer.unref();

  return {
    ready: async () => {},
    expedite: async (order) =>
      node.hasJobs ? queue.run(() => mapper.map(order)) : expediteElsewhere((await writer()).records, order),
    relearn: async () => {
      await recorder.relearn();
      void look();
    },
    metrics: () => deliverer.metricsText(),
    stop: async () => {
      clearInterval(timer);
      for (const cron of crons) cron.stop();
      mapper.stop();
      checker.stop();
      await Promise.all([queue.idle(), checks.idle(), removals.stop(), deliverer.stop(), blocks.stop()]);
      await following;
      await node.stop();
      registry.close();
      await reader.close();
      await homeReader?.close();
      await (await writing?.catch(() => undefined))?.close(); // a writer that never opened is none
    },
  };
}
