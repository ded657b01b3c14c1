import type { Config } from "../config.ts";

/** Why the service cannot start, in one line that says how to mend it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StartError";
  }
}

type PortKey = "gateway_port" | "api_port" | "eu_gateway_port" | "eu_api_port";

/** What keeps a listener from its port, in words; any other failure as it is. */
export function listenFailure(error: unknown, key: PortKey, config: Config): unknown {
  const place = `${key} = ${config[key]} on ${config.host}`;
  const variable = `WEIR_${key.toUpperCase()}`;
  const { code, message = "" } = (error ?? {}) as { code?: unknown; message?: string };
  // Across threads only code and message come along, and the API's listener says it in words.
  switch (code === "config_invalid" && / in use/.test(message) ? "EADDRINUSE" : code) {
    case "EADDRINUSE":
      return new StartError(`${place} is in use by another program; stop it or set ${variable}`, error);
    case "EACCES":
      return new StartError(`${place} may not be opened by this user; set ${variable} to a port above 1023`, error);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new StartError(
        `host = ${JSON.stringify(config.host)} is no address of this machine; set WEIR_HOST`,
        error,
      );
    case "config_invalid":
      return new StartError(message, error);
    default:
      return error;
  }
}
