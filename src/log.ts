import { isatty } from "node:tty";

type LogLevel = "debug" | "info" | "warn" | "error";
type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * The log: one line on stderr per event, JSON for machines and readable text on a terminal.
 *
 * Log lines must not contain anything that a client sent: no key, no body, no header value.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with fields added to every line, such as the component's name. */
  with(fields: LogFields): Log;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "text";
  /** Receives one complete line with its line end; default stderr. */
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

/** Creates the configured log, in any thread: `auto` is text on a terminal and JSON elsewhere. */
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

/** Text for a terminal: names chosen by clients may contain escape sequences. Line breaks stay. */
function printable(text: string): string {
  return text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, " ");
}

/** The message of an unknown thrown value, for a log line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For a thread that serves clients: an uncaught error is a bug in one request, plugin or socket; the others are still served. */
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
