import { kernel } from "./kernel.ts";

/** Room for 1,024 cores, as many as the C library's own type. */
const MASK_BYTES = 128;

/**
 * Keeps a thread (0: the calling one) off the first of the cores that this program may use, so that what wakes for
 * traffic finds one that no query holds. A lower priority alone does not do it: the kernel often wakes a thread where it
 * ran before, and takes the CPU from another one only at the next tick, up to 4 ms later.
 *
 * Only on Linux, on Bun, with two cores or more; elsewhere nothing happens. @throws where there is no glibc.
 */
export function leaveFirstCore(thread: number): void {
  const calls = kernel();
  const cores = Buffer.alloc(MASK_BYTES);
  // Those of the main thread, which keeps them all: a thread that left one would leave another each time.
  if (calls === undefined || calls.sched_getaffinity(process.pid, MASK_BYTES, cores) < 0) return;
  const first = cores.findIndex((byte) => byte !== 0);
  const byte = cores[first] ?? 0;
  cores[first] = byte & (byte - 1); // without its lowest bit
  if (cores.some((left) => left !== 0)) calls.sched_setaffinity(thread, MASK_BYTES, cores);
}
