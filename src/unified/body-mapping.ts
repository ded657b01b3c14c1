/** The record's value for a request in its own shape. */
export const UNMAPPED = "NO_MAPPING";

/** The client shapes of each mapping name. */
export const MAPPINGS: Readonly<Record<string, readonly string[]>> = {
  OPENAI: ["chat-completions", "completions", "embeddings"],
  RESPONSES: ["responses"],
  MESSAGES: ["messages"],
};

/** The record's value for the translation of a client's shape. */
export function mappingOf(shape: string): string {
  return Object.keys(MAPPINGS).find((name) => MAPPINGS[name]!.includes(shape)) ?? UNMAPPED;
}
