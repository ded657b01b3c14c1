import { checkError, checkText, isObject, parseEnvelope, UnreadableResponse } from "../api-client/envelope.ts";
import { elementsOf, readMembers, withoutSpace } from "../json-text/members.ts";
import { type Opened, openCompact } from "./compact-page.ts";
import { readExpiring } from "./expiring.ts";
import { RowReader } from "./row-reader.ts";

export interface Page extends Pick<Opened, "lines" | "rows"> {
  /** Null after the last row. */
  readonly nextCursor: string | null;
}

const CURSOR_CHARACTERS_MAX = 2_000;

/**
 * Reads the response of a query endpoint, whose bytes become the page's lines if possible.
 *
 * Not through `JSON.parse` and `JSON.stringify`, which change numbers that a double cannot represent.
 *
 * @param limit - requested rows; a response with more is invalid.
 * @param mayBeShort - whether more may follow a page without records, as in a search.
 * @throws UnreadableResponse
 */
export function readPage(response: Buffer, limit: number, mayBeShort = false): Page {
  checkText(response);
  const { envelope, lines, rows } = openCompact(response) ?? openAny(response);
  checkError(envelope);
  const nextCursor = envelope["next_cursor"] ?? null;
  if (nextCursor !== null && typeof nextCursor !== "string") throw new UnreadableResponse("`next_cursor` is not text");
  if (rows > limit) throw new UnreadableResponse("more records than requested");
  if (rows === 0 && nextCursor !== null && limit > 0 && !mayBeShort) {
    throw new UnreadableResponse("a page without records that is not the last one");
  }
  return { lines, rows, nextCursor };
}

/** The cursor that a response appears to end with, unchecked; undefined if there is none. */
export function cursorAtEnd(response: Buffer): string | undefined {
  const end = response.toString("latin1", Math.max(0, response.length - CURSOR_CHARACTERS_MAX));
  return /"next_cursor":"([\w\-+/=.~]+)"\}$/.exec(end)?.[1];
}

/** Takes several times as long, but accepts any form of JSON. */
function openAny(response: Buffer): Opened {
  const text = new TextDecoder().decode(response);
  const envelope = parseEnvelope(text);
  if (!Array.isArray(envelope.data) || !envelope.data.every(isObject)) {
    throw new UnreadableResponse("`data` is not a list of records");
  }
  // A line break outside a string would break a record over two lines of the output.
  const compact = text.includes("\n") ? withoutSpace(text) : text;
  const reader = new RowReader();
  let lines = "";
  for (const row of elementsOf(readMembers(compact).get("data") ?? "[]")) {
    let from = 0;
    for (const [cutFrom, cutTo] of readExpiring(row, reader)) {
      lines += row.slice(from, cutFrom);
      from = cutTo;
    }
    lines += `${row.slice(from)}\n`;
  }
  return { envelope, lines: Buffer.from(lines), rows: envelope.data.length };
}
