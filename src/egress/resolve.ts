import { lookup, Resolver } from "node:dns";
import { isIP } from "node:net";
import type { ResolvedAddress, UpstreamOrigin } from "../runtime/http/upstream.ts";
import { UpstreamError } from "../runtime/http/upstream.ts";
import type { TargetGuard } from "./target-guard.ts";

/** How long a DNS response is cached; short, because a provider's addresses change. */
const KNOWN_MS = 5_000;
const FAILURE_MS = 1_000;
const NAMES_MAX = 1_000;

type Resolved = Promise<readonly ResolvedAddress[]>;

/**
 * Resolves names to checked addresses: the upstream client connects to these and resolves nothing itself.
 *
 * One forbidden address refuses the entire DNS response, because a name that points both inside and outside is a trap. Only
 * `localhost` is allowed to be open at one of its two addresses.
 *
 * @param servers - `ip` or `ip:port` of the name servers to use; none means the system's resolver.
 */
export function createResolve(guard: TargetGuard, servers: readonly string[]): (origin: UpstreamOrigin) => Resolved {
  const find = servers.length > 0 ? askServers(servers) : askSystem;
  const known = new Map<string, Resolved>();

  const addressesOf = (host: string): Resolved => {
    const cached = known.get(host);
    if (cached !== undefined) return cached;
    if (known.size >= NAMES_MAX) known.clear();
    const found = find(host);
    known.set(host, found);
    const forget = (ms: number) => () => void setTimeout(() => known.delete(host), ms).unref();
    found.then(forget(KNOWN_MS), forget(FAILURE_MS));
    return found;
  };

  return async ({ host, port }) => {
    const refused = guard.refuseHost(host, port);
    if (refused !== undefined) throw new UpstreamError("forbidden", refused);
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family: family === 4 ? 4 : 6 }];

    const found = isLoopbackName(host) ? LOOPBACK : await addressesOf(host);
    const open = found.filter(({ address }) => guard.refuseAddress(address, host, port) === undefined);
    if (open.length === found.length || (isLoopbackName(host) && open.length > 0)) return open;
    const how = guard.howToOpen(host);
    throw new UpstreamError("forbidden", `${host} resolves to an address that this gateway does not allow; ${how}`);
  };
}

const LOOPBACK: readonly ResolvedAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

function isLoopbackName(host: string): boolean {
  return /^(?:.*\.)?localhost\.?$/.test(host);
}

function askSystem(host: string): Resolved {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error !== null) reject(noAddress(host, error));
      else if (found.length === 0) reject(noAddress(host));
      else resolve(found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
    });
  });
}

function askServers(servers: readonly string[]): (host: string) => Resolved {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers(servers);
  const ask = (method: "resolve4" | "resolve6", family: 4 | 6, host: string) =>
    new Promise<ResolvedAddress[]>((resolve, reject) => {
      resolver[method](host, (error, found) => {
        if (error !== null) reject(error);
        else resolve(found.map((address) => ({ address, family })));
      });
    });
  return async (host) => {
    const results = await Promise.allSettled([ask("resolve4", 4, host), ask("resolve6", 6, host)]);
    const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    if (found.length > 0) return found;
    throw noAddress(host, results.find((result) => result.status === "rejected")?.reason);
  };
}

function noAddress(host: string, cause?: unknown): UpstreamError {
  return new UpstreamError("unreachable", `the name ${host} has no address`, { cause });
}
