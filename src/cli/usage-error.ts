/** A wrong command line: one line on stderr, status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A command that could not do its work: one line on stderr, status 1. */
export class CommandError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CommandError";
  }
}
