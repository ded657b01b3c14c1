import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { leaveFirstCore } from "./cores.ts";
import { kernel } from "./kernel.ts";

/** Nice values of the recorder, and of work that comes after traffic and its records: queries and scheduled jobs. */
const RECORDING = 5;
const QUERIES = 10;
/** The database driver's threads, which run queries. */
const QUERY_THREADS = /^tokio-runtime/;
/**
 * The runtime's threads that compile, collect garbage and return memory: most of that work is for queries, and traffic would
 * wait for their time slices.
 */
const RUNTIME_THREADS = /^(JITWorker|JSCWarmUp|HeapHelper|mi-scavenger)/;
/** Threads of the runtime come and go with its work. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Gives traffic priority when CPU is scarce: raises the nice value of the calling thread, the recorder's.
 *
 * Only on Linux, where process 0 means the calling thread; elsewhere it would be the entire program.
 */
export function yieldToTraffic(): void {
  whereAllowed(() => beNice(0, RECORDING));
}

/** Does the same for the jobs' thread, which also yields to the recorder. */
export function jobsYieldToTraffic(): void {
  whereAllowed(() => yieldAsQuery(0));
}

/**
 * Does the same for queries: the calling thread and the database driver's threads, which exist once a database is open.
 * They, and from now on the runtime's own threads, also avoid the first core.
 */
export function queriesYieldToTraffic(): void {
  whereAllowed(() => yieldAsQuery(0));
  // On Deno threads of those names do the program's own I/O.
  if (process.platform !== "linux" || process.versions["bun"] === undefined) return;
  let seen: ReadonlySet<string> = new Set();
  const look = () => {
    const threads = readdirSync("/proc/self/task");
    for (const thread of threads) if (!seen.has(thread)) whereAllowed(() => yieldByName(Number(thread)));
    seen = new Set(threads);
  };
  whereAllowed(look);
  setInterval(whereAllowed, LOOK_AGAIN_MS, look).unref();
}

function yieldByName(thread: number): void {
  const name = nameOf(thread);
  if (QUERY_THREADS.test(name)) yieldAsQuery(thread);
  else if (RUNTIME_THREADS.test(name)) leaveFirstCore(thread);
}

function yieldAsQuery(thread: number): void {
  beNice(thread, QUERIES);
  leaveFirstCore(thread);
}

function nameOf(thread: number): string {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8");
  } catch {
    return ""; // it has ended in the meantime
  }
}

function whereAllowed(step: () => void): void {
  if (process.platform !== "linux") return;
  try {
    step();
  } catch {
    return; // a container may forbid it, or the file limit is reached; everything works without
  }
}

function beNice(thread: number, nice: number): void {
  setPriority(thread, nice);
  takeLongTurns(thread, nice);
}

/**
 * Time slice of a yielding thread, in nanoseconds; the default is a seventh of it. A thread that wakes with a shorter slice
 * preempts this one immediately: a thread with only a nice value finishes its slice, a millisecond or two.
 */
const TURN_NS = 10_000_000n;
/** Numbers of the system call `sched_setattr`. */
const SCHED_SETATTR: Readonly<Record<string, number>> = { x64: 314, arm64: 274 };

/** Linux 6.12 and later; earlier kernels accept the call and ignore the slice. */
function takeLongTurns(thread: number, nice: number): void {
  const call = SCHED_SETATTR[process.arch];
  if (call === undefined) return;
  // struct sched_attr: size, policy (0, the default), flags, nice, priority, runtime, and two unused members.
  const attributes = Buffer.alloc(48);
  attributes.writeUInt32LE(attributes.byteLength, 0);
  attributes.writeInt32LE(nice, 16);
  attributes.writeBigUInt64LE(TURN_NS, 24);
  kernel()?.syscall(call, thread, attributes, 0);
}
