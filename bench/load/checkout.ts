import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../test/e2e/weir.ts";

export const git = (...words: string[]) => execFileSync("git", ["-C", ROOT, ...words], { encoding: "utf8" }).trim();

/** Another commit's sources below `directory`, beside this checkout's libraries. `git worktree prune` forgets them. */
export function checkout(commit: string, directory: string): string {
  const path = join(directory, "base");
  git("worktree", "add", "--detach", "--quiet", path, commit);
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}
