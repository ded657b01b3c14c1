import { readFileSync } from "node:fs";
import { type Note, type NoteFiles, readNote } from "../spool/reading-note.ts";

/**
 * CPU milliseconds that the recorder may spend on one step of an exchange. Plain JavaScript is interrupted long before;
 * native code, a regular expression for example, is not.
 */
const STUCK_MS = 20_000;
/** `STUCK_MS` of a record that is read again: each of its steps may take ten times as long there. */
export const REREADING_STUCK_MS = 60_000;
const LOOK_MS = 1_000;
/** Short exchanges that are read together get a quarter of it: after that they are read one at a time. */
const TOGETHER_PART = 0.25;
/** Factor for the wall-clock limit if the system does not report a thread's CPU time. */
const CLOCK_FACTOR = 15;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

interface WatchOptions {
  /** The spool's. */
  readonly directory: string;
  /** The recorder's by default. */
  readonly files?: NoteFiles;
  /** Called once per exchange. */
  readonly onStuck: (reason: string) => void;
  readonly limitMs?: number;
  readonly lookMs?: number;
}

/** Checks periodically whether a thread that reads bodies is stuck in one exchange. @returns a function that ends the watch. */
export function watchReading(options: WatchOptions): () => void {
  const { directory, files, onStuck, limitMs = STUCK_MS, lookMs = LOOK_MS } = options;
  let since: { readonly note: Note; readonly cpuMs: number | undefined; readonly clockMs: number } | undefined;
  let isReported = false;
  const look = () => {
    const note = readNote(directory, files);
    const cpuMs = note && cpuMsOf(note.threadId);
    // The thread of a note may have ended, with an earlier process for example: another thread continues.
    const isOver = note !== undefined && note.threadId !== 0 && cpuMs === undefined;
    if (note === undefined || isOver || since === undefined || !isSame(note, since.note)) {
      since = note && !isOver ? { note, cpuMs, clockMs: performance.now() } : undefined;
      isReported = false;
      return;
    }
    const isKnown = cpuMs !== undefined && since.cpuMs !== undefined;
    const spent = isKnown ? cpuMs - since.cpuMs! : (performance.now() - since.clockMs) / CLOCK_FACTOR;
    const limit = note.ids.length > 1 ? limitMs * TOGETHER_PART : limitMs;
    if (isReported || spent < limit) return;
    isReported = true;
    onStuck(`more than ${limit / 1_000} s of CPU time were used`);
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

const isSame = (a: Note, b: Note) =>
  a.ids.join() === b.ids.join() && a.step === b.step && a.tries === b.tries && a.threadId === b.threadId;

/** @returns undefined if the system does not report it. */
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
