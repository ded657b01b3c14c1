import { GatewayError } from "../../errors.ts";

/** What a server answers when it refuses a statement. */
export class ClickHouseError extends Error {
  override readonly name = "ClickHouseError";
  /** Number of the error, as the documentation of ClickHouse lists them; 0 where it said none. */
  readonly code: number;
  /** What the server said. It may quote the statement, and with it what users wrote: not for logs. */
  readonly detail: string;

  constructor(code: number, detail: string) {
    super(`ClickHouse error ${code}${/ \([A-Z_]{3,}\)/.exec(detail)?.[0] ?? ""}`);
    this.code = code;
    this.detail = detail;
  }
}

/** Numbers of errors that Weir acts on. */
export const CODES = {
  unknownTable: 60,
  unknownDatabase: 81,
  timeout: 159,
  readOnly: 164,
  tooComplex: 168,
  memory: 241,
  cancelled: 394,
  authentication: 516,
} as const;

/** Errors that pass, and of which the same statement may succeed later or at another replica. */
const PASSING: ReadonlySet<number> = new Set([
  ...[CODES.memory, 202, 203, 209, 210, 225, 242, 243, 252, 279, 285, 286, 319, 425, 999],
]);
/** Errors of who asks. */
const REFUSING: ReadonlySet<number> = new Set([CODES.authentication, 192, 193, 194, 497]);

/** What was wrong with a response: its status, and its text, which begins with `Code: N.` */
export function failureOf(origin: string, status: number, text: string): Error {
  const detail = text.trim().slice(0, 2_000);
  const code = Number(/Code: (\d+)/.exec(detail)?.[1] ?? 0);
  const cause = new ClickHouseError(code, detail);
  if (code === CODES.timeout || code === CODES.cancelled)
    return new GatewayError("query_timeout", undefined, { cause });
  if (REFUSING.has(code) || status === 401 || status === 403)
    return new GatewayError("database_unavailable", `${origin} refuses the user or its rights (error ${code})`, {
      cause,
    });
  if (PASSING.has(code) || code === 0)
    return new GatewayError("database_unavailable", `${origin} cannot answer now (error ${code || status})`, { cause });
  return cause;
}

/** The number of an error of a server, also where it is the cause of another; undefined of other errors. */
export function codeOf(error: unknown): number | undefined {
  if (error instanceof ClickHouseError) return error.code;
  return error instanceof GatewayError && error.cause instanceof ClickHouseError ? error.cause.code : undefined;
}
