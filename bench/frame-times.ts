/** What is read of a trace's event: microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time, where the thread's clock was read. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** What `frameTimes` reads is in these. */
export const FRAME_CATEGORIES = ["toplevel", "devtools.timeline"];

/**
 * CPU time of a page's main thread, script, style, layout and paint together, from each frame to the next, in
 * milliseconds: what others do on the machine meanwhile is not in it.
 *
 * @param trace - of one browser with one page, as `browser.stopTracing()` returns it.
 */
export function frameTimes(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const frames = traceEvents.filter(({ name }) => name === "FireAnimationFrame");
  const mains = new Set(frames.map(thread));
  const tasks = traceEvents.filter(
    (event) => event.name === "ThreadControllerImpl::RunTask" && mains.has(thread(event)),
  );
  const starts = frames.map(({ ts }) => ts).sort((a, b) => a - b);
  const times = starts.map(() => 0);
  for (const { ts, dur = 0, tdur = 0 } of tasks) {
    // A task that draws a frame belongs to that frame, though it began before it.
    const frame = starts.findLastIndex((start) => start <= ts + dur);
    if (frame >= 0) times[frame]! += tdur / 1_000;
  }
  return times;
}
