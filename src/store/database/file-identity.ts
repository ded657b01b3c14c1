import { statSync } from "node:fs";

/** Changes when a path refers to a different file; undefined when there is no file. */
export type FileIdentity = string | undefined;

export function identify(path: string): FileIdentity {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
