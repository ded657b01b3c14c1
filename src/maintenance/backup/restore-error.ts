/** Why a backup was not restored, in one line; nothing was changed. */
export class RestoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RestoreError";
  }
}
