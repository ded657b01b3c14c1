import { kernel } from "./kernel.ts";

/** Room for 1,024 cores, as in the C library's own type. */
const MASK_BYTES = 128;

/**
 * Keeps a thread (0: the calling one) off the first core that this program may use, so that threads woken by traffic find a
 * core without queries. A lower priority alone is not enough: the kernel often wakes a thread where it ran before, and
 * preempts another one only at the next tick, up to 4 ms later.
 *
 * Only on Linux, on Bun, with two cores or more; otherwise it does nothing. @throws if there is no glibc.
 */
export function leaveFirstCore(thread: number): void {
  const calls = kernel();
  const cores = Buffer.alloc(MASK_BYTES);
  // The main thread's cores: it keeps them all, while repeated calls for one thread would remove one more each time.
  if (calls === undefined || calls.sched_getaffinity(process.pid, MASK_BYTES, cores) < 0) return;
  const first = cores.findIndex((byte) => byte !== 0);
  const byte = cores[first] ?? 0;
  cores[first] = byte & (byte - 1); // without its lowest bit
  if (cores.some((left) => left !== 0)) calls.sched_setaffinity(thread, MASK_BYTES, cores);
}
