import { COMMA, skipSpace, skipValue } from "../json-text/scan.ts";
import { EXPIRING } from "./columns.ts";
import type { RowReader } from "./row-reader.ts";

const MEMBERS = Array.from(EXPIRING, (name) => ({ name, written: `"${name}"` }));

/** The range of an expiring member in a record's text, including its comma. */
export type Cut = readonly [from: number, to: number];

/**
 * Finds the members that expire, in the order of the text.
 *
 * @param row - an object's JSON text, and `record` its parsed value.
 * @param reader - for a row in which their names occur more than once.
 */
export function expiringMembers(row: string, record: object, reader: RowReader): readonly Cut[] {
  const cuts: Cut[] = [];
  for (const { name, written } of MEMBERS) {
    if (!Object.hasOwn(record, name)) continue;
    const cut = onlyMember(row, written);
    if (cut === undefined) return readExpiring(row, reader);
    cuts.push(cut);
  }
  return cuts.sort(([left], [right]) => left - right);
}

/** Finds expiring members by reading the complete row, in any notation. */
export function readExpiring(row: string, reader: RowReader): Cut[] {
  reader.read(row, 0);
  const { names, nameAt, valueEnd } = reader;
  const cuts: Cut[] = [];
  for (const [index, name] of names.entries()) {
    if (!EXPIRING.has(name)) continue;
    // Includes the comma before it, or the one after it if nothing before it is kept.
    if (cuts.length < index) cuts.push([valueEnd[index - 1]!, valueEnd[index]!]);
    else cuts.push([nameAt[index]!, index + 1 < names.length ? nameAt[index + 1]! : valueEnd[index]!]);
  }
  return cuts;
}

/**
 * The member of a row, if its name occurs only once and so cannot be part of another member's value.
 *
 * Not if the text has escapes, because a name may be escaped.
 */
function onlyMember(row: string, written: string): Cut | undefined {
  const nameAt = row.indexOf(written);
  if (nameAt === -1 || row.includes(written, nameAt + 1) || row.includes("\\u00")) return undefined;
  if (row.charCodeAt(nameAt - 1) !== COMMA || row.charCodeAt(nameAt - 2) <= 0x20) return undefined;
  const colon = skipSpace(row, nameAt + written.length);
  return [nameAt - 1, skipValue(row, skipSpace(row, colon + 1))];
}
