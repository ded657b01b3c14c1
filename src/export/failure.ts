import { constants } from "node:os";

/** Exit statuses of export and import, which a signal ends with 128 + the signal's number. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** @param name - such as `SIGINT`. */
export function exitOfSignal(name: string): number {
  return 128 + (constants.signals[name as NodeJS.Signals] ?? constants.signals.SIGINT);
}

/**
 * A failure that the person at the terminal can do something about: its message is printed as it is, on one line.
 *
 * Anything else that is thrown is a bug and shows its stack. No key and no body belongs into a message.
 */
export class ExportFailure extends Error {
  /** `failed` can be resumed; `usage` means that the command line has to change. */
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
