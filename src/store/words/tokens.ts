import { Buffer } from "node:buffer";
import { beginning } from "../../record/excerpt.ts";
import { HASH_START, hashed, TokenSet } from "./token-set.ts";

/** Characters of a token. */
const TOKEN_MAX = 40;

/** Whatever may be a word: the rest is ASCII that never is. */
const PIECE = /[a-z0-9\u0080-\uffff]+/g;
const NOT_ASCII = /[^\x00-\x7f]/;
/** Letters and digits of any script, with their marks. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts are a part of the letter. */
const ACCENTS = /[\u0300-\u036f]/g;

/** The words of a text in their order: in lower case, without accents; a run of a script without spaces is one. */
export function wordsOf(text: string): readonly string[] {
  const pieces = text.toLowerCase().match(PIECE) ?? [];
  return NOT_ASCII.test(text) ? pieces.flatMap((piece) => (NOT_ASCII.test(piece) ? folded(piece) : piece)) : pieces;
}

function folded(piece: string): readonly string[] {
  const plain = piece.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase();
  return (plain.match(WORD) ?? []).flatMap(apart);
}

/** A run of letters, cut where a script without spaces begins and ends. */
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

/** Whether the script of a word puts spaces between words. */
export function isSpaced(word: string): boolean {
  return !NOT_ASCII.test(word) || word.search(UNSPACED) === -1;
}

/**
 * What the index holds of a word: itself, or each pair of neighbors of a script without spaces and the last character
 * alone, so that a single one is found as the beginning of a pair.
 */
function tokensOf(word: string): readonly string[] {
  if (isSpaced(word)) return [beginningOf(word)];
  const letters = [...word];
  return letters.map((letter, at) => letter + (letters[at + 1] ?? ""));
}

/** Long words, keys and encoded bytes for example, are found by their beginning. */
export const beginningOf = (word: string) => beginning(word, TOKEN_MAX);

/** What a byte of UTF-8 belongs to: a word, or one that is not ASCII. There are no capitals in what is read here. */
const ASCII = 1;
const FURTHER = 2;
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 128 ? FURTHER : /[a-z0-9]/.test(String.fromCharCode(byte)) ? ASCII : 0,
);

const set = new TokenSet();
/** Longer texts get memory of their own. */
const SCRATCH_BYTES = 65_536;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** The tokens of a text, each once, with spaces between them. */
export function indexedText(text: string): string {
  const lower = text.toLowerCase();
  const isShort = lower.length * 3 <= SCRATCH_BYTES;
  const bytes = isShort ? scratch : Buffer.from(lower);
  const length = isShort ? scratch.write(lower) : bytes.length;
  for (let at = 0; at < length; at++) {
    const start = at;
    let kinds = 0;
    let hash = HASH_START;
    const hashEnd = Math.min(start + TOKEN_MAX, length);
    for (; at < hashEnd; at++) {
      const byte = bytes[at]!;
      const kind = KINDS[byte]!;
      if (kind === 0) break;
      kinds |= kind;
      hash = hashed(hash, byte);
    }
    for (; at < length && KINDS[bytes[at]!] !== 0; at++) kinds |= KINDS[bytes[at]!]!;
    if (kinds === ASCII) set.add(bytes, start, Math.min(at, start + TOKEN_MAX), hash);
    else if (kinds !== 0)
      for (const word of folded(bytes.toString("utf8", start, at))) tokensOf(word).forEach(addToken);
  }
  return set.take();
}

function addToken(token: string): void {
  const bytes = Buffer.from(token);
  set.add(bytes, 0, bytes.length, bytes.reduce(hashed, HASH_START));
}
