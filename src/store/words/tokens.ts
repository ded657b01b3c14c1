import { Buffer } from "node:buffer";
import { beginning, TEXT_BOUNDARY } from "../../record/excerpt.ts";
import { SHORT_BYTES_MAX, TokenSet } from "./token-set.ts";

/** Maximum characters of a token. */
const TOKEN_MAX = 40;

/** Candidates for words: all other characters are ASCII and never part of a word. */
const PIECE = /[a-zA-Z0-9\u0080-\uffff]+/g;
const NOT_ASCII = /[^\x00-\x7f]/;
/** Letters and digits of any script, with their marks. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Accents of Latin, Greek and Cyrillic letters; in other scripts marks are part of the letter. */
const ACCENTS = /[\u0300-\u036f]/g;

/** The words of a text in order: lower case, without accents. A run of a script without spaces is one word. */
export function wordsOf(text: string): readonly string[] {
  const pieces = text.match(PIECE) ?? [];
  return pieces.flatMap((piece) => (NOT_ASCII.test(piece) ? folded(piece) : piece.toLowerCase()));
}

/** The words of a text in order, each with a space on both sides, so that a phrase is a substring. Texts are two spaces apart. */
export function spacedWords(text: string): string {
  const texts = text.split(TEXT_BOUNDARY);
  return texts.map((each) => ` ${wordsOf(each).join(" ")} `).join("");
}

function folded(piece: string): readonly string[] {
  const plain = piece.toLowerCase().normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase();
  return (plain.match(WORD) ?? []).flatMap(apart);
}

/** Splits a run of letters where a script without spaces begins or ends. */
function apart(word: string): readonly string[] {
  if (isSpaced(word)) return [word];
  const parts: string[] = [];
  let at = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > at) parts.push(word.slice(at, index));
    parts.push(run);
    at = index + run.length;
  }
  if (at < word.length) parts.push(word.slice(at));
  return parts;
}

/** Whether the script of a word separates words by spaces. */
export function isSpaced(word: string): boolean {
  return !NOT_ASCII.test(word) || word.search(UNSPACED) === -1;
}

/**
 * The index tokens of a word: the word itself or, in a script without spaces, each pair of adjacent characters and the last
 * character alone, so that a single character is found as the start of a pair.
 */
function tokensOf(word: string): readonly string[] {
  if (isSpaced(word)) return [beginningOf(word)];
  const letters = [...word];
  return letters.map((letter, at) => letter + (letters[at + 1] ?? ""));
}

/** Long words, such as keys and encoded bytes, are indexed by their start. */
export const beginningOf = (word: string) => beginning(word, TOKEN_MAX);

/** Stands for every non-ASCII byte in `FOLDED`. */
const FURTHER = 128;
/** Maps a UTF-8 byte to its form in a token: ASCII in lower case, `FURTHER`, or 0 for bytes that are in no word. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= FURTHER) return FURTHER;
  const letter = String.fromCharCode(byte).toLowerCase();
  return /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
});

const set = new TokenSet();
/** Longer texts get a buffer of their own. */
const SCRATCH_BYTES = 65_536;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** The distinct tokens of a text, separated by spaces. */
export function indexedText(text: string): string {
  const isShort = text.length * 3 <= SCRATCH_BYTES;
  const bytes = isShort ? scratch : Buffer.from(text);
  const length = isShort ? scratch.write(text) : bytes.length;
  for (let at = 0; at < length; at++) {
    const start = at;
    let low = 0;
    let high = 0;
    let byte = FOLDED[bytes[at]!]!;
    while (byte !== 0 && byte !== FURTHER) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | byte;
      byte = ++at < length ? FOLDED[bytes[at]!]! : 0;
    }
    const size = at - start;
    if (byte === FURTHER) at = addFolded(bytes, start, length);
    else if (size > SHORT_BYTES_MAX) addLong(bytes, start, Math.min(at, start + TOKEN_MAX));
    else if (size > 0) set.addShort(low, high, size);
  }
  return set.take();
}

function addLong(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) bytes[at] = FOLDED[bytes[at]!]!;
  set.addLong(bytes, start, end);
}

/** Adds the tokens of a word that is not ASCII. @returns its end. */
function addFolded(bytes: Buffer, start: number, length: number): number {
  let end = start;
  while (end < length && FOLDED[bytes[end]!] !== 0) end++;
  for (const word of folded(bytes.toString("utf8", start, end))) tokensOf(word).forEach(addToken);
  return end;
}

function addToken(token: string): void {
  const bytes = Buffer.from(token);
  if (bytes.length > SHORT_BYTES_MAX || NOT_ASCII.test(token)) {
    set.addLong(bytes, 0, bytes.length);
    return;
  }
  let low = 0;
  let high = 0;
  for (const byte of bytes) {
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | byte;
  }
  set.addShort(low, high, bytes.length);
}
