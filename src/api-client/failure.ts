import { constants } from "node:os";

/** Exit statuses of export and import, which a signal ends with 128 + the signal's number. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** @param name - such as `SIGINT`. */
export function exitOfSignal(name: string): number {
  return 128 + (constants.signals[name as NodeJS.Signals] ?? constants.signals.SIGINT);
}

/**
 * A failure that the user can fix: its message is printed unchanged, on one line.
 *
 * Any other exception is a bug and shows its stack. A message must not contain a key or a body.
 */
export class ExportFailure extends Error {
  /** `failed` can be resumed; `usage` means a wrong command line. */
  readonly kind: "failed" | "usage";

  constructor(kind: "failed" | "usage", message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "ExportFailure";
    this.kind = kind;
  }
}

export function usageFailure(message: string): ExportFailure {
  return new ExportFailure("usage", message);
}

export function isUsageFailure(error: unknown): error is ExportFailure {
  return error instanceof ExportFailure && error.kind === "usage";
}

/** The messages of a wrong command line, in a line each. @throws any other error. */
export function usageProblems(error: unknown): readonly string[] {
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  if (!all.every(isUsageFailure)) throw error;
  return all.map(({ message }) => message);
}
