import { usageFailure } from "./failure.ts";

const REGIONS = ["us", "eu"] as const;

export type Region = (typeof REGIONS)[number];
export type Environment = Readonly<Record<string, string | undefined>>;

/** @param scope - the scope that the key needs, for the error message. */
export function readKey(env: Environment, scope: string): string {
  const apiKey = env["WEIR_API_KEY"]?.trim();
  if (!apiKey) throw usageFailure(`no key: set WEIR_API_KEY to a service key with the scope \`${scope}\``);
  // fetch would refuse it too, but with a message that shows the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw usageFailure("WEIR_API_KEY has characters that cannot be in a key");
  return apiKey;
}

/** One of the values that an option takes. */
export function oneOf<const T extends string>(option: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined) throw usageFailure(`--${option} takes ${allowed.join(", ")}, not "${value}"`);
  return found;
}

/** The address in the options `--region` and `--api-url`, or in the environment. */
export function readService(
  given: { readonly region?: string | undefined; readonly "api-url"?: string | undefined },
  env: Environment,
): { readonly region: Region; readonly apiUrl: string } {
  const region = oneOf("region", REGIONS, given.region ?? "us");
  return { region, apiUrl: readAddress(given["api-url"] ?? addressOf(region, env)) };
}

function addressOf(region: Region, env: Environment): string {
  if (region === "eu") return env["WEIR_EU_API_URL"] || `http://127.0.0.1:${env["WEIR_EU_API_PORT"] || "8789"}`;
  return env["WEIR_API_URL"] || `http://127.0.0.1:${env["WEIR_API_PORT"] || "8788"}`;
}

/** An address without a trailing slash. */
function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageFailure("the API address must start with http:// or https://");
  }
  if (url.username || url.password) throw usageFailure("the API address must not have a name or password in it");
  if (url.search || url.hash) throw usageFailure("the API address must not have a query or fragment");
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
