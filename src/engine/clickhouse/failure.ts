import { GatewayError } from "../../errors.ts";

/** A server's rejection of a statement. */
export class ClickHouseError extends Error {
  override readonly name = "ClickHouseError";
  /** ClickHouse's error code; 0 when the response has none. */
  readonly code: number;
  /** The server's message. It may quote the statement, including users' data: not for logs. */
  readonly detail: string;

  constructor(code: number, detail: string) {
    super(`ClickHouse error ${code}${/ \([A-Z_]{3,}\)/.exec(detail)?.[0] ?? ""}`);
    this.code = code;
    this.detail = detail;
  }
}

/** Error codes that Weir handles. */
const CODES = { unknownTable: 60, unknownDatabase: 81, timeout: 159, cancelled: 394 } as const;

const NO_LOGIN = "refuses the user or its password";
const NO_SPACE = "has no space left on its disk";
const TOO_BUSY = "has too much to do";
const NO_KEEPER = "cannot reach Keeper, or enough replicas";

/**
 * Errors that are not caused by the statement, and what they mean for the server: the same statement may succeed later or at
 * another server.
 */
const REASONS: Readonly<Record<number, string>> = {
  [CODES.unknownTable]: "does not have the tables of records; they are made when a node starts",
  [CODES.unknownDatabase]: "does not have the database of records; it is made when a node starts",
  75: NO_SPACE,
  164: "only lets this user read",
  192: NO_LOGIN,
  193: NO_LOGIN,
  194: NO_LOGIN,
  201: "has a quota for this user, which is used up",
  202: TOO_BUSY,
  203: TOO_BUSY,
  209: "waited too long for another server",
  210: "cannot reach another server",
  225: NO_KEEPER,
  241: "needs more memory than it may use",
  242: "only lets its tables be read: it cannot reach Keeper",
  243: NO_SPACE,
  252: "has too many parts to merge, and takes no more rows until it has merged some",
  279: "cannot reach another server",
  285: NO_KEEPER,
  286: NO_KEEPER,
  289: NO_KEEPER,
  319: NO_KEEPER,
  425: "cannot make a connection or a file now",
  439: TOO_BUSY,
  497: "does not give this user the rights that Weir needs",
  516: NO_LOGIN,
  999: NO_KEEPER,
};

/** Converts a failed response, by its status and its text with `Code: N.`, to an error. */
export function failureOf(origin: string, status: number, text: string): Error {
  // In a response that had already started, the message is at the end.
  const at = text.lastIndexOf("Code: ");
  const detail = (at === -1 ? text : text.slice(at)).trim().slice(0, 2_000);
  const code = Number(/^Code: (\d+)/.exec(detail)?.[1] ?? 0);
  const cause = new ClickHouseError(code, code === 0 ? "" : detail);
  if (code === CODES.timeout || code === CODES.cancelled)
    return new GatewayError("query_timeout", undefined, { cause });
  const unavailable = (reason: string) => new GatewayError("database_unavailable", `${origin} ${reason}`, { cause });
  const reason = REASONS[code];
  if (reason !== undefined) return unavailable(`${reason} (error ${code})`);
  if (code !== 0) return cause;
  if (status === 401 || status === 403) return unavailable(`${NO_LOGIN} (status ${status})`);
  return unavailable(`gives responses that are not ClickHouse's (status ${status})`);
}

/** Whether the table or the database does not exist. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === CODES.unknownTable || code === CODES.unknownDatabase;
}

/** The code of a server's error, also when it is the cause of another error; undefined for other errors. */
function codeOf(error: unknown): number | undefined {
  if (error instanceof ClickHouseError) return error.code;
  return error instanceof GatewayError && error.cause instanceof ClickHouseError ? error.cause.code : undefined;
}
