/** Pairs as people edit them, one per line: `name = value`, or `Name: value`. */
type Separator = "=" | ":";

export function pairsText(pairs: Readonly<Record<string, string>>, separator: Separator): string {
  const joint = separator === "=" ? " = " : ": ";
  return Object.entries(pairs)
    .map(([name, value]) => name + joint + value)
    .join("\n");
}

/** A line without the separator is a name without a value; the API's error names it. */
export function readPairs(text: string, separator: Separator): Readonly<Record<string, string>> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator);
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
