import { type FetchHandler, startFetchServer } from "./http/fetch-server.ts";
import type { RequestFault } from "./http/server.ts";
import type { TlsPair } from "./http/tls-pair.ts";
import { tlsSockets } from "./http/tls-sockets.ts";
import { isDeno } from "./platform.ts";

export interface Listener {
  readonly port: number;
  /** Takes no more connections, ends those in use after their answer or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

interface DenoServer {
  readonly addr: { readonly port: number };
  shutdown(): Promise<void>;
}

declare const Deno: {
  serve(
    options: { hostname: string; port: number; signal: AbortSignal; onListen: () => void },
    handle: (request: Request, info: { readonly remoteAddr: { readonly hostname?: string } }) => Promise<Response>,
  ): DenoServer;
};

/** The address is that of the other end of the connection, where it is known. */
type Handle = FetchHandler;

/** What a listener that speaks TLS needs. */
interface ListenTls {
  readonly pair: TlsPair;
  /** The whole answer to what is no request that can be served. */
  readonly onFault: (fault: RequestFault) => Uint8Array;
}

/** The same over TLS, by sockets of our own: the runtimes' servers cannot take another certificate while they listen. */
export async function listenTls(
  host: string,
  port: number,
  handle: Handle,
  { pair, onFault }: ListenTls,
): Promise<Listener> {
  const sockets = tlsSockets({ pair, plainAnswer: () => onFault("plain") });
  const server = await startFetchServer({ host, port, handle, onFault, sockets });
  return {
    port: server.port,
    stop: (graceMs) => withGrace(server.close(), graceMs, () => server.closeAll()),
  };
}

/**
 * Serves a fetch-shaped handler on Bun and Deno alike; port 0 takes a free one.
 *
 * @throws where the port is taken.
 */
export function listen(host: string, port: number, handle: Handle): Listener {
  if (isDeno) {
    const cut = new AbortController();
    const server = Deno.serve({ hostname: host, port, signal: cut.signal, onListen: () => {} }, async (request, info) =>
      handle(await asOnBun(request), info.remoteAddr.hostname ?? null),
    );
    return {
      port: server.addr.port,
      stop: (graceMs) => withGrace(server.shutdown(), graceMs, () => cut.abort()),
    };
  }
  const server = Bun.serve({
    hostname: host,
    port,
    fetch: (request, itself) => handle(request, itself.requestIP(request)?.address ?? null),
    development: false, // its page for uncaught errors shows source and paths
    reusePort: false, // without that page it shares a taken port silently unless told not to
    idleTimeout: 0, // a query may take longer than any of its values
    maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the handler counts, and answers in JSON
  });
  return {
    port: server.port!,
    stop: (graceMs) => withGrace(server.stop(false), graceMs, () => void server.stop(true)),
  };
}

/**
 * Deno gives every request but GET and HEAD a body; on Bun one that was sent without has none, and so endpoints expect it.
 * Over HTTP/2, which Deno speaks as well, a body need not tell its length: its first chunk is waited for.
 */
async function asOnBun(request: Request): Promise<Request> {
  const { body, headers, method, url } = request;
  const length = headers.get("content-length");
  if (body === null || headers.has("transfer-encoding") || (length !== null && length !== "0")) return request;
  const reader = body.getReader();
  let first = await reader.read();
  while (first.value?.byteLength === 0) first = await reader.read();
  const { value } = first;
  if (value === undefined) return new Request(url, { method, headers });
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(value),
    async pull(controller) {
      const next = await reader.read();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Request(url, { method, headers, body: whole, duplex: "half" } as RequestInit);
}

async function withGrace(done: Promise<unknown>, graceMs: number, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, graceMs);
  await done;
  clearTimeout(timer);
}
