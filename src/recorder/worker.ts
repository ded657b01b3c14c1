import { configuredLog } from "../log.ts";
import { readExchange } from "../mapping/read-exchange.ts";
import { hooksText } from "../plugin-host/hooks/hook-metrics.ts";
import { openHooks, openRegistry } from "../plugin-host/live.ts";
import { mappingsOf } from "../plugin-host/providers/registry.ts";
import { yieldToTraffic } from "../runtime/priority.ts";
import { connect, expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import { LearntTables } from "../store/models/learnt.ts";
import { openStore } from "../store/store.ts";
import type { RecorderFunctions, ResponseFunctions, ThreadOptions } from "../threads.ts";
import { createRecorder } from "./create-recorder.ts";
import { ResponseFeed } from "./response-feed.ts";

/** Entry of the recorder's thread. The thread lives until the process ends: `stop` only closes its files. */
const { options, port, ports } = threadStart<ThreadOptions>();
const { config, home, bodyKey, databaseWasThere, ended } = options;
const log = configuredLog(config, { component: "recorder" });
yieldToTraffic();

/** This thread loads plugins and providers itself: they are code, and code cannot be sent between threads. */
const opened = open();
opened.catch(() => {}); // `ready` reports it

async function open() {
  const registry = await openRegistry({ config, log, isPatient: true });
  const hooks = await openHooks({ config, log });
  const learnt = new LearntTables(config.prices, home && (await openStore(home, "current")).records);
  const recorder = createRecorder({
    config,
    log,
    readExchange,
    provider: (name) => registry.current().providerByName(name),
    providerMappings: async () => mappingsOf(registry.current().providers),
    hooks: hooks.hooks,
    ...(ports["gateway"] && { responses: new ResponseFeed(connect<ResponseFunctions>(ports["gateway"]), log) }),
    learnt,
    ...(bodyKey && { bodyKey }),
    ...(databaseWasThere && { databaseWasThere }),
    ...(ended !== undefined && { ended }),
  });
  return { registry, hooks, recorder };
}

const functions: RecorderFunctions = {
  ready: async () => (await opened).recorder.ready(),
  isKnownId: async (id) => (await opened).recorder.isKnownId(id),
  claimId: async (id) => (await opened).recorder.claimId(id),
  barrier: async () => (await opened).recorder.barrier(),
  storeInFlight: async () => (await opened).recorder.storeInFlight(),
  indexWords: async () => (await opened).recorder.indexWords(),
  update: async (change) => (await opened).recorder.update(change),
  remove: async (removal) => (await opened).recorder.remove(removal),
  maintain: async (task) => (await opened).recorder.maintain(task),
  rewrite: async (changes) => (await opened).recorder.rewrite(changes),
  showResponses: async (wanted) => (await opened).recorder.showResponses(wanted),
  relearn: async () => (await opened).recorder.relearn(),
  import: async (arrivals, by) => (await opened).recorder.import(arrivals, by),
  usageOf: async (requestIds) => (await opened).recorder.usageOf(requestIds),
  responseOf: async (name) => (await opened).recorder.responseOf(name),
  turnsBefore: async (name) => (await opened).recorder.turnsBefore(name),
  itemsOf: async (name) => (await opened).recorder.itemsOf(name),
  callStates: async (calls) => (await opened).recorder.callStates(calls),
  readEntries: async (version) => (await opened).recorder.readEntries(version),
  claimShares: async (claims) => (await opened).recorder.claimShares(claims),
  writeEntries: async (entries, by) => (await opened).recorder.writeEntries(entries, by),
  note: async (note) => (await opened).recorder.note(note),
  hookHealth: async () => {
    const { hooks } = await opened;
    return { failures: Object.fromEntries(hooks.hooks.failures()), degraded: hooks.degraded() };
  },
  metrics: async () => {
    const { recorder, hooks } = await opened;
    return `${await recorder.metrics()}\n${hooksText("recorder", hooks.hooks)}`;
  },
  status: async () => (await opened).recorder.status(),
  stop: async () => {
    const { registry, hooks, recorder } = await opened;
    await recorder.stop();
    registry.close();
    await hooks.close();
  },
};
expose(port, functions);
