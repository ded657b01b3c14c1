import { statSync } from "node:fs";

/** Changes when a path names another file than before; undefined where there is none. */
export type FileIdentity = string | undefined;

export function identify(path: string): FileIdentity {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
