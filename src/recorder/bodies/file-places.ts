import type { Json } from "../../plugin/contract.ts";
import { occurrences } from "../../record/occurrences.ts";
import { ASSET_REFERENCE } from "../../store/packs/read.ts";
import type { FileInPart } from "../../store/packs/request-content.ts";
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

/** Where a text stands as a JSON string of its own. */
function placesOf(bytes: Buffer, text: string): { offset: number; length: number }[] {
  const quoted = Buffer.from(`"${text}"`);
  return [...occurrences(bytes, quoted)].map((at) => ({ offset: at + 1, length: quoted.length - 2 }));
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
