import { startFetchServer } from "./http/fetch-server.ts";
import type { RequestFault } from "./http/server.ts";
import type { TlsPair } from "./http/tls-pair.ts";
import { tlsSockets } from "./http/tls-sockets.ts";
import { platform } from "./platform.ts";
import type { FetchHandler, Listener } from "./runtime.ts";
import { withGrace } from "./with-grace.ts";

interface ListenOptions {
  /** Undefined for a listener without TLS. */
  readonly pair: TlsPair | undefined;
  /** The complete response to a request that cannot be served. */
  readonly onFault: (fault: RequestFault) => Uint8Array;
}

/**
 * Serves a fetch-style handler: over our own sockets with TLS, because the runtimes' servers cannot change the certificate
 * while listening, and on a runtime whose server is not used.
 *
 * @throws if the port is taken.
 */
export async function listen(
  host: string,
  port: number,
  handle: FetchHandler,
  { pair, onFault }: ListenOptions,
): Promise<Listener> {
  if (pair === undefined && platform.serve !== undefined) return platform.serve(host, port, handle);
  const sockets = pair === undefined ? platform.sockets : tlsSockets({ pair, plainResponse: () => onFault("plain") });
  const server = await startFetchServer({ host, port, handle, onFault, sockets });
  return {
    port: server.port,
    stop: (graceMs) => withGrace(server.close(), graceMs, () => server.closeAll()),
  };
}
