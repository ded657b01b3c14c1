import { configuredLog } from "../log.ts";
import { queriesYieldToTraffic } from "../runtime/priority.ts";
import { connect, expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import type { ApiFunctions, GatewayFunctions, JobFunctions, RecorderFunctions, ThreadOptions } from "../threads.ts";
import { type RunningApi, startApi } from "./start.ts";

/** Entry point of the API thread, started with the ports `recorder`, `gateway` and `jobs`. */
const { options, port, ports } = threadStart<ThreadOptions>();
const { config, home, ssoSecrets = {} } = options;

let running: Promise<RunningApi> | undefined;

const functions: ApiFunctions = {
  ready: async () => {
    running ??= startApi({
      config,
      home,
      ssoSecrets,
      log: configuredLog(config, { context: "api" }),
      recorder: connect<RecorderFunctions>(ports["recorder"]!),
      gateway: connect<GatewayFunctions>(ports["gateway"]!),
      jobs: connect<JobFunctions>(ports["jobs"]!),
      requests: ports["requests"]!,
    });
    const { port } = await running;
    queriesYieldToTraffic();
    return { port };
  },
  stop: async () => {
    await (await running?.catch(() => undefined))?.stop(); // if the start failed, there is nothing to stop
  },
};
expose(port, functions);
