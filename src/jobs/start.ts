import { Cron } from "croner";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { openRegistry } from "../plugin-host/live.ts";
import { mappingsOf } from "../plugin-host/providers/registry.ts";
import { PassedOn } from "../runtime/http/pass-on.ts";
import type { Endpoint, Remote } from "../runtime/rpc.ts";
import { ChangeGate } from "../store/database/change-gate.ts";
import { LazyStore } from "../store/database/lazy-store.ts";
import { openStore } from "../store/store.ts";
import type { HostFunctions, JobFunctions, RecorderFunctions } from "../threads.ts";
import { AlertChecker } from "./alerts/checker.ts";
import { BlockKeeper } from "./block-keeper.ts";
import { ChangeWatch } from "./change-watch.ts";
import { Deliverer } from "./delivery/deliverer.ts";
import { Judging } from "./judges/judging.ts";
import { JudgeMetrics } from "./judges/metrics.ts";
import { Node } from "./node.ts";
import { CRON, inQueue, Queue } from "./queue.ts";
import { expediteElsewhere } from "./remap/expedite-elsewhere.ts";
import { ReadingJobs } from "./remap/reading-jobs.ts";
import { startRemovals } from "./retention/start.ts";
import { Runner } from "./runs/runner.ts";

/** How often the database is checked for changes by other processes, orders from the command line, and interrupted jobs. */
const LOOK_MS = 1_000;

interface JobOptions {
  readonly config: Config;
  /** The configuration of the region whose database has the prices, if it is another one. */
  readonly home?: Config | undefined;
  readonly log: Log;
  readonly recorder: Pick<
    Remote<RecorderFunctions>,
    "rewrite" | "relearn" | "remove" | "maintain" | "status" | "barrier" | "update" | "usageOf"
  >;
  readonly host: Remote<HostFunctions>;
  /** The endpoint through which requests enter the gateway. */
  readonly requests: Endpoint;
}

/**
 * Scheduled work, which can also be requested. Only one of the jobs that read records again runs at a time: the data
 * directory belongs to this process, one of several nodes on a database runs the jobs, and here there is one queue. Alerts
 * have their own queue, so that they are not delayed; deliveries wait for no other job.
 */
export async function startJobs({ config, home, log, recorder, host, requests }: JobOptions): Promise<JobFunctions> {
  const registry = await openRegistry({ config, log, isPatient: true });
  const stores = await openStores(config, home);
  const { reader, writer } = stores;
  const shared = { config, log, reader, writer, recorder, home: stores.home };
  const node = new Node({ config, log, writer });
  void node.start();
  const readingJobs = new ReadingJobs({ ...shared, registry: () => registry.current() });
  const changes = new ChangeWatch(shared);
  const blocks = new BlockKeeper({ writer, log, isMine: () => node.hasJobs });
  const removals = startRemovals({
    ...shared,
    isMine: () => node.hasJobs,
    leaveSegment: () => host.leaveSegment(),
  });
  const deliverer = new Deliverer({ config, log, reader, writer, ports: () => host.ports() });
  deliverer.start();
  const checker = new AlertChecker({ config, log, reader, writer });
  const passedOn = new PassedOn(requests);
  const judging = new Judging({
    ...shared,
    keys: stores.home ?? reader.records,
    passedOn,
    ofProviders: async () => mappingsOf(registry.current().providers),
    isMine: () => node.hasJobs,
  });
  const judgeMetrics = new JudgeMetrics();
  const runner = new Runner({
    ...shared,
    home: stores.home ?? reader.records,
    passedOn,
    isMine: () => node.hasJobs,
  });
  const checks = new Queue();
  const checked = inQueue(checks, log);
  const onOneNode = (job: () => Promise<void>) => async () => {
    if (node.hasJobs) await job();
  };
  const mapping = onOneNode(() => readingJobs.mapAll());
  const checking = onOneNode(() => checked(() => checker.checkAll()));
  const look = onOneNode(() => readingJobs.look());
  const crons = [new Cron(config.mapper_cron, CRON, mapping), new Cron(config.alerts_cron, CRON, checking)];
  const gate = new ChangeGate([reader.records, ...(stores.home === undefined ? [] : [stores.home])]);
  const timer = setInterval(async () => {
    if (!(await gate.isOpen())) return;
    changes.look();
    void look();
    void runner.look();
    judging.look();
  }, LOOK_MS);
  timer.unref();

  return {
    ready: async () => {},
    expedite: async (order) =>
      node.hasJobs ? readingJobs.map(order) : expediteElsewhere((await writer()).records, order),
    relearn: async () => {
      await recorder.relearn();
      void look();
    },
    metrics: async () => (await deliverer.metricsText()) + (await judgeMetrics.text(reader.records)),
    pause: async () => {
      judging.pause();
      runner.pause();
    },
    stop: async () => {
      clearInterval(timer);
      for (const cron of crons) cron.stop();
      checker.stop();
      await Promise.all([
        ...[readingJobs.stop(), checks.idle(), removals.stop(), deliverer.stop(), blocks.stop()],
        ...[runner.stop(), judging.stop()],
      ]);
      await changes.idle();
      await node.stop();
      registry.close();
      await stores.close();
    },
  };
}

/** The connections that the jobs read from and write to, beside the recorder. */
async function openStores(config: Config, home: Config | undefined) {
  const reader = await openStore(config, "current");
  const homeReader = home && (await openStore(home, "current"));
  const own = new LazyStore(config);
  return {
    reader,
    writer: own.writer,
    home: homeReader?.records,
    async close() {
      await reader.close();
      await homeReader?.close();
      await own.close();
    },
  };
}
