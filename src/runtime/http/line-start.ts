/** Maximum number and length of remembered names: made-up names must not fill the memory. */
const NAMES_MAX = 5_000;
const NAME_LENGTH_MAX = 128;
const starts = new Map<string, string>();

/**
 * The start of a header line behind another one: line end, name, colon, space. Built once for each spelling, so that a line is
 * three parts: the runtime joins up to three with one object.
 */
export function lineStart(name: string): string {
  const known = starts.get(name);
  if (known !== undefined) return known;
  // A copy: a joined text may refer to a larger one, and keep it in memory.
  const start = Buffer.from(`\r\n${name}: `, "latin1").toString("latin1");
  if (starts.size < NAMES_MAX && name.length <= NAME_LENGTH_MAX) starts.set(own(start), start);
  return start;
}

const own = (start: string): string => Buffer.from(start.slice(2, -2), "latin1").toString("latin1");
