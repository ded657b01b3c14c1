import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Nice values of the recorder, and of what comes after traffic and its records: queries and what is done by the clock. */
const RECORDING = 5;
const QUERIES = 10;
/** The driver's threads, on which queries run. */
const QUERY_THREADS = /^tokio-runtime/;

/**
 * Lets traffic go first where the processor is short: the calling thread, the recorder's, becomes less urgent.
 *
 * Only on Linux, where process 0 means the calling thread alone; elsewhere it would be the whole program.
 */
export function yieldToTraffic(): void {
  beNice(0, RECORDING);
}

/** The same for the thread of the jobs, which waits for the recorder as well. */
export function jobsYieldToTraffic(): void {
  beNice(0, QUERIES);
}

/** The same for queries: the calling thread and those of the database driver, which are there once a database is open. */
export function queriesYieldToTraffic(): void {
  beNice(0, QUERIES);
  // On Deno threads of that name do the program's own reading and writing.
  if (process.platform !== "linux" || process.versions["bun"] === undefined) return;
  for (const thread of readdirSync("/proc/self/task")) {
    if (QUERY_THREADS.test(nameOf(thread))) beNice(Number(thread), QUERIES);
  }
}

function nameOf(thread: string): string {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}

function beNice(thread: number, nice: number): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(thread, nice);
    takeLongTurns(thread, nice);
  } catch {
    return; // a container may forbid it, and all works without
  }
}

/**
 * Turns of a thread that yields, in nanoseconds; common ones are a seventh of it. Whoever wakes and takes shorter turns
 * need not wait for the end of this one: a thread that is only nice finishes its turn, a millisecond or two.
 */
const TURN_NS = 10_000_000n;
/** Numbers of the system call `sched_setattr`. */
const SCHED_SETATTR: Readonly<Record<string, number>> = { x64: 314, arm64: 274 };

type Syscall = (number: number, thread: number, attributes: NodeJS.TypedArray, flags: number) => unknown;

/** Linux 6.12 and later; earlier ones take the call and know nothing of turns. */
function takeLongTurns(thread: number, nice: number): void {
  const call = SCHED_SETATTR[process.arch];
  if (call === undefined) return;
  // struct sched_attr: size, policy (0, the common one), flags, nice, priority, runtime, and two of no matter here.
  const attributes = Buffer.alloc(48);
  attributes.writeUInt32LE(attributes.byteLength, 0);
  attributes.writeInt32LE(nice, 16);
  attributes.writeBigUInt64LE(TURN_NS, 24);
  syscall ??= openSyscall();
  syscall(call, thread, attributes, 0);
}

let syscall: Syscall | undefined;

/** On Deno there is nothing like it without a permission of its own. */
function openSyscall(): Syscall {
  const ffi = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi") | undefined;
  if (ffi === undefined) return () => {};
  const { symbols } = ffi.dlopen("libc.so.6", { syscall: { args: ["i64", "i64", "ptr", "i64"], returns: "i64" } });
  return symbols.syscall;
}
