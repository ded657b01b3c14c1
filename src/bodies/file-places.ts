import type { Json } from "../plugin-host/contract.ts";
import { beginning } from "../record/excerpt.ts";
import { ASSET_REFERENCE } from "../store/packs/read.ts";
import type { FileInPart } from "../store/packs/request-content.ts";
import { type Asset, nameOfText } from "./assets.ts";

/**
 * The places of the files in a JSON text, so that the text can be stored as sent and shown with references instead of the
 * files. Undefined if they are not found exactly, because a text can be escaped in many ways.
 *
 * @param bytes - the text as sent.
 * @param shown - its value without its files.
 */
export function filePlaces(bytes: Buffer, assets: readonly Asset[], shown: Json): FileInPart[] | undefined {
  const places = assets.flatMap((asset) => asset.places);
  for (const asset of assets) {
    const { id, written } = asset;
    for (const text of new Set(written)) {
      const count = written.filter((each) => each === text).length;
      let found = placesOf(bytes, text);
      const name = found.length === count ? nameOfText(text, asset) : undefined;
      if (found.length !== count) found = placesOf(bytes, text.replaceAll("/", "\\/"));
      if (found.length !== count) return undefined;
      places.push(...found.map((place) => ({ ...place, id, ...(name !== undefined && { name }) })));
    }
  }
  places.sort((a, b) => a.offset - b.offset);
  return isSame(withReferences(bytes, places), shown) ? places : undefined;
}

/** Characters of the prefix search; only its hits are compared in full, which is much faster. */
const START_LENGTH = 24;

/** The places where a text is a complete JSON string. */
function placesOf(bytes: Buffer, text: string): { offset: number; length: number }[] {
  const places: { offset: number; length: number }[] = [];
  const start = Buffer.from(`"${beginning(text, START_LENGTH)}`);
  let at = bytes.indexOf(start);
  while (at >= 0) {
    const length = lengthAt(bytes, at + 1, text);
    const isPlace = length !== -1 && bytes[at + 1 + length] === QUOTE;
    if (isPlace) places.push({ offset: at + 1, length });
    // A complete string contains no other.
    at = bytes.indexOf(start, isPlace ? at + 1 + length : at + 1);
  }
  return places;
}

const QUOTE = 0x22;
const FIRST_PIECE = 256;
const PIECE_MAX = 32_768;
const piece = Buffer.allocUnsafeSlow(PIECE_MAX * 3);

/**
 * The bytes that a text takes at `offset`; -1 if it is not there. Compared in pieces, because encoding a megabyte into
 * memory of its own takes eight times as long. The first piece is short, because files often begin alike.
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

/** The text is short: its files are already removed. */
function isSame(text: string, value: Json): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
