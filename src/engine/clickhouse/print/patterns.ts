/**
 * Converts SQLite's pattern to a regular expression for ClickHouse's `match`. Case folding is defined once for all engines
 * (`filter/wildcards.ts`), whose patterns are made for `glob`: `*`, `?`, and sets in brackets.
 */
export function regexOf(glob: string): string {
  let regex = "";
  const characters = [...glob];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") regex += ".*";
    else if (character === "?") regex += ".";
    else if (character === "[") {
      const end = characters.indexOf("]", at + 1);
      const set = characters.slice(at + 1, end);
      regex += set.length === 1 ? escaped(set[0]!) : `[${set.map(escaped).join("")}]`;
      at = end;
    } else regex += escaped(character);
  }
  // A wildcard at an end is no condition, so that end of the pattern is not anchored.
  const begins = regex.startsWith(".*") ? regex.slice(2) : `^${regex}`;
  return `(?s)${begins.endsWith(".*") ? begins.slice(0, -2) : `${begins}$`}`;
}

function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(character) ? `\\${character}` : character;
}
