import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { trustedAuthorities } from "../egress/authorities.ts";
import { createResolve } from "../egress/resolve.ts";
import { TargetGuard } from "../egress/target-guard.ts";
import { tlsPairOf } from "../egress/tls-pair-of.ts";
import { KeyRing, type KeySnapshot } from "../keys.ts";
import type { Log } from "../log.ts";
import type { Credential } from "../routing/credential.ts";
import type { Health } from "../routing/rests.ts";
import { NO_TABLES, type RoutingTables } from "../routing/tables.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import type { IncomingRequest, RequestFault, Server, ServerResponse } from "../runtime/http/server.ts";
import { startStrictServer } from "../runtime/http/strict-server.ts";
import { createStrictUpstream } from "../runtime/http/strict-upstream.ts";
import type { TlsPair } from "../runtime/http/tls-pair.ts";
import { tlsSockets } from "../runtime/http/tls-sockets.ts";
import { neverThrowing } from "../runtime/http/upstream.ts";
import type { SpoolWriter } from "../spool/frame.ts";
import type { GatewayCounts, GatewayStatus, RouteExplanation, RouteQuestion, UsedTokens } from "../threads.ts";
import { FileFetcher } from "../unified/fetch-files.ts";
import type { ListedModel } from "../unified/listed-models.ts";
import type { SentFor } from "../unified/through-gateway.ts";
import type { ClientRequest } from "./admitted.ts";
import { BodyBudget, type BudgetTimes } from "./body/budget.ts";
import { ContentReader } from "./body/content-reader.ts";
import { administer, type CacheAdministration } from "./cache/administer.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import { Departures } from "./departures.ts";
import { withEcho } from "./echo/echo-upstream.ts";
import type { InFlight } from "./exchange-deps.ts";
import { faultResponse } from "./fault-response.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { handle } from "./handle.ts";
import { HeaderReader } from "./headers/headers.ts";
import { GatewayMetrics } from "./metrics.ts";
import type { RequestHooks } from "./request-hooks.ts";
import { RequestIds } from "./request-ids.ts";
import { Slots } from "./slots.ts";
import type { ProviderIndex } from "./target.ts";
import { explainRoute } from "./unified/explain-route.ts";
import { modelsOf } from "./unified/models-response.ts";
import { NOTHING_RECORDED, type Recorded } from "./unified/recorded.ts";
import { routeHealth } from "./unified/route-health.ts";
import { createUnifiedParts, privateHosts } from "./unified/unified-parts.ts";
import { SocketResponse } from "./websocket/socket-response.ts";

const HEAD_BYTES_MAX = 128 * 1_024;
const HEAD_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const UPLOAD_STALL_MS = 120_000;
const PROGRESS_CHECK_MS = 100;
/** How long pending cache writes may take at shutdown. */
const CACHE_CLOSE_MS = 5_000;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly spool: SpoolWriter;
  /** The loaded providers, called for every request, so that a reload takes effect immediately. */
  readonly registry: () => ProviderIndex;
  /** Takes an id that a client chose; false if another request has it. */
  readonly claimId: (id: string) => Promise<boolean>;
  /** Ids that clients chose lately, if several gateways share them. */
  readonly chosenIds?: Set<string>;
  /** Ports of this program's other listeners, where known. */
  readonly otherPorts?: readonly number[];
  /** Keys valid from the first connection; without it there are none until `setKeys`. */
  readonly keys?: readonly KeySnapshot[];
  readonly hooks?: RequestHooks;
  /** Targets that plugins allow in addition to `allow_private_targets`; a new list whenever it changes. */
  readonly privateTargets?: () => readonly string[];
  /** Routing tables of the unified address; a new value whenever they change. */
  readonly tables?: () => RoutingTables;
  /** Reads records for requests of the unified address; without it nothing is recorded. */
  readonly recorded?: Recorded;
  /** Broken drop-ins and similar problems, for `status`. */
  readonly degraded?: () => readonly string[];
  /** The server that divides limits among nodes, if configured. */
  readonly limits?: { readonly degraded: readonly string[] } | undefined;
  /** How long a client may pause in the middle of a body; default 120 s. */
  readonly uploadStallMs?: number;
  /** How long requests wait for memory for their bodies, and for each other. */
  readonly bodyTimes?: Partial<BudgetTimes>;
  /** In a further gateway thread: the connection to the first one. */
  readonly passedOn?: PassedOn;
}

