import { readFileSync } from "node:fs";
import { type Note, readNote } from "../spool/reading-note.ts";

/**
 * CPU milliseconds that the recorder may spend on one step of an exchange. What is plain JavaScript is cut off long
 * before; native code, a regular expression for example, is not.
 */
export const STUCK_MS = 20_000;
const LOOK_MS = 1_000;
/** Where a thread's CPU time is not told, it gets so many times more by the clock. */
const CLOCK_FACTOR = 15;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

interface WatchOptions {
  /** The spool's. */
  readonly directory: string;
  /** Told once for each exchange. */
  readonly onStuck: (reason: string) => void;
  readonly limitMs?: number;
  readonly lookMs?: number;
}

/** Looks now and then whether the recorder is stuck in one exchange. @returns what ends it. */
export function watchReading({ directory, onStuck, limitMs = STUCK_MS, lookMs = LOOK_MS }: WatchOptions): () => void {
  let since: { readonly note: Note; readonly cpuMs: number | undefined; readonly clockMs: number } | undefined;
  let told = false;
  const look = () => {
    const note = readNote(directory);
    const cpuMs = note && cpuMsOf(note.threadId);
    if (note === undefined || since === undefined || !isSame(note, since.note)) {
      since = note && { note, cpuMs, clockMs: performance.now() };
      told = false;
      return;
    }
    const isKnown = cpuMs !== undefined && since.cpuMs !== undefined;
    const spent = isKnown ? cpuMs - since.cpuMs! : (performance.now() - since.clockMs) / CLOCK_FACTOR;
    if (told || spent < limitMs) return;
    told = true;
    onStuck(`more than ${limitMs / 1_000} s of CPU time were used`);
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

const isSame = (a: Note, b: Note) =>
  a.id === b.id && a.step === b.step && a.tries === b.tries && a.threadId === b.threadId;

/** @returns undefined where the system does not tell it. */
function cpuMsOf(threadId: number): number | undefined {
  if (threadId === 0) return undefined;
  try {
    const stat = readFileSync(`/proc/self/task/${threadId}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
