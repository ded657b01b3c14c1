import type { Config } from "../config.ts";

/** Why the service cannot start, in one line that says how to fix it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartError";
  }
}

type PortKey = "gateway_port" | "api_port" | "eu_gateway_port" | "eu_api_port";

/** Why a listener cannot use its port, as a message; any other failure unchanged. */
export function listenFailure(error: unknown, key: PortKey, config: Config): unknown {
  const place = `${key} = ${config[key]} on ${config.host}`;
  const variable = `WEIR_${key.toUpperCase()}`;
  const { message = "" } = (error ?? {}) as { message?: string };
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return new StartError(`${place} is in use by another program; stop it or set ${variable}`, error);
    case "EACCES":
      return new StartError(`${place} may not be opened by this user; set ${variable} to a port above 1023`, error);
    case "EADDRNOTAVAIL":
    case "EINVAL": // the same on Deno
    case "ENOTFOUND":
      return new StartError(
        `host = ${JSON.stringify(config.host)} is not an address of this machine; set WEIR_HOST`,
        error,
      );
    case "config_invalid":
      return new StartError(message, error);
    default:
      return error;
  }
}

/** Patterns of messages that stand for a code. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/ in use/, "EADDRINUSE"],
  [/permission denied/i, "EACCES"],
  [/^Failed to listen at /, "ENOTFOUND"],
];

/** Bun has no code for an unresolvable name, and an error from the API's thread keeps only its message and our own codes. */
function codeOf(error: unknown): unknown {
  const { code, message = "" } = (error ?? {}) as { code?: unknown; message?: string };
  if (code !== undefined && code !== "config_invalid") return code;
  return SAID.find(([pattern]) => pattern.test(message))?.[1] ?? code;
}
