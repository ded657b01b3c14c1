import { closeSync, openSync } from "node:fs";
import { platform } from "./platform.ts";

interface System {
  /** Candidate file names of the C library. */
  readonly libraries: readonly string[];
  /** The function that returns the address of `errno`. */
  readonly errno: "__errno_location" | "__error";
  readonly wouldBlock: number;
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, System>>> = {
  linux: {
    libraries: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
    errno: "__errno_location",
    wouldBlock: 11,
  },
  darwin: { libraries: ["libSystem.B.dylib"], errno: "__error", wouldBlock: 35 },
};
/** `LOCK_EX | LOCK_NB`, the same on both systems. */
const EXCLUSIVE_AT_ONCE = 6;

/** @returns 0 if the lock was taken, else `errno`. */
type Flock = (descriptor: number) => number;
let loaded: { readonly flock: Flock | undefined; readonly wouldBlock: number } | undefined;

/** A lock on a directory itself: unlike a lock file, it cannot be deleted while in use. */
interface Flocked {
  release(): void;
}

/**
 * Locks a directory with `flock` until it is released or this process ends in any way.
 *
 * @returns "taken" if another process has it; undefined if there is no such lock: on other systems, on Deno, and on file
 * systems without it.
 */
export function flockDirectory(directory: string): Flocked | "taken" | undefined {
  loaded ??= load();
  const { flock, wouldBlock } = loaded;
  if (flock === undefined) return undefined;
  const descriptor = openSync(directory, "r");
  const errno = flock(descriptor);
  if (errno === 0) return { release: () => closeSync(descriptor) };
  closeSync(descriptor);
  return errno === wouldBlock ? "taken" : undefined;
}

function load(): NonNullable<typeof loaded> {
  const { libraries, errno, wouldBlock } = SYSTEMS[process.platform] ?? {
    libraries: [],
    errno: "__error",
    wouldBlock: 0,
  };
  for (const file of libraries) {
    try {
      const library = platform.openLibrary(file, {
        flock: { args: ["i32", "i32"], returns: "i32" },
        [errno]: { args: [], returns: "ptr" },
      });
      if (library === undefined) break;
      const functions = library.functions as Record<string, (...args: number[]) => number>;
      const flock: Flock = (descriptor) =>
        functions["flock"]!(descriptor, EXCLUSIVE_AT_ONCE) === 0 ? 0 : library.int32At(functions[errno]!());
      return { flock, wouldBlock };
    } catch {
      // Try the other name; if none works, only the lock file guards the directory.
    }
  }
  return { flock: undefined, wouldBlock };
}
