import { maskText } from "../masking/mask.ts";

/** A record's `input` and `output`. */
export interface Excerpts {
  readonly input: string | null;
  readonly output: string | null;
}

/** Maximum characters of `input` and `output` in a record. */
export const EXCERPT_MAX = 500;
/** Maximum characters before they are masked: a truncated credential would not be recognized. */
export const UNMASKED_MAX = 2 * EXCERPT_MAX;

/** Masked and truncated, as they are shown. What was masked before stays masked. */
export function shownExcerpts({ input, output }: Excerpts): Excerpts {
  return { input: shown(input), output: shown(output) };
}

const shown = (text: string | null) => text && beginning(maskText(text), EXCERPT_MAX);

/** The beginning of a text; never splits a character. */
export function beginning(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const last = text.charCodeAt(lengthMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? lengthMax - 1 : lengthMax);
}

/** Between messages of a request, and before its response, so that no phrase begins in one and ends in the next. */
export const TEXT_BOUNDARY = "\x1e";
