import { isIP } from "node:net";
import tls from "node:tls";
import { platform } from "../platform.ts";
import type { ByteSocket } from "./sockets.ts";
import {
  type ResolvedAddress,
  UPSTREAM_DEFAULTS,
  UpstreamError,
  type UpstreamOptions,
  type UpstreamOrigin,
} from "./upstream.ts";

/** How long an address may take before the next one is tried; the last one gets the full connect timeout. */
const NEXT_ADDRESS_MS = 2_500;
const TCP_PROBE_MS = 60_000;

export type Connector = (origin: UpstreamOrigin, isWanted: () => boolean) => Promise<ByteSocket>;

/**
 * Opens connections to checked addresses only: `options.resolve` resolves the name once, and connections go to the resulting
 * address, so nothing resolves it a second time. TLS still sends and verifies the name.
 */
export function createConnector(options: UpstreamOptions): Connector {
  let secureContext: tls.SecureContext | undefined;
  const { sockets = platform.sockets } = options;
  const open = ({ address }: ResolvedAddress, { secure, host, port }: UpstreamOrigin): ByteSocket => {
    if (!secure) return sockets.connect(address, port);
    if (options.ca !== undefined) secureContext ??= tls.createSecureContext({ ca: [...options.ca] });
    return tls.connect({
      host: address,
      port,
      ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, "") } : {}),
      ...(secureContext === undefined ? {} : { secureContext }),
      ALPNProtocols: ["http/1.1"],
    }) as ByteSocket;
  };

  return async (origin, isWanted) => {
    const addresses = await options.resolve(origin);
    let failure: UpstreamError | undefined;
    for (const [at, address] of addresses.entries()) {
      if (!isWanted()) break;
      const isLast = at === addresses.length - 1;
      try {
        const limitMs = isLast ? UPSTREAM_DEFAULTS.connectMs : NEXT_ADDRESS_MS;
        return await whenOpen(open(address, origin), origin, limitMs);
      } catch (error) {
        failure = error as UpstreamError;
      }
    }
    throw failure ?? new UpstreamError("unreachable", `${origin.host} has no address`);
  };
}

function whenOpen(socket: ByteSocket, { secure, host, port }: UpstreamOrigin, limitMs: number): Promise<ByteSocket> {
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new UpstreamError("unreachable", `no connection to ${host}:${port} (${why})`, { cause }));
    };
    const timer = setTimeout(() => fail(`no response within ${limitMs / 1_000} s`), limitMs);
    const onError = (error: NodeJS.ErrnoException) => fail(error.code ?? error.message, error);
    const onClose = () => fail("closed while connecting");
    socket.on("error", onError);
    socket.on("close", onClose);
    socket.once(secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.off("error", onError);
      socket.off("close", onClose);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, TCP_PROBE_MS);
      resolve(socket);
    });
  });
}
