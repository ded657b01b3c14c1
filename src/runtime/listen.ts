import { startFetchServer } from "./http/fetch-server.ts";
import type { RequestFault } from "./http/server.ts";
import type { TlsPair } from "./http/tls-pair.ts";
import { tlsSockets } from "./http/tls-sockets.ts";
import type { FetchHandler, Listener } from "./runtime.ts";
import { withGrace } from "./with-grace.ts";

/** What a listener that speaks TLS needs. */
interface ListenTls {
  readonly pair: TlsPair;
  /** The whole answer to what is no request that can be served. */
  readonly onFault: (fault: RequestFault) => Uint8Array;
}

/** Serves a fetch-shaped handler over TLS, by sockets of our own: the runtimes' servers cannot take another certificate while they listen. */
export async function listenTls(
  host: string,
  port: number,
  handle: FetchHandler,
  { pair, onFault }: ListenTls,
): Promise<Listener> {
  const sockets = tlsSockets({ pair, plainAnswer: () => onFault("plain") });
  const server = await startFetchServer({ host, port, handle, onFault, sockets });
  return {
    port: server.port,
    stop: (graceMs) => withGrace(server.close(), graceMs, () => server.closeAll()),
  };
}
