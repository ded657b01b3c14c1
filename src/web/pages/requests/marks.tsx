import type { ReactNode } from "react";

const WORD = /"([^"]*)"?|([^\s"]+)/g;
const LETTERS = "\\p{L}\\p{N}\\p{M}";
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Characters of a text before its first highlight, at most: a column of the usual width shows about twenty. */
const BEFORE = 10;

/** A pattern for the search words to highlight in hits; undefined if there are none. */
export function marksOf(search: string | undefined): RegExp | undefined {
  const parts: string[] = [];
  for (const { 1: phrase, 2: plain = "" } of (search ?? "").matchAll(WORD)) {
    const words = (phrase ?? plain).match(new RegExp(`[${LETTERS}]+`, "gu")) ?? [];
    for (const [at, word] of words.entries()) {
      const isBeginning = phrase === undefined && plain.endsWith("*") && at === words.length - 1;
      if (UNSPACED.test(word)) parts.push(word);
      else parts.push(`(?<![${LETTERS}])${word}${isBeginning ? `[${LETTERS}]*` : `(?![${LETTERS}])`}`);
    }
  }
  return parts.length === 0 ? undefined : new RegExp(parts.join("|"), "giu");
}

/** A text with highlights; if the first one is far inside, the text starts shortly before it. */
export function marked(text: string, marks: RegExp | undefined): ReactNode {
  const found = marks === undefined ? [] : [...text.matchAll(marks)];
  const first = found[0]?.index ?? 0;
  if (found.length === 0) return text;
  const start = first > BEFORE ? text.indexOf(" ", first - BEFORE) + 1 : 0;
  const from = Math.min(start, first);
  const pieces: ReactNode[] = [from > 0 ? "… " : ""];
  let at = from;
  for (const { 0: word, index } of found) {
    pieces.push(text.slice(at, index), <mark key={index}>{word}</mark>);
    at = index + word.length;
  }
  return [...pieces, text.slice(at)];
}
