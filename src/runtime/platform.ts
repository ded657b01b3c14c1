import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bun } from "./bun.ts";
import { deno } from "./deno.ts";
import type { Runtime } from "./runtime.ts";

/** The runtime of this process. */
export const platform: Runtime = "Deno" in globalThis ? deno : bun;

/**
 * Root of the files inside a compiled binary, or undefined when running from source. Inside, every bundle knows its own
 * address, and all of them lie below a root whose name differs between Windows (`B:/~BUN/root`) and the rest.
 */
const bundleRoot = /^(.*(?:\$bunfs|~BUN)[\\/]root)(?:[\\/]|$)/.exec(fileURLToPath(import.meta.url))?.[1];

/** Whether this is the single-file binary. */
export const isCompiled = bundleRoot !== undefined;

const root = bundleRoot ?? dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Path of a folder that came with the program, such as `providers`. It may not exist. */
export function shippedFolder(name: string): string {
  return join(root, name);
}

/**
 * Path of a script that came with the program and is started on its own, such as `src/recorder/worker.ts`. Every script
 * named here is an entry point of the binary's build.
 */
export function shippedScript(path: string): string {
  return join(root, isCompiled ? path.replace(/\.ts$/, ".js") : path);
}

/** Arguments behind the program's name, in a binary and from source alike. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** How this program is started, for messages that tell a user what to type. */
export const programName = isCompiled ? "weir" : fromSource();

function fromSource(): string {
  const { npm_lifecycle_event: script, npm_config_user_agent: by = "" } = process.env;
  if (import.meta.url.includes("/node_modules/weir/")) return script === "npx" ? "npx weir" : "weir";
  // With Node and npm alone there is no `bun` to type.
  if (script === "weir" && by.startsWith("npm/")) return "npm run weir --";
  return platform.command;
}
