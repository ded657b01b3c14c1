/** Milliseconds since 1970 as ISO 8601 in UTC. What is no time is 1970: one damaged cell must not hide a page of records. */
export function isoTime(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}

export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
