const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: "this user may not use it",
  EEXIST: "another file has this name",
  EISDIR: "it is a directory, not a file",
  EMFILE: "too many files are open",
  ENOENT: "there is no such file or folder",
  ENOSPC: "no space is left on the disk",
  ENOTDIR: "a part of its path is not a directory",
  EPERM: "this user may not use it",
  EROFS: "its file system is read-only",
  SQLITE_FULL: "no space is left on the disk",
};

/** Whether the disk that was written to is full, by the system or by SQLite. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (code === "ENOSPC" || code === "SQLITE_FULL") return true;
  }
  return false;
}

/** Why a file or folder cannot be used, in words and without its path; of any other error its message. */
export function fileProblem(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "string" && Object.hasOwn(PROBLEMS, code)) return PROBLEMS[code]!;
  return error instanceof Error ? error.message : String(error);
}

/** Why a file or folder cannot be used, with the path that the system names. */
export function placedProblem(error: unknown): string {
  const { path } = (error ?? {}) as { path?: unknown };
  return `${typeof path === "string" ? `${path}: ` : ""}${fileProblem(error)}`;
}
