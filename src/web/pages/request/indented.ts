const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON with a line for each member. Its words stay as they were written: a program would round long numbers. */
export function indented(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let before = "";
  for (const [token] of json.matchAll(TOKENS)) {
    const begins = before === "{" || before === "[";
    const ends = token === "}" || token === "]";
    if (ends) depth--;
    if (ends ? !begins : begins || before === ",") parts.push("\n", "  ".repeat(depth));
    parts.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth++;
    before = token;
  }
  return parts.join("");
}