export interface Gateway extends CacheAdministration {
  readonly port: number;
  /** Port of the unified address; undefined if it has no port of its own. */
  readonly unifiedPort: number | undefined;
  setKeys(keys: readonly KeySnapshot[]): void;
  /** Ports of this program's other listeners: never a target, whatever is allowed. */
  setOwnPorts(ports: readonly number[]): void;
  status(): GatewayStatus;
  counts(): GatewayCounts;
  readonly routeHealth: (organizationId: string) => readonly Health[];
  readonly explainRoute: (question: RouteQuestion) => Promise<RouteExplanation>;
  /** Sets the models listed by a credential's provider; undefined if no longer known. */
  setListed(credential: Credential, models: readonly string[] | undefined): void;
  /** Receives tokens used by requests, from their records. */
  noteUsed(used: readonly UsedTokens[]): void;
  /** Every name that a key may use as the model. */
  readonly listModels: (key: RouteQuestion["key"]) => readonly ListedModel[];
  /** Prometheus text. @param others - counts of the other gateway threads. */
  metrics(others?: readonly GatewayCounts[]): string;
  /** Takes an id that a client chose, for a further thread's request. @returns false if another request has it. */
  takeId(id: string): Promise<boolean>;
  /** Serves a request whose connection is in a further thread. */
  serve(incoming: IncomingRequest, response: ServerResponse): void;
  /**
   * Serves a request of this program's own, at the unified address.
   *
   * @param sentFor - a `SentFor`, if it is sent for a user or key.
   */
  serveFor(incoming: IncomingRequest, response: ServerResponse, sentFor?: unknown): void;
  /**
   * Stops accepting, waits up to `seconds` for requests in flight, then cuts them off.
   *
   * @param others - settles when the other gateway threads have ended; until then this one may have to serve requests for
   * them.
   */
  drain(seconds: number, others?: Promise<unknown>): Promise<void>;
  /** Ends everything immediately. */
  close(): Promise<void>;
}

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

function createParts(options: GatewayOptions, ownPorts: ReadonlySet<number>): GatewayParts {
  const { config, log, spool, registry, claimId, hooks, privateTargets, passedOn, bodyTimes } = options;
  const gatewayLog = log.with({ component: "gateway" });
  const inFlight = new Slots<InFlight>();
  const guard = new TargetGuard(config.allow_private_targets, () => ownPorts, privateTargets);
  const ca = trustedAuthorities(config.extra_ca_file);
  const content = new ContentReader();
  const bodies = new BodyBudget(Math.floor(config.whole_bodies_max_bytes / config.gateway_threads), bodyTimes);
  const cache = new ResponseCache({
    content,
    directory: passedOn === undefined ? join(config.data_dir, "cache") : undefined,
    log: gatewayLog,
    bytesMax: config.cache_max_bytes,
    entryBytesMax: config.cache_max_entry_bytes,
    entriesMax: config.cache_max_entries,
    headMsMax: config.upstream_timeout_seconds * 1_000,
  });
  // After the write to the spool that ends the turn: a request's record is in the page cache before the request leaves.
  const atTurnEnd = (work: () => void) => spool.atTurnEnd(() => queueMicrotask(work));
  const upstreamFor = (judge: TargetGuard) =>
    createStrictUpstream({ resolve: createResolve(judge, config.dns_servers), ...(ca && { ca }), atTurnEnd });
  const upstream = neverThrowing(withEcho(upstreamFor(guard), content));
  const tables = options.tables ?? (() => NO_TABLES);
  const opened = privateHosts(tables, registry);
  const unified = createUnifiedParts({
    config,
    tables,
    providers: registry,
    upstream,
    recorded: options.recorded ?? NOTHING_RECORDED,
    files:
      config.unified_fetch === "no"
        ? undefined
        : new FileFetcher(
            neverThrowing(upstreamFor(new TargetGuard(config.allow_private_targets, () => ownPorts))),
            config.max_body_bytes,
          ),
    privateUpstream: neverThrowing(upstreamFor(new TargetGuard(config.allow_private_targets, () => ownPorts, opened))),
  });
  return {
    log: gatewayLog,
    spool,
    guard,
    upstream,
    unified,
    keys: new KeyRing(),
    ids: new RequestIds(gatewayLog, claimId, (id) => inFlight.some((one) => one.id === id), options.chosenIds),
    headers: new HeaderReader(config.header_aliases),
    metrics: new GatewayMetrics({
      inFlight: () => inFlight.size,
      spool: () => spool.stats,
      cache: () => cache.counts(),
      bodies: () => bodies.counts(),
      unified,
      limits: options.limits,
    }),
    providers: registry,
    hooks,
    content,
    bodies,
    cache,
    passedOn,
    inFlight,
    departures: new Departures(spool),
    domain: config.gateway_domain,
    idHeaders: idHeadersOf(config),
    bodyBytesMax: config.max_body_bytes,
    recordedBytesMax: config.max_recorded_body_bytes,
    upstreamTimeoutMs: config.upstream_timeout_seconds * 1_000,
    uploadStallMs: options.uploadStallMs ?? UPLOAD_STALL_MS,
    syncAlways: config.spool_sync === "always",
    refuseWhenFull: config.on_spool_full === "refuse",
  };
}

/** Names of the headers with a request's id, without duplicates: an alias may be written twice, or be `Gateway`. */
function idHeadersOf({ header_aliases }: Config): string[] {
  return [...new Set(["gateway", ...header_aliases].map((prefix) => `${prefix.replace(/-+$/, "").toLowerCase()}-id`))];
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
  const onFault = (fault: RequestFault) => faultResponse(fault, parts.idHeaders);
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
