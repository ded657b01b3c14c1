import { startFetchServer } from "./http/fetch-server.ts";
import type { RequestFault } from "./http/server.ts";
import type { TlsPair } from "./http/tls-pair.ts";
import { tlsSockets } from "./http/tls-sockets.ts";
import type { FetchHandler, Listener } from "./runtime.ts";
import { withGrace } from "./with-grace.ts";

/** Settings of a TLS listener. */
interface ListenTls {
  readonly pair: TlsPair;
  /** The complete response to a request that cannot be served. */
  readonly onFault: (fault: RequestFault) => Uint8Array;
}

/**
 * Serves a fetch-style handler over TLS with our own sockets: the runtimes' servers cannot change the certificate while
 * listening.
 */
export async function listenTls(
  host: string,
  port: number,
  handle: FetchHandler,
  { pair, onFault }: ListenTls,
): Promise<Listener> {
  const sockets = tlsSockets({ pair, plainResponse: () => onFault("plain") });
  const server = await startFetchServer({ host, port, handle, onFault, sockets });
  return {
    port: server.port,
    stop: (graceMs) => withGrace(server.close(), graceMs, () => server.closeAll()),
  };
}
