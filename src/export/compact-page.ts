import type { Envelope } from "../api-client/envelope.ts";
import { type Cut, expiringMembers } from "./expiring.ts";
import { LINE_END, type Lines } from "./record-lines.ts";
import { RowReader } from "./row-reader.ts";

const HEAD = '{"data":[';

export interface Opened {
  readonly envelope: Envelope;
  /** The records without the members that expire. */
  readonly lines: Lines;
  readonly rows: number;
}

/**
 * Parses a page as Weir writes it: `data` first, no spaces, the same first member in every record. The bytes of the response
 * become the lines, in place.
 *
 * It searches for the text between two records, which a body may contain as well. The result is verified: the envelope
 * without its records must be JSON, and so must each record; only one way to split the page satisfies that.
 *
 * @returns undefined if the response has another form or is broken; it is then unchanged.
 */
export function openCompact(response: Buffer): Opened | undefined {
  // A line break outside a string would split a record across two lines.
  if (!response.toString("latin1", 0, HEAD.length).startsWith(HEAD) || response.includes(LINE_END)) return undefined;
  const end = response.lastIndexOf("}]") + 1;
  const rest = response.toString("latin1", end);
  if (end <= HEAD.length || !/^[ -[\]-~]+$/.test(rest) || rest.includes('"data"')) return undefined;
  const envelope = parseObject(HEAD + rest);
  const pieces = envelope && piecesOf(response, end);
  return pieces && { envelope, ...linesOf(response, pieces) };
}

/** Start and end of the kept parts of the records, alternating. The last part of a record includes the byte after it. */
interface Pieces {
  readonly bounds: number[];
  /** The byte after each record. */
  readonly ends: number[];
}

/** @param end - after the last record. */
function piecesOf(response: Buffer, end: number): Pieces | undefined {
  const pieces: Pieces = { bounds: [], ends: [] };
  const reader = new RowReader();
  const border = Buffer.from(
    `},${response.toString("latin1", HEAD.length, response.indexOf(":", HEAD.length) + 1)}`,
    "latin1",
  );
  for (let at = HEAD.length; at < end; ) {
    const next = response.indexOf(border, at);
    const rowEnd = next === -1 ? end : Math.min(next + 1, end);
    // One character per byte: the search text is ASCII, and offsets in the text equal offsets in the bytes.
    const row = response.toString("latin1", at, rowEnd);
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

/** Moves the kept parts to the front of `bytes`. */
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
    return undefined; // a full parse decides whether the response is broken or only has another form
  }
}
