import { type Log, messageOf } from "../log.ts";

/** For a failure that is not the caller's fault: the operator sees details that callers do not. */
export function logFailure(log: Log, { method }: Request, error: unknown): void {
  const stack = error instanceof Error ? error.stack?.split("\n").slice(0, 6).join(" | ") : undefined;
  log.error("the API failed", { method, why: messageOf(error), stack });
}
