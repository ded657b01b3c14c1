import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../log.ts";
import { networkProblem } from "../../network-problem.ts";

/** Result codes of temporary failures: the same statement may succeed later. */
const AWAY = new Set(["BUSY", "LOCKED", "CANTOPEN", "READONLY", "IOERR", "FULL", "PROTOCOL", "NOLFS", "PERM", "NOMEM"]);

/** Codes of `@libsql/client` and of the network for a server that is unreachable or does not respond properly. */
const SERVER_AWAY =
  /^(HRANA_|SERVER_ERROR|ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR|ConnectionRefused|ConnectionClosed|FailedToOpenSocket|CLIENT_CLOSED)/;

/**
 * Maps a failure of the driver to an error that does not depend on the driver.
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
  // The local driver has no code for a file that cannot be opened, only this message.
  if (/^ConnectionFailed|unable to open/i.test(message)) {
    return new GatewayError("database_unavailable", `${what} cannot be opened`, { cause });
  }
  if (SERVER_AWAY.test(code) || /fetch failed|Unable to connect/i.test(message)) {
    const text = `${what} cannot be reached: ${networkProblem(cause)}`;
    return new GatewayError("database_unavailable", text, { cause });
  }
  return cause;
}

/** The innermost code: a network error is the cause of the client's error. */
function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return "";
}

/** Whether another connection held a lock on the files. */
export function isLocked(cause: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(codeOf(cause));
}

/** Whether the same call may succeed later. */
export function isAway(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === "database_unavailable";
}
