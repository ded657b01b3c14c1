import { firstOccurrence } from "../../record/first-occurrence.ts";
import type { PlacedPart, PlacedText } from "./placed.ts";
import type { StoredPart } from "./request-content.ts";

/** The parts of one request in their order, and where the first of them were placed. */
export interface PlacedBodies {
  readonly parts: readonly StoredPart[];
  readonly placed: readonly PlacedPart[];
}

/** Finds a text in a part, as the inside of a JSON string. Most requests contain their last question like this. */
export function textWithin(
  text: string,
  name: StoredPart["part"],
  { parts, placed }: PlacedBodies,
): PlacedText | undefined {
  if (text === "") return undefined;
  for (const part of parts) {
    if (part.part !== name || part.form !== "json") continue;
    const place = insideOf(part.bytes, text);
    return place && { within: placed.findIndex((each) => each.part === name && !each.sent), ...place };
  }
  return undefined;
}

/** The place of a text that equals, or is the start of, a text whose place in a part is known. */
export function beginningOf(
  whole: PlacedText | null,
  wholeText: string | null,
  text: string | null,
): PlacedText | undefined {
  if (whole === null || !("within" in whole) || text === null || !wholeText?.startsWith(text)) return undefined;
  if (text.length === wholeText.length) return whole;
  return { ...whole, length: Buffer.byteLength(JSON.stringify(text)) - 2 };
}

/** The place of a text in JSON: usually all of a string, sometimes a part of one. */
function insideOf(bytes: Buffer, text: string): { offset: number; length: number } | undefined {
  const quoted = JSON.stringify(text);
  const whole = firstOccurrence(bytes, quoted);
  if (whole !== undefined) return { offset: whole.offset + 1, length: whole.length - 2 };
  return firstOccurrence(bytes, quoted.slice(1, -1));
}
