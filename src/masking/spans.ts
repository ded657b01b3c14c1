/** Replaces a credential. */
export const MASKED = "***";

/** The kind of a text, which determines where a value in it ends. */
export type Place = "text" | "path";

/** The characters that end a part of a text, by code; the last entry covers everything outside Latin-1. */
type Ends = Uint8Array;

export function ends(characters: string, alsoOutsideUris = false): Ends {
  const table = new Uint8Array(256);
  for (let code = 0; code < 256; code++) {
    if (characters.includes(String.fromCharCode(code)) || (alsoOutsideUris && (code < 0x21 || code > 0x7e)))
      table[code] = 1;
  }
  return table;
}

export function isEnd(code: number, table: Ends): boolean {
  return code < 256 ? table[code] === 1 : table[0xff] === 1;
}

export function endAt(text: string, from: number, table: Ends): number {
  let at = from;
  while (at < text.length && !isEnd(text.charCodeAt(at), table)) at++;
  return at;
}

const ENDS_TEXT = ends(" \t&;\"'<>");
/**
 * Some servers also split at ";". Bytes that are invalid in a URI end a part, because the meaning of the text after them is
 * unknown.
 */
const ENDS_PARAMETER = ends("&;#", true);
const ENDS_SEGMENT = ends("/&;?#", true);

/** The parts of a text to mask. */
export class Spans {
  readonly text: string;
  readonly place: Place;
  /** The start of the query; parts before it end at slashes. */
  readonly #query: number;
  readonly #spans: (readonly [start: number, end: number])[] = [];

  constructor(text: string, place: Place) {
    this.text = text;
    this.place = place;
    const query = place === "path" ? text.search(/[?#]/) : -1;
    this.#query = query === -1 ? text.length : query;
  }

  add(start: number, end: number): void {
    this.#spans.push([start, end]);
  }

  /** The end of the value at `from`. */
  endOf(from: number): number {
    const { text } = this;
    if (this.place === "text") return endAt(text, from, ENDS_TEXT);
    return endAt(text, from, from < this.#query ? ENDS_SEGMENT : ENDS_PARAMETER);
  }

  masked(): string {
    if (this.#spans.length === 0) return this.text;
    this.#spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    let masked = "";
    let done = 0;
    for (const [start, end] of this.#spans) {
      if (start >= done) masked += this.text.slice(done, start) + MASKED;
      if (end > done) done = end;
    }
    return masked + this.text.slice(done);
  }
}
