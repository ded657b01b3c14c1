import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bun } from "./bun.ts";
import { deno } from "./deno.ts";
import type { Runtime } from "./runtime.ts";

/** The runtime of this process. */
export const platform: Runtime = "Deno" in globalThis ? deno : bun;

/**
 * Root of the files inside a compiled binary, or undefined when running from source. Inside, every bundle knows its own
 * address, and all of them are below a root whose name differs between Windows (`B:/~BUN/root`) and other systems.
 */
const bundleRoot = /^(.*(?:\$bunfs|~BUN)[\\/]root)(?:[\\/]|$)/.exec(fileURLToPath(import.meta.url))?.[1];

/** Whether this is the single-file binary. */
export const isCompiled = bundleRoot !== undefined;

const root = bundleRoot ?? dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Path of a folder shipped with the program, such as `providers`. It may not exist. */
export function shippedFolder(name: string): string {
  return join(root, name);
}

/**
 * Path of a shipped script that is started separately, such as `src/recorder/worker.ts`. Every script named here is an entry
 * point of the binary's build.
 */
export function shippedScript(path: string): string {
  return join(root, isCompiled ? path.replace(/\.ts$/, ".js") : path);
}

/** Arguments after the program's name, the same in a binary and from source. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** The command that starts this program, for messages that show a user what to type. */
export const programName = isCompiled ? "weir" : fromSource();

function fromSource(): string {
  const { npm_lifecycle_event: script, npm_config_user_agent: by = "" } = process.env;
  if (import.meta.url.includes("/node_modules/weir/")) return script === "npx" ? "npx weir" : "weir";
  // With only Node and npm there is no `bun` command.
  if (script === "weir" && by.startsWith("npm/")) return "npm run weir --";
  return platform.command;
}
