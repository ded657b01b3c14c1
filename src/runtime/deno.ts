import { Buffer } from "node:buffer";
import { pathToFileURL } from "node:url";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { nodeSockets } from "./http/sockets.ts";
import type { FetchHandler, Listener, Runtime } from "./runtime.ts";
import { withGrace } from "./with-grace.ts";
import { wholeFrames } from "./zstd-frames.ts";

declare const Deno: {
  serve(
    options: { hostname: string; port: number; signal: AbortSignal; onListen: () => void },
    handle: (request: Request, info: { readonly remoteAddr: { readonly hostname?: string } }) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
  createHttpClient(options: { caCerts: readonly string[] }): unknown;
};

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const deno: Runtime = {
  name: "deno",
  command: "deno run -A src/main.ts",
  bun: undefined,
  sockets: nodeSockets,
  // A refused probe is noticed only with the next write.
  probesAfterMs: [400, 500, 900],
  serve,
  trusting: (authorities) => ({ client: Deno.createHttpClient({ caCerts: authorities }) }),
  // Each version of an address is a separate module.
  moduleAddress: (path, version) => `${pathToFileURL(path).href}?v=${version}`,
  decompressZstd,
  compressZstd: (bytes) => zstdCompressSync(bytes, FAST),
  decodesAllFrames: false,
  checksBrotli: false,
  collectGarbage: () => {},
  openLibrary: () => undefined,
};

/** The runtime's own function decodes the first frame only. */
function decompressZstd(bytes: Uint8Array): Uint8Array {
  const frames = wholeFrames(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (frames === undefined) throw new Error("the end of the zstd content is missing");
  return frames.length === 1
    ? zstdDecompressSync(frames[0]!)
    : Buffer.concat(frames.map((frame) => zstdDecompressSync(frame)));
}

function serve(host: string, port: number, handle: FetchHandler): Listener {
  const cut = new AbortController();
  const server = Deno.serve({ hostname: host, port, signal: cut.signal, onListen: () => {} }, async (request, info) =>
    handle(await asOnBun(request), info.remoteAddr.hostname ?? null),
  );
  return {
    port: server.addr.port,
    stop: (graceMs) => withGrace(server.shutdown(), graceMs, () => cut.abort()),
  };
}

/**
 * Deno gives every request except GET and HEAD a body; on Bun a request sent without one has none, which the endpoints
 * expect. Over HTTP/2, which Deno also supports, a body may have no declared length, so its first chunk is awaited. A copy
 * of a TRACE request, which no endpoint takes, would throw.
 */
async function asOnBun(request: Request): Promise<Request> {
  const { body, headers, method, url } = request;
  const length = headers.get("content-length");
  if (body === null || method === "TRACE" || headers.has("transfer-encoding") || (length !== null && length !== "0"))
    return request;
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
