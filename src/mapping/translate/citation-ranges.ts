import type { Citation, Part, TextPart } from "../../plugin-host/contract.ts";

interface PlacedText {
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
    const text = texts[lastBefore(texts, citation.end ?? from)]!;
    const own = added.get(text.at) ?? [];
    own.push(inPart(citation, text.from));
    added.set(text.at, own);
  }
  for (const [at, own] of added) parts[at] = { ...(parts[at] as TextPart), citations: own };
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
export function inPart(citation: Citation, from: number): Citation {
  const { start, end, ...others } = citation;
  if (from === 0 || (start === undefined && end === undefined)) return citation;
  if (end !== undefined && end <= from) return others;
  return { ...others, start: Math.max(0, (start ?? 0) - from), ...(end !== undefined && { end: end - from }) };
}
