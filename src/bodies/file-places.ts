import type { Json } from "../plugin-host/contract.ts";
import { beginning } from "../record/excerpt.ts";
import { ASSET_REFERENCE } from "../store/packs/read.ts";
import type { FileInPart } from "../store/packs/request-content.ts";
import type { Asset } from "./assets.ts";

/**
 * Where in a JSON text its files stand, so that it can be stored as it was sent and shown with references in their place.
 * Undefined where they are not found exactly: a text may be written in many ways.
 *
 * @param bytes - the text as it was sent.
 * @param shown - its value after its files were taken out.
 */
export function filePlaces(bytes: Buffer, assets: readonly Asset[], shown: Json): FileInPart[] | undefined {
  const places: FileInPart[] = [];
  for (const { id, written } of assets) {
    for (const text of new Set(written)) {
      const count = written.filter((each) => each === text).length;
      let found = placesOf(bytes, text);
      if (found.length !== count) found = placesOf(bytes, text.replaceAll("/", "\\/"));
      if (found.length !== count) return undefined;
      places.push(...found.map((place) => ({ ...place, id })));
    }
  }
  places.sort((a, b) => a.offset - b.offset);
  return isSame(withReferences(bytes, places), shown) ? places : undefined;
}

/** Characters that are looked for; where they are, the others are compared, which is much faster than to look for all. */
const START_LENGTH = 24;

/** Where a text stands as a JSON string of its own. */
function placesOf(bytes: Buffer, text: string): { offset: number; length: number }[] {
  const places: { offset: number; length: number }[] = [];
  const start = Buffer.from(`"${beginning(text, START_LENGTH)}`);
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const length = lengthAt(bytes, at + 1, text);
    if (length !== -1 && bytes[at + 1 + length] === QUOTE) places.push({ offset: at + 1, length });
  }
  return places;
}

const QUOTE = 0x22;
const FIRST_PIECE = 256;
const PIECE_MAX = 32_768;
const piece = Buffer.allocUnsafeSlow(PIECE_MAX * 3);

/**
 * Bytes that a text takes where it stands at `offset`; -1 where it does not. A piece at a time: to encode a file of a
 * megabyte in memory of its own takes eight times as long. The first piece is short, for files often begin alike.
 */
function lengthAt(bytes: Buffer, offset: number, text: string): number {
  let end = offset;
  for (let from = 0, size = FIRST_PIECE; from < text.length; from += size, size = PIECE_MAX) {
    const length = piece.write(text.slice(from, from + size));
    if (end + length > bytes.length || bytes.compare(piece, 0, length, end, end + length) !== 0) return -1;
    end += length;
  }
  return end - offset;
}

function withReferences(bytes: Buffer, places: readonly FileInPart[]): string {
  let text = "";
  let from = 0;
  for (const { offset, length, id } of places) {
    text += bytes.toString("utf8", from, offset) + ASSET_REFERENCE + id;
    from = offset + length;
  }
  return text + bytes.toString("utf8", from);
}

/** The text is short: its files are no longer in it. */
function isSame(text: string, value: Json): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
