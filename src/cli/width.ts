const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PLAIN = /^[\x20-\x7e]*$/;
/** Combining and zero-width characters, and the later parts of a Korean syllable. */
const WIDTHLESS = /^[\p{Mark}\p{Cf}\p{Cc}\u1160-\u11FF]$/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{RI}{2})/u;
/** Wide and full-width characters of Unicode: Chinese, Japanese and Korean writing. */
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;

/** Columns of a terminal that a text takes, in one line. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfOne(segment);
  return width;
}

/** A text cut to at most `columns`, from 1; a cut text ends in `…`. */
export function cutTo(columns: number, text: string): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOfOne(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Wraps a line between words to at most `columns`; later lines are indented. */
export function foldTo(columns: number, line: string, indent: number): string {
  const margin = " ".repeat(indent);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const at = rest.lastIndexOf(" ", columns);
    if (at <= indent) break; // a word that is longer than the line
    lines.push(rest.slice(0, at));
    rest = margin + rest.slice(at + 1);
  }
  return [...lines, rest].join("\n");
}

function widthOfOne(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const sign of grapheme) if (!WIDTHLESS.test(sign)) width += WIDE.test(sign) ? 2 : 1;
  return width;
}
