/**
 * Milliseconds since 1970 as ISO 8601 in UTC. An invalid time becomes 1970: one damaged cell must not hide a page of
 * records.
 */
export function isoTime(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}

export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}

const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 time, or undefined. A time without an offset is UTC; a date without a time is
 * midnight. A time between two milliseconds becomes half a millisecond, because a number this large cannot hold a finer
 * fraction.
 */
export function readIsoTime(text: string): number | undefined {
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const [, day, minutes = "00:00", seconds = "00", fraction = "", offset = "Z"] = match;
  const whole = Date.parse(`${day}T${minutes}:${seconds}.000Z`);
  const shift = offsetMinutes(offset);
  if (Number.isNaN(whole) || shift === undefined || !isDay(day!)) return undefined;
  const between = /[1-9]/.test(fraction.slice(3)) ? 0.5 : 0;
  return whole - shift * 60_000 + Number(fraction.slice(0, 3).padEnd(3, "0")) + between;
}

/** Needed because the parser turns April 31 into May 1. */
function isDay(day: string): boolean {
  const found = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(day);
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === "Z" || offset === "z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
