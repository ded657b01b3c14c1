/**
 * Patterns for SQLite's `glob`, which compares exactly. `like` ignores the case of ASCII letters, and only of those; `glob`
 * supports both ways: exact, or with each letter written as the set of its spellings, `[eE]`.
 */

/** `%` matches any characters, `_` any one character; everything else, also a backslash, matches itself. */
export function pattern(text: string, letters: "exact" | "any-case"): string {
  let result = "";
  for (const character of text) {
    // Several % mean the same as one, but cost the matcher more.
    if (character === "%") result += result.endsWith("*") ? "" : "*";
    else if (character === "_") result += "?";
    else result += literal(character, letters);
  }
  return result;
}

/** Matches text that contains `text`, ignoring case; nothing in it is a wildcard. */
export function substring(text: string): string {
  return `*${anyCase(text)}*`;
}

/** Matches exactly `text`, ignoring case. */
export function anyCase(text: string): string {
  let result = "";
  for (const character of text) result += literal(character, "any-case");
  return result;
}

function literal(character: string, letters: "exact" | "any-case"): string {
  if (character === "*" || character === "?" || character === "[") return `[${character}]`;
  if (letters === "exact") return character;
  const spellings = spellingsOf(character);
  return spellings.length > 1 ? `[${spellings.join("")}]` : character;
}

let sets: Map<string, readonly string[]> | undefined;

/** All case variants of a character (Unicode simple case folding), including itself. */
function spellingsOf(character: string): readonly string[] {
  sets ??= gatherSpellings();
  return sets.get(character) ?? [character];
}

/** Above this code point no script has two cases. */
const LAST_CASED = 0x1e943;

function gatherSpellings(): Map<string, readonly string[]> {
  const byFold = new Map<string, string[]>();
  for (let code = 0x41; code <= LAST_CASED; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const fold = foldOf(character);
    const set = byFold.get(fold);
    if (set !== undefined) set.push(character);
    else if (fold !== character) byFold.set(fold, foldOf(fold) === fold ? [fold, character] : [character]);
  }
  const result = new Map<string, readonly string[]>();
  for (const set of byFold.values()) {
    const unique = [...new Set(set)];
    if (unique.length > 1) for (const character of unique) result.set(character, unique);
  }
  return result;
}

/**
 * Lower case of the upper case, if each is one character: so ς, σ and Σ are equal, and ß differs from ss. The dotless ı is
 * not a case variant of i, although its upper case is I.
 */
function foldOf(character: string): string {
  if (character === "ı") return character;
  return single(single(character, "toUpperCase"), "toLowerCase");
}

function single(character: string, way: "toUpperCase" | "toLowerCase"): string {
  const result = character[way]();
  return result.length === (result.codePointAt(0)! > 0xffff ? 2 : 1) ? result : character;
}
