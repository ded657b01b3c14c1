import type { Citation, Part, TextPart } from "../../plugin-host/contract.ts";

/** A text part and its place among all texts. */
export interface PlacedText {
  /** Position or number of the part. */
  readonly at: number;
  /** Where it begins in all texts together. */
  readonly from: number;
}

/** Adds citations with ranges in all texts together to the text parts that they end in; one without an end, to the last. */
export function addCitations(parts: Part[], citations: readonly Citation[]): void {
  if (citations.length === 0) return;
  const texts: PlacedText[] = [];
  let from = 0;
  for (const [at, part] of parts.entries()) {
    if (part.type !== "text") continue;
    texts.push({ at, from });
    from += part.text.length;
  }
  if (texts.length === 0) return;
  const added = new Map<number, Citation[]>();
  for (const citation of citations) {
    const { at, placed } = placeIn(texts, citation)!;
    const own = added.get(at) ?? [];
    own.push(placed);
    added.set(at, own);
  }
  for (const [at, own] of added) parts[at] = { ...(parts[at] as TextPart), citations: own };
}

/** The text that a citation with a range in all texts together ends in, and its range there. @returns undefined without a text. */
export function placeIn(texts: readonly PlacedText[], citation: Citation) {
  const text = texts[lastBefore(texts, citation.end ?? Number.POSITIVE_INFINITY)];
  return text && { at: text.at, placed: inPart(citation, text.from) };
}

/** Index of the last text that begins before `end`, else of the first. Searches by halves: both lists may be long. */
function lastBefore(texts: readonly PlacedText[], end: number): number {
  let [low, high] = [0, texts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (texts[middle]!.from < end) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The citation with its range in the text part that begins at `from`; without a range if it covers only earlier parts. */
function inPart(citation: Citation, from: number): Citation {
  const { start, end, ...others } = citation;
  if (from === 0 || (start === undefined && end === undefined)) return citation;
  if (end !== undefined && end <= from) return others;
  return { ...others, start: Math.max(0, (start ?? 0) - from), ...(end !== undefined && { end: end - from }) };
}
