import type { Sockets } from "./http/sockets.ts";

/** The address is that of the other end of the connection, if it is known. */
export type FetchHandler = (request: Request, address: string | null) => Promise<Response>;

export interface Listener {
  readonly port: number;
  /** Takes no more connections, ends those in use after their response or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Functions of the system's C library: types of arguments and result, such as `i32`. */
export type Declared = Readonly<Record<string, { readonly args: string[]; readonly returns: string }>>;

/** A library of the system that is open. */
export interface Library {
  readonly functions: object;
  /** The 32-bit number at an address that one of its functions returned. */
  int32At(address: number): number;
}

/**
 * Everything in which Bun and Deno differ for this program. `platform.ts` chooses one of the two when it is loaded; no
 * other file asks which runtime this is, and a test holds that.
 */
export interface Runtime {
  readonly name: "bun" | "deno";
  /** What a user types to start this program from source. */
  readonly command: string;
  /** The program of Bun, which builds the dashboard; undefined if this is another runtime. */
  readonly bun: string | undefined;
  /** Sockets without TLS. */
  readonly sockets: Sockets;
  /** When a server probes a client that may have left, in milliseconds after its request. */
  readonly probesAfterMs: readonly number[];
  /** Serves a fetch-shaped handler; port 0 takes a free one. @throws if the port is taken. */
  serve(host: string, port: number, handle: FetchHandler): Listener;
  /** The member of `fetch`'s options that makes it trust these authorities, as PEM. */
  trusting(authorities: readonly string[]): object;
  /** The argument of `import` for one version of a file. */
  moduleAddress(path: string, version: string): string;
  /** Decompresses zstd that we wrote ourselves; its size is not bounded. @throws Error if the bytes are not zstd. */
  decompressZstd(bytes: Uint8Array): Uint8Array;
  /** Compresses at level 1: higher levels take up to half as much time again for a few percent. */
  compressZstd(bytes: Uint8Array): Uint8Array;
  /** Whether `zlib.zstdDecompressSync` decodes all frames of its input; if not, each needs a call. */
  readonly decodesAllFrames: boolean;
  /** Whether `zlib.brotliDecompressSync` throws if its input is cut off or damaged. */
  readonly checksBrotli: boolean;
  /** Frees unreachable memory at once, if the runtime offers it; takes milliseconds if little is alive. */
  collectGarbage(): void;
  /** Undefined if the runtime calls none, or needs a permission of its own. @throws if there is no such library. */
  openLibrary(file: string, functions: Declared): Library | undefined;
}
