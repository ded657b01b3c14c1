/** A typed JSON object; undefined if the text is empty; a string with the error if it is invalid. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | string | undefined {
  if (text.trim() === "") return undefined;
  const value = jsonValue(text);
  if (value instanceof Error) return value.message;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "give a JSON object";
  return value as Readonly<Record<string, unknown>>;
}

/** The value of a JSON text, or an Error that says what is wrong. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return new Error(`this is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
