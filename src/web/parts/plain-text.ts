/** Lines that begin so are calls of tools, whose arguments are not Markdown; so is a text that begins as JSON. */
const CALL = "→ ";
const JSON_TEXT = /^\s*(\{|\[\s*[[{"\d])/;

/** Blocks first, then what stands within a line; each pair of marks must enclose text, so `2 * 3` and `a_b` stay. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^\s*(```|~~~).*$/, ""],
  [/^\s*\|?\s*:?-{3,}[-\s|:]*$/, ""],
  [/^(\s*>)+\s?/, ""],
  [/^\s{0,3}#{1,6}\s+/, ""],
  [/^(\s*)[*+]\s+/, "$1- "],
  [/!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g, "$1"],
  [/(?<!`)(`+)([^`]+)\1(?!`)/g, "$2"],
  [/\*\*(?=\S)(.+?)(?<=\S)\*\*/g, "$1"],
  [/(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)/g, "$1"],
  [/~~(?=\S)(.+?)(?<=\S)~~/g, "$1"],
  [/(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])/g, "$1"],
  [/(?<!\w)_(?=[^\s_])([^_]*[^\s_])_(?!\w)/g, "$1"],
  // The end of an excerpt may cut a pair in two.
  [/\*\*(?=\S)([^*]*)$/, "$1"],
];

/**
 * An excerpt without the marks of Markdown; JSON and calls of tools stay as they are. For lists only: what is stored,
 * copied and downloaded keeps its marks. Excerpts have at most 500 characters; a longer text would take too long.
 */
export function withoutMarks(text: string): string {
  if (JSON_TEXT.test(text)) return text;
  const lines = text.split("\n");
  return lines.map((line) => (line.startsWith(CALL) ? line : plainLine(line))).join("\n");
}

const plainLine = (line: string): string => MARKS.reduce((text, [mark, plain]) => text.replace(mark, plain), line);
