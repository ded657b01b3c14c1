import type { Config } from "../config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Log } from "../log.ts";
import { hooksText } from "../plugin-host/hooks/hook-metrics.ts";
import { callerOfRoute } from "../plugin-host/host/acting.ts";
import { mappingsOf } from "../plugin-host/providers/registry.ts";
import { callRoute, viewRoutes } from "../plugin-host/routes.ts";
import { appendWhole } from "../spool/reported-exchange.ts";
import type { Spool } from "../spool/writer.ts";
import type { GatewayFunctions } from "../threads.ts";
import type { CommonParts } from "./common-parts.ts";
import type { GatewayThreads } from "./gateway-threads.ts";
import { processText } from "./process-metrics.ts";

interface RegionParts {
  readonly config: Config;
  readonly log: Log;
  readonly spool: Spool;
  readonly gateway: Gateway;
  /** Further gateway threads; undefined if there is only one. */
  readonly threads: GatewayThreads | undefined;
}

/** The main thread's functions for a region's API. */
export function gatewayFunctions(
  { config, log, spool, gateway, threads }: RegionParts,
  { registry, onKeys, vault, credentialTests, hooks: { hooks, view, degraded } }: CommonParts,
): GatewayFunctions {
  const { metrics, status, setKeys, routeHealth, explainRoute, listModels } = gateway;
  return {
    metrics: async () => `${metrics(await threads?.counts())}\n${hooksText("gateway", hooks)}${processText(config)}`,
    status: () => threads?.status(status()) ?? status(),
    setKeys(keys) {
      setKeys(keys);
      onKeys(keys);
      return threads?.tell({ keys });
    },
    setCredentials: (credentials) => vault.setCredentials(credentials),
    setRouting: (stored) => vault.setRouting(stored),
    testCredential: credentialTests.test,
    lockedCredentials: () => vault.lockedIds(),
    record: (exchange) => appendWhole(spool, exchange),
    routeHealth,
    explainRoute,
    listModels,
    cacheStatus: gateway.cacheStatus,
    cacheEntries: gateway.cacheEntries,
    purgeCache: gateway.purgeCache,
    providers: registry.view,
    providerMappings: () => mappingsOf(registry.current().providers),
    plugins: view,
    hookHealth: () => ({ failures: Object.fromEntries(hooks.failures()), degraded: degraded() }),
    routes: () => viewRoutes(hooks.routes()),
    callRoute: (route, call, by) => callerOfRoute.run(by, () => callRoute(hooks.routes(), route, call, log)),
  };
}
