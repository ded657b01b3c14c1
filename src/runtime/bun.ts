import { nativeSockets } from "./bun-sockets.ts";
import type { FetchHandler, Listener, Runtime } from "./runtime.ts";
import { withGrace } from "./with-grace.ts";

export const bun: Runtime = {
  name: "bun",
  command: "bun src/main.ts",
  bun: process.execPath,
  // Streams on top of Bun's sockets cost more per request than the sockets themselves.
  sockets: nativeSockets,
  probesAfterMs: [400],
  serve,
  trusting: (authorities) => ({ tls: { ca: authorities } }),
  // Each version of a path is a separate module.
  moduleAddress: (path, version) => `${path}?v=${version}`,
  // Takes a third of the time of the standard function, which sets up a stream for each call.
  decompressZstd: (bytes) => Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>),
  compressZstd: (bytes) => Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: 1 }),
  decodesAllFrames: true,
  checksBrotli: true,
  collectGarbage: () => Bun.gc(true),
  openLibrary(file, functions) {
    const { dlopen, read } = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
    const { symbols } = dlopen(file, functions as Parameters<typeof dlopen>[1]);
    return { functions: symbols, int32At: (address) => read.i32(address as Parameters<typeof read.i32>[0], 0) };
  },
};

function serve(host: string, port: number, handle: FetchHandler): Listener {
  const server = Bun.serve({
    hostname: host,
    port,
    fetch: (request, itself) => handle(request, itself.requestIP(request)?.address ?? null),
    development: false, // its page for uncaught errors shows source and paths
    reusePort: false, // without that page it would silently share a taken port by default
    idleTimeout: 0, // a query may pause for longer than any value allowed here
    maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the handler enforces the limit and responds in JSON
  });
  return {
    port: server.port!,
    stop: (graceMs) => withGrace(server.stop(false), graceMs, () => void server.stop(true)),
  };
}
