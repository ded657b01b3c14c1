/** Characters of a result's JSON: about 12,000 tokens, half of what clients accept by default. */
export const RESULT_CHARS_MAX = 48_000;

/** Part of a text, and where it continues. */
interface Cut {
  readonly text: string;
  readonly total_chars: number;
  /** Where the rest begins; null at the end. */
  readonly next_offset: number | null;
}

export function cut(text: string, offset: number, chars: number): Cut {
  const fitting = wholeCharacters(text, Math.min(text.length, offset + chars));
  // At least one character, even if it is a pair: the next part must begin elsewhere.
  const end = fitting > offset ? fitting : Math.min(text.length, offset + 2);
  return { text: text.slice(offset, end), total_chars: text.length, next_offset: end < text.length ? end : null };
}

/** The first `chars` characters; a mark shows that more follow. */
export function shortened(text: unknown, chars: number): string | null {
  if (typeof text !== "string") return null;
  return text.length <= chars ? text : `${text.slice(0, wholeCharacters(text, chars - 1))}…`;
}

/** As many rows as fit; at least one. */
export function rowsWithin<Row>(rows: readonly Row[]): readonly Row[] {
  let left = RESULT_CHARS_MAX;
  const fitting = rows.findIndex((row) => {
    left -= JSON.stringify(row).length + 1;
    return left < 0;
  });
  return fitting === -1 ? rows : rows.slice(0, Math.max(1, fitting));
}

/**
 * The rows of a list that are wanted and fit, and where the rest begins: null at the end.
 *
 * @param found - from `offset` on; one row more than wanted if there are more.
 */
export function pageOf<Row>(found: readonly Row[], offset: number, wanted: number) {
  const rows = rowsWithin(found.slice(0, wanted));
  return { rows, next_offset: rows.length < found.length ? offset + rows.length : null };
}

/** Does not split a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return end < text.length && code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}
