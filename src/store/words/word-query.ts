import { GatewayError } from "../../errors.ts";
import { organizationToken } from "./shards.ts";
import { beginningOf, isSpaced, spacedWords, wordsOf } from "./tokens.ts";

/** A parsed search: every word, prefix and phrase must match. */
export interface WordQuery {
  readonly terms: readonly Term[];
  /** Adjacent words in this order: the index does not store the order, so the text is checked. */
  readonly phrases: readonly (readonly string[])[];
}

interface Term {
  readonly token: string;
  /** Whether the token matches every word that starts with it. */
  readonly isBeginning: boolean;
}

const LENGTH_MAX = 1_000;
const TERMS_MAX = 64;

/**
 * Reads `words`, `beginn*` and `"a phrase"`.
 *
 * @throws GatewayError `invalid_body` when there is no word or there are too many.
 */
export function readWordQuery(text: string): WordQuery {
  const refuse = (message: string) => new GatewayError("invalid_body", message, { path: "search" });
  if (text.length > LENGTH_MAX) throw refuse(`a search has at most ${LENGTH_MAX} characters`);
  const terms: Term[] = [];
  const phrases: (readonly string[])[] = [];
  for (const { 1: phrase, 2: plain = "" } of text.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const words = wordsOf(phrase ?? plain);
    const last = words.length - 1;
    const isBeginning = phrase === undefined && plain.endsWith("*");
    for (const [at, word] of words.entries()) terms.push(...termsOf(word, isBeginning && at === last));
    if (phrase !== undefined && words.length > 1) phrases.push(words);
    // The pairs may match at different places, so the text is checked for the word.
    else for (const word of words) if (!isSpaced(word) && [...word].length > 2) phrases.push([word]);
  }
  if (terms.length === 0) throw refuse("a search has at least one letter or digit");
  if (terms.length > TERMS_MAX) throw refuse(`a search has at most ${TERMS_MAX} words`);
  return { terms, phrases };
}

function termsOf(word: string, isBeginning: boolean): Term[] {
  if (isSpaced(word)) return [{ token: beginningOf(word), isBeginning }];
  const letters = [...word];
  if (letters.length === 1) return [{ token: word, isBeginning: true }];
  return letters.slice(1).map((letter, at) => ({ token: letters[at]! + letter, isBeginning: false }));
}

/** The query in the syntax of SQLite's full-text tables, for one organization or all. Tokens need no escaping. */
export function matchText({ terms }: WordQuery, organizationId: string | undefined): string {
  const texts = terms.map(({ token, isBeginning }) => `"${token}"${isBeginning ? " *" : ""}`);
  return (organizationId === undefined ? texts : [`"${organizationToken(organizationId)}"`, ...texts]).join(" ");
}

/** Whether a text contains every phrase. */
export function hasPhrases(text: string, { phrases }: WordQuery): boolean {
  const words = spacedWords(text);
  return phrases.every((phrase) => {
    // In a script without spaces, a query word may match anywhere within a word of the text.
    const before = isSpaced(phrase[0]!) ? " " : "";
    const after = isSpaced(phrase.at(-1)!) ? " " : "";
    return words.includes(before + phrase.join(" ") + after);
  });
}
