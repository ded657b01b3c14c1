import { type Cut, expiringMembers } from "./expiring.ts";
import { LINE_END, type Lines } from "./lines.ts";
import { RowReader } from "./row-reader.ts";

const HEAD = '{"data":[';

/** What an answer holds besides its records. */
export interface Envelope {
  readonly data?: unknown;
  readonly [name: string]: unknown;
}

export interface Opened {
  readonly envelope: Envelope;
  /** The records, less the members that expire. */
  readonly lines: Lines;
  readonly rows: number;
}

/**
 * Reads a page as a Weir writes it: `data` first, no spaces, the same first member in every record. The bytes of the
 * answer become the lines, where they are.
 *
 * It searches for what stands between two records, which a body may hold as well. What proves it right is that the
 * envelope without its records is JSON, and each record is: only one way to read the whole leads there.
 *
 * @returns undefined where that is not so, be it for an answer of another form or for one that is broken; it is as it
 *   was then.
 */
export function openCompact(answer: Buffer): Opened | undefined {
  // A line break outside a string would break a record over two lines.
  if (!answer.toString("latin1", 0, HEAD.length).startsWith(HEAD) || answer.includes(LINE_END)) return undefined;
  const end = answer.lastIndexOf("}]") + 1;
  const rest = answer.toString("latin1", end);
  if (end <= HEAD.length || !/^[ -[\]-~]+$/.test(rest) || rest.includes('"data"')) return undefined;
  const envelope = parseObject(HEAD + rest);
  const pieces = envelope && piecesOf(answer, end);
  return pieces && { envelope, ...linesOf(answer, pieces) };
}

/** Beginning and end of what stays of the records, in turn. The last piece of a record takes the byte behind it along. */
interface Pieces {
  readonly bounds: number[];
  /** The byte behind each record. */
  readonly ends: number[];
}

/** @param end - behind the last record. */
function piecesOf(answer: Buffer, end: number): Pieces | undefined {
  const pieces: Pieces = { bounds: [], ends: [] };
  const reader = new RowReader();
  const border = Buffer.from(
    `},${answer.toString("latin1", HEAD.length, answer.indexOf(":", HEAD.length) + 1)}`,
    "latin1",
  );
  for (let at = HEAD.length; at < end; ) {
    const next = answer.indexOf(border, at);
    const rowEnd = next === -1 ? end : Math.min(next + 1, end);
    // With a character for each byte: what is searched for is ASCII, and a place in the text is a place in the bytes.
    const row = answer.toString("latin1", at, rowEnd);
    const record = parseObject(row);
    if (record === undefined) return undefined;
    addRow(pieces, at, rowEnd, expiringMembers(row, record, reader));
    at = rowEnd + 1;
  }
  return pieces;
}

function addRow({ bounds, ends }: Pieces, at: number, end: number, cuts: readonly Cut[]): void {
  let from = at;
  for (const [cutFrom, cutTo] of cuts) {
    bounds.push(from, at + cutFrom);
    from = at + cutTo;
  }
  bounds.push(from, end + 1);
  ends.push(end);
}

/** Moves what stays to the front of `bytes`. */
function linesOf(bytes: Buffer, { bounds, ends }: Pieces): { lines: Lines; rows: number } {
  for (const end of ends) bytes[end] = LINE_END;
  let length = 0;
  for (let index = 0; index < bounds.length; index += 2) {
    const [from, to] = [bounds[index]!, bounds[index + 1]!];
    bytes.copyWithin(length, from, to);
    length += to - from;
  }
  return { lines: bytes.subarray(0, length), rows: ends.length };
}

/** @returns undefined for text that is not one JSON object. */
function parseObject(text: string): Envelope | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return undefined; // whether the answer is broken, or only not of this form, a whole reading of it will say
  }
}
