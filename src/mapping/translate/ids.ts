import { createHash } from "node:crypto";

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** `prefix` and 24 letters or digits; deterministic, because equal requests must give equal bytes. */
function idFrom(prefix: string, text: string): string {
  const digest = createHash("sha256").update(text).digest();
  let id = prefix;
  for (let at = 0; at < 24; at++) id += LETTERS[digest[at]! % LETTERS.length];
  return id;
}

/** The id of a call that has none. */
export const callId = (text: string): string => idFrom("call_", text);
