import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { leaveFirstCore } from "./cores.ts";
import { kernel } from "./kernel.ts";

/** Nice values of the recorder, and of what comes after traffic and its records: queries and what is done by the clock. */
const RECORDING = 5;
const QUERIES = 10;
/** The driver's threads, on which queries run. */
const QUERY_THREADS = /^tokio-runtime/;
/** Those of the runtime that compile, collect and give back memory: most of it is for queries, and traffic waits for a turn of theirs. */
const RUNTIME_THREADS = /^(JITWorker|JSCWarmUp|HeapHelper|mi-scavenger)/;
/** Threads of the runtime come and go with its work. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Lets traffic go first where the CPU is short: the calling thread, the recorder's, becomes less urgent.
 *
 * Only on Linux, where process 0 means the calling thread alone; elsewhere it would be the whole program.
 */
export function yieldToTraffic(): void {
  whereAllowed(() => beNice(0, RECORDING));
}

/** The same for the thread of the jobs, which waits for the recorder as well. */
export function jobsYieldToTraffic(): void {
  whereAllowed(() => yieldAsQuery(0));
}

/**
 * The same for queries: the calling thread and those of the database driver, which are there once a database is open.
 * They, and the runtime's own threads from now on, also avoid the first core.
 */
export function queriesYieldToTraffic(): void {
  whereAllowed(() => yieldAsQuery(0));
  // On Deno threads of those names do the program's own reading and writing.
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
    return ""; // it has ended meanwhile
  }
}

function whereAllowed(step: () => void): void {
  if (process.platform !== "linux") return;
  try {
    step();
  } catch {
    return; // a container may forbid it, or no more files be opened; all works without
  }
}

function beNice(thread: number, nice: number): void {
  setPriority(thread, nice);
  takeLongTurns(thread, nice);
}

/**
 * Turns of a thread that yields, in nanoseconds; common ones are a seventh of it. A thread that wakes and takes shorter turns
 * need not wait for the end of this one: a thread that is only nice finishes its turn, a millisecond or two.
 */
const TURN_NS = 10_000_000n;
/** Numbers of the system call `sched_setattr`. */
const SCHED_SETATTR: Readonly<Record<string, number>> = { x64: 314, arm64: 274 };

/** Linux 6.12 and later; earlier ones take the call and know nothing of turns. */
function takeLongTurns(thread: number, nice: number): void {
  const call = SCHED_SETATTR[process.arch];
  if (call === undefined) return;
  // struct sched_attr: size, policy (0, the common one), flags, nice, priority, runtime, and two of no matter here.
  const attributes = Buffer.alloc(48);
  attributes.writeUInt32LE(attributes.byteLength, 0);
  attributes.writeInt32LE(nice, 16);
  attributes.writeBigUInt64LE(TURN_NS, 24);
  kernel()?.syscall(call, thread, attributes, 0);
}
