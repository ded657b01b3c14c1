import { join } from "node:path";
import { configuredLog, keepServing } from "../log.ts";
import { openRegistry } from "../plugin-host/live.ts";
import { NO_TABLES } from "../routing/tables.ts";
import { PassedOn } from "../runtime/http/pass-on.ts";
import { connect, expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import { openSpool } from "../spool/writer.ts";
import type { FirstGatewayFunctions, FurtherGatewayFunctions, FurtherGatewayOptions } from "../threads.ts";
import { RemoteHooks } from "./further-threads/ask-hooks.ts";
import type { Gateway } from "./gateway.ts";
import { startGateway } from "./start.ts";

/**
 * Entry point of a further gateway thread. The thread lives until the process ends: `stop` only releases connections and
 * files.
 */
const { options, port, ports } = threadStart<FurtherGatewayOptions>();
const { config, share, changes } = options;
const log = configuredLog(config, { gateway_thread: share.writer });
keepServing(log);
const spool = openSpool({ directory: join(config.data_dir, "spool"), sync: config.spool_sync, log, shared: share });
const { claimId } = connect<FirstGatewayFunctions>(ports["first"]!);
const registry = openRegistry({ config, log });
registry.catch(() => undefined); // `listen` reports it
const hooks = new RemoteHooks(ports["hooks"]!, changes);
let gateway: Gateway | undefined;
let privateTargets: readonly string[] = [];
let tables = NO_TABLES;

const functions: FurtherGatewayFunctions = {
  async listen(terms) {
    ({ privateTargets, tables } = terms);
    const { current, degraded } = await registry;
    gateway = await startGateway({
      config,
      log,
      spool,
      registry: current,
      degraded,
      claimId,
      keys: terms.keys,
      otherPorts: terms.ownPorts,
      privateTargets: () => privateTargets,
      tables: () => tables,
      hooks,
      passedOn: new PassedOn(ports["requests"]!),
    });
  },
  tell({ keys, ownPorts, privateTargets: targets, tables: changed }) {
    if (keys !== undefined) gateway?.setKeys(keys);
    if (ownPorts !== undefined) gateway?.setOwnPorts(ownPorts);
    privateTargets = targets ?? privateTargets;
    tables = changed ?? tables;
  },
  status: () => gateway!.status(),
  counts: () => gateway!.counts(),
  async stop(drainSeconds) {
    await gateway?.drain(drainSeconds);
    hooks.close();
    (await registry).close();
    await spool.close();
  },
};
expose(port, functions);
