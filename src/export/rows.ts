import { skipSpace } from "../record/json-members.ts";
import { EXPIRING } from "./columns.ts";
import { RowReader } from "./row-reader.ts";

/** Where records stand in JSON text, less the members that expire. */
export interface FoundRows {
  /** Beginning and end, in turn, of each piece that stays. A record's last piece takes along the character behind it. */
  readonly pieces: number[];
  /** Index of the character behind each record. */
  readonly ends: number[];
}

/** A member that expires, and the comma that goes with it. */
export type Cut = readonly [from: number, to: number];

/** Finds the records of a list by reading all of it. @param list - JSON text that `JSON.parse` has accepted. */
export function findRows(list: string): FoundRows {
  const found: FoundRows = { pieces: [], ends: [] };
  const reader = new RowReader();
  for (let at = skipSpace(list, 1); list[at] === "{"; ) {
    const end = reader.read(list, at);
    addRow(found, at, end, expiringIn(reader));
    at = skipSpace(list, end);
    if (list[at] === ",") at = skipSpace(list, at + 1);
  }
  return found;
}

/** @param cuts - in the order of the text. */
export function addRow(found: FoundRows, at: number, end: number, cuts: readonly Cut[]): void {
  let from = at;
  for (const [cutFrom, cutTo] of cuts) {
    found.pieces.push(from, cutFrom);
    from = cutTo;
  }
  found.pieces.push(from, end + 1);
  found.ends.push(end);
}

/** The members that expire, of the object that was read last. */
export function expiringIn({ names, nameAt, valueEnd }: RowReader): Cut[] {
  const cuts: Cut[] = [];
  for (const [index, name] of names.entries()) {
    if (!EXPIRING.has(name)) continue;
    // The comma before it goes along, or the one behind it where nothing before it stays.
    if (cuts.length < index) cuts.push([valueEnd[index - 1]!, valueEnd[index]!]);
    else cuts.push([nameAt[index]!, index + 1 < names.length ? nameAt[index + 1]! : valueEnd[index]!]);
  }
  return cuts;
}
