/** Short words that are written in capitals. */
const CAPITALS: ReadonlySet<string> = new Set(["api", "url", "id"]);

/** A member of a credential as the label of its field: `api_key` is "API key". */
export function memberLabel(member: string): string {
  const words = member.split("_").map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word));
  const text = words.join(" ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
