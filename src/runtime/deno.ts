import { Buffer } from "node:buffer";
import { pathToFileURL } from "node:url";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { nodeSockets } from "./http/sockets.ts";
import type { Runtime } from "./runtime.ts";
import { wholeFrames } from "./zstd-frames.ts";

declare const Deno: {
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
  serve: undefined,
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
