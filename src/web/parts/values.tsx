import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatCount,
  formatDuration,
  formatExactTime,
  formatMoney,
  formatTime,
  UNKNOWN,
} from "./format.ts";

interface Of<T> {
  readonly of: T | null | undefined;
}

interface TimeProps extends Of<string> {
  readonly relative?: boolean;
  /** With milliseconds and the zone. */
  readonly exact?: boolean;
}

/** A time in the reader's time zone; the tooltip shows the API's UTC time. */
export function Time({ of, relative = false, exact = false }: TimeProps) {
  if (of === null || of === undefined) return <span className="unknown">{UNKNOWN}</span>;
  return (
    <time dateTime={of} title={`${of.replace("T", " ").replace("Z", "")} UTC`}>
      {relative ? formatAgo(of) : exact ? formatExactTime(of) : formatTime(of)}
    </time>
  );
}

export function Money({ of }: Of<number>) {
  return of === null || of === undefined ? (
    <span className="unknown" title="not known">
      {UNKNOWN}
    </span>
  ) : (
    <span className="number" title={`${of} US dollars`}>
      {formatMoney(of)}
    </span>
  );
}

/** A whole number; `short` writes 1.2M, with the exact number as a tooltip. */
export function Count({ of, short = false }: Of<number> & { readonly short?: boolean }) {
  if (of === null || of === undefined) {
    return (
      <span className="unknown" title="not known">
        {UNKNOWN}
      </span>
    );
  }
  return (
    <span className="number" title={formatCount(of)}>
      {short ? formatCompact(of) : formatCount(of)}
    </span>
  );
}

interface CountedProps extends Of<number> {
  readonly one: string;
  readonly many?: string;
  readonly short?: boolean;
}

/** A count with its noun: `1 hit`, `2 hits`. */
export function Counted({ of, one, many = `${one}s`, short = false }: CountedProps) {
  return (
    <>
      <Count of={of} short={short} /> {of === 1 ? one : many}
    </>
  );
}

export function Duration({ of }: Of<number>) {
  return of === null || of === undefined ? (
    <span className="unknown">{UNKNOWN}</span>
  ) : (
    <span className="number" title={`${of} ms`}>
      {formatDuration(of)}
    </span>
  );
}

export function Bytes({ of }: Of<number>) {
  return (
    <span className="number" title={of === null || of === undefined ? "not known" : `${formatCount(of)} bytes`}>
      {formatBytes(of)}
    </span>
  );
}

/** The meaning of a status. */
const STATUS_TEXT: Readonly<Record<number, string>> = {
  101: "WebSocket",
  200: "OK",
  400: "Bad request",
  401: "Not authorized",
  403: "Forbidden",
  404: "Not found",
  409: "Conflict",
  413: "Body too large",
  429: "Rate limited",
  499: "The client disconnected before the end of the response",
  500: "The gateway stopped, or a plugin or the provider failed",
  502: "The provider closed the connection or could not be reached",
  503: "Not available",
  504: "The provider took too long",
};

export function Status({ of }: { readonly of: number | null }) {
  const tone = of === null ? "running" : of >= 500 ? "bad" : of >= 400 ? "warn" : "good";
  return (
    <span className={`status status-${tone}`} title={of === null ? "in flight" : (STATUS_TEXT[of] ?? "")}>
      {of ?? "in flight"}
    </span>
  );
}
