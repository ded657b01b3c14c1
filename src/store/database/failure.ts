import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../log.ts";

/** Result codes that say "not now": the same statement may well work later. */
const AWAY = new Set(["BUSY", "LOCKED", "CANTOPEN", "READONLY", "IOERR", "FULL", "PROTOCOL", "NOLFS", "PERM", "NOMEM"]);

/** Codes of `@libsql/client` and of the network that say that the server did not answer as it should. */
const SERVER_AWAY =
  /^(HRANA_|SERVER_ERROR|ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR|ConnectionRefused|ConnectionClosed|FailedToOpenSocket|CLIENT_CLOSED)/;

/**
 * Names a failure of the driver so that callers need not know drivers.
 *
 * @param what - the file or server, for the message.
 */
export function asStoreError(cause: unknown, what: string): unknown {
  if (cause instanceof GatewayError) return cause;
  const code = codeOf(cause);
  const primary = /^SQLITE_([A-Z]+)/.exec(code)?.[1];
  const message = messageOf(cause);
  if (primary === "INTERRUPT") return new GatewayError("query_timeout", undefined, { cause });
  if (primary === "NOTADB" || primary === "CORRUPT") {
    return new GatewayError("database_unusable", `${what} is not a sound SQLite database (${message})`, { cause });
  }
  if (primary !== undefined && AWAY.has(primary)) {
    return new GatewayError("database_unavailable", `${what}: ${message}`, { cause });
  }
  // The local driver has no code for a file that cannot be opened, only this sentence.
  if (
    /^ConnectionFailed|unable to open/i.test(message) ||
    SERVER_AWAY.test(code) ||
    /fetch failed|Unable to connect/i.test(message)
  ) {
    return new GatewayError("database_unavailable", `${what} cannot be opened`, { cause });
  }
  return cause;
}

/** The innermost code: the network's own sits below the client's. */
function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return "";
}

/** Whether another connection held the files when the driver was asked. */
export function isLocked(cause: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(codeOf(cause));
}

/** Whether the same call may work in a while. */
export function isAway(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === "database_unavailable";
}
