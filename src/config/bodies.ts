import { readFileSync } from "node:fs";
import { resolve } from "node:path";

type Values = Record<string, unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

const NEEDED = ["url", "bucket", "access_key_id", "secret_access_key"] as const;
const SECRETS = ["access_key_id", "secret_access_key"] as const;

/**
 * Checks what an object store needs, and puts secrets in the place of `env:NAME` and `file:/path`.
 *
 * @returns a line for each problem; none holds a secret.
 */
export function readBodiesKeys(values: Values, env: Environment): string[] {
  return ["bodies", "eu_bodies"].flatMap((section) => {
    // With the address alone, what is in the store is read.
    const why = values[`${section}_engine`] === "s3" ? `${section}_engine is s3` : `${section}_url is set`;
    if (values[`${section}_engine`] !== "s3" && values[`${section}_url`] === "") return [];
    const missing = NEEDED.filter((name) => values[`${section}_${name}`] === "");
    if (missing.length > 0) {
      return missing.map((name) => `${section}_${name}: must be set where ${why}`);
    }
    return SECRETS.flatMap((name) => {
      const key = `${section}_${name}`;
      const found = lookUp(values[key] as string, env);
      if ("problem" in found) return [`${key}: ${found.problem}`];
      values[key] = found.secret;
      return [];
    });
  });
}

function lookUp(value: string, env: Environment): { readonly secret: string } | { readonly problem: string } {
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
    return { problem: `${place} cannot be read: ${(error as Error).message}` };
  }
}
