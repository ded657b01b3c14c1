import { configuredLog } from "../log.ts";
import { jobsYieldToTraffic } from "../runtime/priority.ts";
import { connect, expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import type { HostFunctions, JobFunctions, RecorderFunctions, ThreadOptions } from "../threads.ts";
import { startJobs } from "./start.ts";

/** Entry of the jobs' thread, started with the ports `recorder`, `host` and `requests`. */
const { options, port, ports } = threadStart<ThreadOptions>();
jobsYieldToTraffic();

const started = startJobs({
  config: options.config,
  home: options.home,
  log: configuredLog(options.config, { component: "jobs" }),
  recorder: connect<RecorderFunctions>(ports["recorder"]!),
  host: connect<HostFunctions>(ports["host"]!),
  requests: ports["requests"]!,
});
started.catch(() => {}); // `ready` reports it

const functions: JobFunctions = {
  ready: async () => (await started).ready(),
  expedite: async (order) => (await started).expedite(order),
  relearn: async () => (await started).relearn(),
  metrics: async () => (await started).metrics(),
  pause: async () => (await started).pause(),
  stop: async () => (await started).stop(),
};
expose(port, functions);
