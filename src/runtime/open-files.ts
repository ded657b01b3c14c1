import { existsSync, readFileSync } from "node:fs";

const LIMITS = "/proc/self/limits";

/** Maximum number of files and connections that this process may have open; undefined if unlimited or unknown. */
export function openFilesMax(): number | undefined {
  if (!existsSync(LIMITS)) return undefined;
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1];
  return soft === undefined ? undefined : Number(soft);
}
