import type { Sockets } from "./http/sockets.ts";

/** `address` is the address of the peer, if known. */
export type FetchHandler = (request: Request, address: string | null) => Promise<Response>;

export interface Listener {
  readonly port: number;
  /** Accepts no more connections, ends those in use after their response or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Functions of a system library: types of arguments and result, such as `i32`. */
type Declared = Readonly<Record<string, { readonly args: string[]; readonly returns: string }>>;

/** An open system library. */
interface Library {
  readonly functions: object;
  /** The 32-bit number at an address that one of its functions returned. */
  int32At(address: number): number;
}

/**
 * All differences between Bun and Deno for this program. `platform.ts` chooses one of the two on load; no other file checks
 * which runtime this is, which a test enforces.
 */
export interface Runtime {
  readonly name: "bun" | "deno";
  /** The command that starts this program from source. */
  readonly command: string;
  /** Path of the Bun executable, which builds the dashboard; undefined on another runtime. */
  readonly bun: string | undefined;
  /** Sockets without TLS. */
  readonly sockets: Sockets;
  /** When a server probes a client that may have left, in milliseconds after it closed its side. */
  readonly probesAfterMs: readonly number[];
  /**
   * The runtime's own server for a fetch-style handler; port 0 picks a free one. @throws if the port is taken. Undefined if it
   * waits for ever for a request's head.
   */
  readonly serve: ((host: string, port: number, handle: FetchHandler) => Listener) | undefined;
  /** The option of `fetch` that makes it trust these authorities, as PEM. */
  trusting(authorities: readonly string[]): object;
  /** The argument of `import` for one version of a file. */
  moduleAddress(path: string, version: string): string;
  /** Decompresses zstd that this program wrote; its size is not bounded. @throws Error if the bytes are not zstd. */
  decompressZstd(bytes: Uint8Array): Uint8Array;
  /** Compresses at level 1: higher levels take up to 50% longer for a few percent. */
  compressZstd(bytes: Uint8Array): Uint8Array;
  /** Whether `zlib.zstdDecompressSync` decodes all frames of its input; if not, each needs a separate call. */
  readonly decodesAllFrames: boolean;
  /** Whether `zlib.brotliDecompressSync` throws if its input is truncated or damaged. */
  readonly checksBrotli: boolean;
  /** Runs a full garbage collection, if the runtime offers it; takes milliseconds if little memory is live. */
  collectGarbage(): void;
  /** Undefined if the runtime cannot call libraries, or needs a separate permission. @throws if there is no such library. */
  openLibrary(file: string, functions: Declared): Library | undefined;
}
