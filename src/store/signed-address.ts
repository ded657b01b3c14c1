import { createHmac } from "node:crypto";
import type { Config } from "../config.ts";
import type { StoredSecret } from "./stored-secret.ts";

/** Setting that holds the secret of signed addresses. */
export const URL_SECRET = "url_secret";

/** Signs paths: turns `path` into an absolute URL that works without a key until it expires. */
export async function addressSigner(
  { signed_url_seconds }: Pick<Config, "signed_url_seconds">,
  secret: StoredSecret,
  origin: string,
): Promise<(path: string) => string> {
  const key = await secret.load();
  const expires = Math.floor(Date.now() / 1000) + signed_url_seconds;
  return (path) => `${origin}${path}?expires=${expires}&signature=${signPath(key, path, String(expires))}`;
}

export function signPath(key: Buffer, path: string, expires: string): string {
  return createHmac("sha256", key).update(`${path}\n${expires}`).digest("base64url");
}
