import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { tlsPairOf } from "../egress/tls-pair-of.ts";
import type { RequestFault, Server } from "../runtime/http/server.ts";
import { startStrictServer } from "../runtime/http/strict-server.ts";
import type { TlsPair } from "../runtime/http/tls-pair.ts";
import { tlsSockets } from "../runtime/http/tls-sockets.ts";
import type { SentFor } from "../unified/through-gateway.ts";
import type { ClientRequest } from "./admitted.ts";
import { administer } from "./cache/administer.ts";
import { createParts } from "./create-parts.ts";
import type { InFlight } from "./exchange-deps.ts";
import { faultResponse } from "./fault-response.ts";
import type { Gateway, GatewayOptions } from "./gateway.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { handle } from "./handle.ts";
import type { Slots } from "./slots.ts";
import { explainRoute } from "./unified/explain-route.ts";
import { modelsOf } from "./unified/models-response.ts";
import { routeHealth } from "./unified/targets/route-health.ts";
import { SocketResponse } from "./websocket/socket-response.ts";

const HEAD_BYTES_MAX = 128 * 1_024;
const HEAD_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const PROGRESS_CHECK_MS = 100;
/** How long pending cache writes may take at shutdown. */
const CACHE_CLOSE_MS = 5_000;

/** Opens the gateway's listener. @throws if the port is taken or a file named in the configuration cannot be read. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, spool } = options;
  const ownPorts = new Set(
    [config.gateway_port, config.api_port, ...(options.otherPorts ?? [])].filter((port) => port !== 0),
  );
  const parts = createParts(options, ownPorts);
  parts.keys.replace(options.keys ?? []);
  const server = await startServer(parts, options);
  const unified = await startUnified(parts, options).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const servers = unified === undefined ? [server] : [server, unified];
  const { port } = server;
  for (const each of servers) ownPorts.add(each.port);
  let draining = false;
  const checks = setInterval(() => {
    checkProgress(parts.inFlight);
    parts.keys.forgetTexts();
  }, PROGRESS_CHECK_MS);
  checks.unref();

  const drain = async (seconds: number, others?: Promise<unknown>): Promise<void> => {
    draining = true;
    await drainServers(servers, parts, seconds, others);
    clearInterval(checks);
  };

  return {
    port,
    unifiedPort: unified?.port,
    setKeys: (keys) => parts.keys.replace(keys),
    setOwnPorts(ports) {
      for (const own of ports) ownPorts.add(own);
    },
    status: () => ({
      port,
      inFlight: parts.inFlight.size,
      spoolHealthy: spool.stats.healthy,
      spoolError: spool.stats.lastError ?? null,
      exchangesDropped: spool.stats.exchangesDropped,
      degraded: options.degraded?.() ?? [],
      draining,
    }),
    counts: () => parts.metrics.counts(),
    metrics: (others) => parts.metrics.text(others),
    takeId: (id) => parts.ids.take(id),
    serve: (incoming, response) => void handle(parts, { incoming }, response),
    serveFor: (incoming, response, sentFor = "") =>
      void handle(parts, { incoming, unified: true, sentFor: sentFor as SentFor }, response),
    noteUsed(used) {
      for (const { requestId, outputTokens } of used) parts.unified.speeds.noteTokens(requestId, outputTokens);
    },
    listModels: (key) => modelsOf(parts, key),
    routeHealth: (organizationId) => routeHealth(parts, organizationId),
    explainRoute: (question) => explainRoute(parts, question),
    setListed: (credential, models) => parts.unified.catalog.setListed(credential, models),
    ...administer(parts.cache, config.cache_max_bytes),
    drain,
    close: () => drain(0),
  };
}

async function drainServers(
  servers: readonly Server[],
  parts: GatewayParts,
  seconds: number,
  others: Promise<unknown> | undefined,
): Promise<void> {
  let isAlone = others === undefined;
  others?.finally(() => {
    isAlone = true;
  });
  const closed = Promise.all(servers.map((server) => server.close()));
  const until = performance.now() + seconds * 1_000;
  const inFlight = () => parts.inFlight.size + (parts.passedOn?.size ?? 0);
  while ((inFlight() > 0 || !isAlone) && performance.now() < until)
    await sleep(Math.max(0, Math.min(50, until - performance.now())));
  for (const exchange of parts.inFlight.all()) exchange.cutOff();
  for (const server of servers) server.closeIdle();
  // Responses that have just ended get a moment to leave before their connections close.
  await Promise.race([closed, sleep(200)]);
  for (const server of servers) server.closeAll();
  parts.upstream.close();
  await Promise.race([closed, sleep(1_000)]);
  await Promise.race([
    Promise.all([parts.cache.close(), parts.content.close(), parts.unified.translator.close()]),
    sleep(CACHE_CLOSE_MS),
  ]);
}

function startServer(parts: GatewayParts, { config, log }: GatewayOptions): Promise<Server> {
  return listen(parts, config, {
    pair: tlsPairOf(config, log),
    port: config.gateway_port,
    portShared: config.gateway_port_shared === "yes",
    unified: undefined,
  });
}

/** Opens the port of the unified address, only in the first gateway thread: it alone knows which credentials rest. */
async function startUnified(
  parts: GatewayParts,
  { config, log, passedOn }: GatewayOptions,
): Promise<Server | undefined> {
  if (config.unified_port < 0 || passedOn !== undefined) return undefined;
  const pair = tlsPairOf(config, log);
  return listen(parts, config, { pair, port: config.unified_port, portShared: false, unified: true });
}

interface ListenTerms {
  /** Undefined without TLS. */
  readonly pair: TlsPair | undefined;
  readonly port: number;
  readonly portShared: boolean;
  /** Whether it is the port of the unified address. */
  readonly unified: ClientRequest["unified"];
}

function listen(
  parts: GatewayParts,
  config: Config,
  { pair, port, portShared, unified }: ListenTerms,
): Promise<Server> {
  const onFault = (fault: RequestFault, why?: string) => faultResponse(fault, why, parts.idHeaders);
  return startStrictServer({
    host: config.host,
    port,
    portShared,
    ...(pair !== undefined && { sockets: tlsSockets({ pair, plainResponse: () => onFault("plain") }) }),
    headBytesMax: HEAD_BYTES_MAX,
    headMs: HEAD_MS,
    idleMs: KEEP_ALIVE_MS,
    handlers: {
      onRequest: (incoming, response) => void handle(parts, { incoming, unified }, response),
      onUpgrade(incoming, socket, early) {
        socket.on("error", () => socket.destroy());
        void handle(parts, { incoming, client: { socket, early }, unified }, new SocketResponse(socket));
      },
      onFault,
    },
  });
}

function checkProgress(inFlight: Slots<InFlight>): void {
  const nowMs = performance.now();
  for (const exchange of inFlight.all()) exchange.checkProgress(nowMs);
}
