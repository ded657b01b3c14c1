import { existsSync, readFileSync } from "node:fs";

const LIMITS = "/proc/self/limits";

/** How many files and connections this process may have open at once; undefined without a limit, and where the system does not tell. */
export function openFilesMax(): number | undefined {
  if (!existsSync(LIMITS)) return undefined;
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1];
  return soft === undefined ? undefined : Number(soft);
}
