import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/**
 * Words that start a program with `directory` on a file system of its own, in memory; undefined where that is refused.
 *
 * @param options - of `mount`, such as `size=8m`.
 */
export function onOwnDisk(directory: string, options: string): string[] | undefined {
  mkdirSync(directory, { recursive: true });
  const unshare =
    process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"];
  const script = `mount -t tmpfs -o ${options} tmpfs '${directory}' && exec "$@"`;
  const words = [...unshare, "sh", "-c", script, "sh"];
  try {
    execFileSync(words[0]!, [...words.slice(1), "true"], { stdio: "ignore" });
    return words;
  } catch {
    return undefined;
  }
}
