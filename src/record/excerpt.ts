/** Maximum characters of `input` and `output` in a record. */
export const EXCERPT_MAX = 500;

/** The beginning of a text; never splits a character. */
export function beginning(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const last = text.charCodeAt(lengthMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? lengthMax - 1 : lengthMax);
}
