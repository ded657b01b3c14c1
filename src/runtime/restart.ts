import { isCompiled } from "./platform.ts";

/**
 * Settings of the runtime that it reads only at its own start. Bun keeps the compiled form of a large drop-in in the
 * home directory unless it is told not to, and nothing may be written outside the data directory.
 * The database driver answers as many queries at once as it has threads of its own, by default one per core.
 */
const SETTINGS = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", TOKIO_WORKER_THREADS: "4" } as const;

/**
 * Starts this program again in its own place with the settings, 5 to 8 ms; the process id stays. Call it before
 * anything is opened: only stdin, stdout and stderr live on. Where that cannot be done the program just continues.
 */
export function restartWithEnvironment(): void {
  const { env, execPath } = process;
  const missing = Object.keys(SETTINGS).some((name) => env[name] === undefined);
  if (!isCompiled || !missing || env["WEIR_STARTED"] !== undefined || process.execve === undefined) return;
  // It would print a warning that it is experimental.
  process.removeAllListeners("warning");
  const noWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    process.execve(execPath, [execPath, ...process.argv.slice(2)], { ...SETTINGS, ...env, WEIR_STARTED: "1" });
  } catch {
    // Windows, or a sandbox that forbids it: the service works anyway, and may write a cache.
    process.emitWarning = noWarning;
  }
}
