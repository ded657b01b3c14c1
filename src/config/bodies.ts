import { lookUpSecret } from "./secret.ts";

type Values = Record<string, unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

const NEEDED = ["url", "bucket", "access_key_id", "secret_access_key"] as const;
const SECRETS = ["access_key_id", "secret_access_key"] as const;

/**
 * Checks the keys of an object store, and replaces `env:NAME` and `file:/path` with the secrets.
 *
 * @returns a line for each problem; none contains a secret.
 */
export function readBodiesKeys(values: Values, env: Environment): string[] {
  return ["bodies", "eu_bodies"].flatMap((section) => {
    // A URL without the engine means that objects already in the store are read.
    const why = values[`${section}_engine`] === "s3" ? `${section}_engine is s3` : `${section}_url is set`;
    if (values[`${section}_engine`] !== "s3" && values[`${section}_url`] === "") return [];
    const missing = NEEDED.filter((name) => values[`${section}_${name}`] === "");
    if (missing.length > 0) {
      return missing.map((name) => `${section}_${name}: must be set if ${why}`);
    }
    return SECRETS.flatMap((name) => {
      const key = `${section}_${name}`;
      const found = lookUpSecret(values[key] as string, env);
      if ("problem" in found) return [`${key}: ${found.problem}`];
      values[key] = found.secret;
      return [];
    });
  });
}
