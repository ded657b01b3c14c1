import { join } from "node:path";
import type { Config } from "../config.ts";
import { trustedAuthorities } from "../egress/authorities.ts";
import { PrivateGuard } from "../egress/private-guard.ts";
import { createResolve } from "../egress/resolve.ts";
import { TargetGuard } from "../egress/target-guard.ts";
import { KeyRing } from "../keys.ts";
import { NO_TABLES } from "../routing/tables.ts";
import { createStrictUpstream } from "../runtime/http/strict-upstream.ts";
import { neverThrowing } from "../runtime/http/upstream.ts";
import { FileFetcher } from "../unified/fetch-files.ts";
import { BodyBudget } from "./body/budget.ts";
import { ContentReader } from "./body/content-reader.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import { Departures } from "./departures.ts";
import { withEcho } from "./echo/echo-upstream.ts";
import type { InFlight } from "./exchange-deps.ts";
import type { GatewayOptions } from "./gateway.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { HeaderReader } from "./headers/headers.ts";
import { GatewayMetrics } from "./metrics.ts";
import { RequestIds } from "./request-ids.ts";
import { Slots } from "./slots.ts";
import { NOTHING_RECORDED } from "./unified/targets/recorded.ts";
import { createUnifiedParts, privateHosts } from "./unified/unified-parts.ts";

/** What all requests of a gateway share. */
export function createParts(options: GatewayOptions, ownPorts: ReadonlySet<number>): GatewayParts {
  const { config, log, spool, registry, claimId, hooks, privateTargets, passedOn, bodyTimes } = options;
  const gatewayLog = log.with({ component: "gateway" });
  const inFlight = new Slots<InFlight>();
  const guardWith = (alsoOpen?: () => readonly string[]) =>
    new TargetGuard(config.allow_private_targets, () => ownPorts, alsoOpen);
  const guard = guardWith(privateTargets);
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
        : new FileFetcher(neverThrowing(upstreamFor(guardWith())), config.max_body_bytes),
    privateUpstream: neverThrowing(upstreamFor(new PrivateGuard(() => ownPorts, config.allow_private_targets, opened))),
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
    uploadStallMs: config.upload_stall_seconds * 1_000,
    syncAlways: config.spool_sync === "always",
    refuseWhenFull: config.on_spool_full === "refuse",
  };
}

/** Names of the headers with a request's id, without duplicates: an alias may be written twice, or be `Gateway`. */
function idHeadersOf({ header_aliases }: Config): string[] {
  return [...new Set(["gateway", ...header_aliases].map((prefix) => `${prefix.replace(/-+$/, "").toLowerCase()}-id`))];
}
