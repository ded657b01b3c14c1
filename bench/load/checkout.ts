import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../test/e2e/weir.ts";

export const git = (...words: string[]) => execFileSync("git", ["-C", ROOT, ...words], { encoding: "utf8" }).trim();

/** How a checkout's sources are started, with the options of the runtime that it asks for. */
export function sourceCommand(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [, ...words] = (scripts.weir as string).split(" ");
  return [process.execPath, ...words.map((word) => (word.startsWith("-") ? word : join(root, word)))];
}

/**
 * Another commit's sources below `directory`, with this checkout's libraries where it names the same ones, otherwise with its own.
 * `git worktree prune` forgets them.
 */
export function checkout(commit: string, directory: string): string {
  const path = join(directory, "base");
  git("worktree", "add", "--detach", "--quiet", path, commit);
  const [its, ours] = [path, ROOT].map((root) => readFileSync(join(root, "package-lock.json"), "utf8"));
  if (its === ours) symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  else execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: path });
  return path;
}
