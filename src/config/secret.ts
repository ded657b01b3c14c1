import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileProblem } from "../file-problem.ts";

/** The secret itself, or the one that `env:NAME` or `file:/path` refers to. */
export function lookUpSecret(
  value: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly secret: string } | { readonly problem: string } {
  const [, kind, place = ""] = /^(env|file):(.*)$/.exec(value) ?? [];
  if (kind === undefined) return { secret: value };
  if (kind === "env") {
    const secret = env[place];
    return secret ? { secret } : { problem: `the variable ${place} is not set` };
  }
  if (resolve(place) !== place)
    return { problem: "write file: and a path from the root, such as file:/run/secrets/key" };
  try {
    const secret = readFileSync(place, "utf8").trim();
    return secret === "" ? { problem: `${place} is empty` } : { secret };
  } catch (error) {
    return { problem: `${place} cannot be read: ${fileProblem(error)}` };
  }
}

/** Takes the place of a secret. */
export const MASK = "…";

/** Masks user and password, and a token in the query, of every address in the text. */
export function withoutPasswords(text: string): string {
  return text.replace(/\/\/[^/@\s"]*@/g, `//${MASK}@`).replace(/([?&]authToken=)[^&"]*/gi, `$1${MASK}`);
}
