import { readMembers, skipSpace } from "../record/json-members.ts";
import { EXPIRING } from "./columns.ts";
import { RowReader } from "./row-reader.ts";

/**
 * A record as one line of JSON: what the service sent, less the members that expire.
 *
 * Text and not values, because `JSON.parse` followed by `JSON.stringify` changes numbers that a double cannot hold, and
 * because it takes a tenth of the memory.
 */
export type Row = string;

export interface Page {
  readonly rows: readonly Row[];
  /** Null after the last row. */
  readonly nextCursor: string | null;
}

/** An answer with status 200 that is not what was asked for: cut off, no JSON, no envelope. It is asked for again. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/**
 * Reads the envelope of a query endpoint.
 *
 * @param limit - rows that were asked for; more than that is not an answer to our question.
 * @throws UnreadableAnswer
 */
export function readPage(text: string, limit: number): Page {
  const envelope = readEnvelope(text);
  if (!Array.isArray(envelope.data) || !envelope.data.every(isObject)) {
    throw new UnreadableAnswer("`data` is not a list of records");
  }
  const nextCursor = envelope["next_cursor"] ?? null;
  if (nextCursor !== null && typeof nextCursor !== "string") throw new UnreadableAnswer("`next_cursor` is not text");
  if (envelope.data.length > limit) throw new UnreadableAnswer("more records than were asked for");
  if (envelope.data.length === 0 && nextCursor !== null && limit > 0) {
    throw new UnreadableAnswer("a page without records that is not the last one");
  }
  // A line break outside a string would break a record over two lines of the output.
  const compact = text.includes("\n") ? JSON.stringify(envelope) : text;
  const list = readMembers(compact, skipSpace(compact, 0)).get("data") ?? "[]";
  return { rows: readRows(list), nextCursor };
}

/** Parses an answer and checks that it is an envelope without an error in it. */
export function readEnvelope(text: string): { readonly data: unknown; readonly [name: string]: unknown } {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswer("not JSON, or cut off", { cause });
  }
  if (!isObject(envelope) || !Object.hasOwn(envelope, "data")) throw new UnreadableAnswer("no envelope with `data`");
  if (envelope["error"] !== null && envelope["error"] !== undefined) {
    throw new UnreadableAnswer(
      `an error in an answer with status 200: ${JSON.stringify(envelope["error"]).slice(0, 80)}`,
    );
  }
  return { ...envelope, data: envelope["data"] };
}

/** The members of a record: name to the JSON text of the value. */
export function membersOf(row: Row): ReadonlyMap<string, string> {
  return readMembers(row);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param list - a JSON array of objects that `JSON.parse` has accepted. */
function readRows(list: string): Row[] {
  const rows: Row[] = [];
  const reader = new RowReader();
  let runs: readonly Run[] = [];
  let names: readonly string[] | undefined;
  let at = skipSpace(list, 1);
  while (list[at] === "{") {
    const end = reader.read(list, at);
    if (names !== reader.names) {
      names = reader.names;
      runs = lastingRuns(names);
    }
    rows.push(copyRuns(list, reader, runs));
    at = skipSpace(list, end);
    if (list[at] === ",") at = skipSpace(list, at + 1);
  }
  return rows;
}

/** Members that stand beside each other: the first and the last of them. */
type Run = readonly [number, number];

/** What is left without the members that expire, in as few pieces as possible: there are two of them among seventy. */
function lastingRuns(names: readonly string[]): Run[] {
  const runs: [number, number][] = [];
  for (const [index, name] of names.entries()) {
    if (EXPIRING.has(name)) continue;
    const last = runs.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

function copyRuns(text: string, { nameAt, valueEnd }: RowReader, runs: readonly Run[]): Row {
  let row = "{";
  for (const [first, last] of runs) {
    if (row.length > 1) row += ",";
    row += text.slice(nameAt[first], valueEnd[last]);
  }
  return `${row}}`;
}
