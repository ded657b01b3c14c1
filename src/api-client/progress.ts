/** Where progress is shown: a bar that is redrawn on a terminal, an occasional plain line elsewhere. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  /** Characters in a line of the terminal; 0 if unknown. */
  readonly columns?: number | undefined;
}

export interface Progress {
  /** Total expected rows, as soon as known. */
  expect(total: number | undefined): void;
  /** Starts a phase, and counts from `rows` on. */
  phase(verb: string, rows: number): void;
  advance(rows: number, bytes: number): void;
  /** An attempt failed; the next one follows in `ms`. */
  waiting(reason: string, ms: number, attempt: number): void;
  /** Removes the bar, so that other lines can be printed. */
  stop(): void;
}

interface ProgressOptions {
  readonly screen: Screen;
  readonly quiet: boolean;
  readonly lineEveryMs: number;
  /** The prefix of a plain line; default `weir export`. */
  readonly command?: string;
}

const REDRAW_MS = 200;
/** The rate covers the last seconds, so that it follows a service that slows down. */
const WINDOW_MS = 10_000;

interface Sample {
  readonly atMs: number;
  readonly rows: number;
}

interface State {
  verb: string;
  total: number | undefined;
  rows: number;
  bytes: number;
  /** Since the phase began or was resumed: rows of an earlier run say nothing about the rate. */
  samples: Sample[];
  /** The last one; an earlier page may still be written meanwhile. */
  wait: Wait | undefined;
}

interface Wait {
  /** Number of the next attempt. */
  readonly attempt: number;
  readonly reason: string;
  readonly untilMs: number;
}

/** Shows something immediately: the first response may take a while. */
export function createProgress(options: ProgressOptions): Progress {
  const { screen } = options;
  const state: State = { verb: "asking", total: undefined, rows: 0, bytes: 0, samples: [], wait: undefined };
  const bar = screen.isTTY === true;
  const show = () => {
    if (options.quiet) return;
    const line = describe(state, bar ? screen.columns || 80 : undefined);
    screen.write(bar ? `\r\x1b[2K${line}` : `${options.command ?? "weir export"}: ${line}\n`);
  };
  const timer = setInterval(show, bar ? REDRAW_MS : options.lineEveryMs);
  timer.unref();

  return {
    expect(total) {
      state.total = total;
    },
    phase(verb, rows) {
      Object.assign(state, { verb, rows, bytes: 0, samples: [{ atMs: performance.now(), rows }], wait: undefined });
    },
    advance(rows, bytes) {
      const atMs = performance.now();
      state.rows += rows;
      state.bytes += bytes;
      state.samples.push({ atMs, rows: state.rows });
      // One sample from before the window stays, to measure from.
      const inWindow = state.samples.findIndex((sample) => sample.atMs >= atMs - WINDOW_MS);
      if (inWindow > 1) state.samples.splice(0, inWindow - 1);
    },
    waiting(reason, ms, attempt) {
      state.wait = { attempt: attempt + 1, reason, untilMs: performance.now() + ms };
    },
    stop() {
      clearInterval(timer);
      if (bar && !options.quiet) screen.write("\r\x1b[2K");
    },
  };
}

/** @param width - characters of the terminal's line, which then gets a bar; undefined for a plain line. */
function describe(state: State, width: number | undefined): string {
  const { total } = state;
  const perSecond = rateOf(state.samples);
  const left = total === undefined ? undefined : Math.max(0, total - state.rows);
  const counted = total === undefined ? count(state.rows) : `${count(state.rows)}/${count(total)}`;
  const moving = [
    ...(perSecond > 0 ? [`${count(Math.round(perSecond))}/s`] : []),
    ...(perSecond > 0 && left !== undefined ? [`ETA ${clock(left / perSecond)}`] : []),
    ...(state.bytes > 0 ? [size(state.bytes)] : []),
  ];
  const wait = state.wait !== undefined && state.wait.untilMs > performance.now() ? state.wait : undefined;
  const parts = [counted, ...(wait === undefined ? moving : [waitText(wait)])];
  const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(1, state.rows / total);
  const percent = share === undefined ? "" : ` ${Math.floor(share * 100)}%`;
  const words = `${percent} ${parts.join("  ")}`;
  if (width === undefined) return `${state.verb}${words}`;
  const room = Math.min(30, width - 1 - state.verb.length - words.length - 1);
  const drawn = share === undefined || room < 5 ? "" : ` ${"█".repeat(Math.round(share * room)).padEnd(room, "░")}`;
  const line = `${state.verb}${drawn}${words}`;
  return line.length < width ? line : `${line.slice(0, Math.max(0, width - 2))}…`;
}

/** Rows per second until now: it decreases while nothing arrives. */
function rateOf(samples: readonly Sample[]): number {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.rows === first.rows) return 0;
  return ((last.rows - first.rows) * 1000) / Math.max(1, performance.now() - first.atMs);
}

function waitText({ attempt, reason, untilMs }: Wait): string {
  const seconds = Math.max(0, Math.ceil((untilMs - performance.now()) / 1000));
  return `attempt ${attempt} in ${seconds} s: ${reason}`;
}

/** @param noun - follows the number: "1 record", "1,000 records". */
export function count(value: number, noun?: string): string {
  const number = value.toLocaleString("en-US");
  return noun === undefined ? number : `${number} ${value === 1 ? noun : `${noun}s`}`;
}

/** Bytes in readable form. */
export function size(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** Seconds as `m:ss` or `h:mm:ss`. */
export function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const rest = `${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${two((whole / 60) % 60)}:${rest}` : `${Math.floor(whole / 60)}:${rest}`;
}
