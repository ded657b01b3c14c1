import { isatty } from "node:tty";

/**
 * The log: one line on stderr per event, JSON for machines and readable text on a terminal.
 *
 * Nothing that a client sent belongs into a log line: no key, no body, no header value.
 */
type LogLevel = "debug" | "info" | "warn" | "error";
type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with fields that every line carries, such as the room that speaks. */
  with(fields: LogFields): Log;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "text";
  /** Takes one finished line with its line end; stderr unless told otherwise. */
  readonly write?: (line: string) => void;
}

export function createLog(options: LogOptions, bound: LogFields = {}): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const emit = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (RANK[level] < RANK[options.level]) return;
    const all = { ...bound, ...fields };
    const time = new Date().toISOString();
    write(
      options.format === "json"
        ? `${JSON.stringify({ time, level, message, ...all })}\n`
        : text(time, level, message, all),
    );
  };
  return {
    debug: (message, fields) => emit("debug", message, fields),
    info: (message, fields) => emit("info", message, fields),
    warn: (message, fields) => emit("warn", message, fields),
    error: (message, fields) => emit("error", message, fields),
    with: (fields) => createLog(options, { ...bound, ...fields }),
  };
}

/** The log that the configuration asks for, in any thread: `auto` is text on a terminal and JSON elsewhere. */
export function configuredLog(
  config: { readonly log_level: LogLevel; readonly log_format: "auto" | "json" | "text" },
  bound: LogFields = {},
): Log {
  const { log_level: level, log_format: format } = config;
  return createLog({ level, format: format === "auto" ? (isatty(2) ? "text" : "json") : format }, bound);
}

function text(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const tail = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name}=${typeof value === "string" && /[\s"=]/.test(value) ? JSON.stringify(value) : value}`,
    )
    .join("");
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${printable(`${message}${tail}`)}\n`;
}

/** Text for a terminal: names that clients chose may hold what moves its cursor or paints it. Lines stay lines. */
function printable(text: string): string {
  return text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, " ");
}

/** What an unknown thrown value says, for a log line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For a thread that serves clients. What was not caught is a bug of one request, plugin or socket: the others are served on. */
export function keepServing(log: Log): void {
  const onBug = (error: unknown) => {
    log.error("not caught, serving on", {
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
}
