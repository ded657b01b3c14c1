import { isCompiled } from "./platform.ts";

/**
 * Runtime settings that are read only at its start. By default Bun caches the compiled form of a large drop-in in the home
 * directory, and nothing may be written outside the data directory. The database driver runs as many queries in parallel as
 * it has threads, by default one per core.
 *
 * Memory that a collection frees goes back to the system after this many milliseconds, not within a few: traffic needs it
 * again before that, and giving it back took 8 % of the gateway thread's time.
 */
const SETTINGS = {
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  TOKIO_WORKER_THREADS: "4",
  MIMALLOC_PURGE_DELAY: "10000",
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "10000",
} as const;

/**
 * Blocks of the heap are not made resident in advance. The thread that does so takes more CPU than the page faults that it
 * saves, in the other threads too.
 */
const NO_WARM_UP = "BUN_JSC_useWarmUpMarkedBlocks";
/** Bun does not start with an option that it does not know: it is set only for the version that it was tried with. */
const TRIED_BUN = "1.4.5";

/**
 * Restarts this program in place with the settings (exec), which takes 5 to 8 ms, from source 20; the process id stays. Call
 * it before anything is opened: only stdin, stdout and stderr survive. If this is impossible the program just continues.
 */
export function restartWithEnvironment(): void {
  const { env, execPath, argv, execArgv, versions } = process;
  // A plugin may start another version of Bun.
  if (env["WEIR_STARTED"] !== undefined) delete env[NO_WARM_UP];
  const missing = Object.keys(SETTINGS).some((name) => env[name] === undefined);
  // From source a short command is not worth it.
  const isWorthIt = isCompiled || (versions["bun"] !== undefined && argv.includes("serve"));
  if (!isWorthIt || !missing || env["WEIR_STARTED"] !== undefined || process.execve === undefined) return;
  const program = isCompiled ? [execPath] : [execPath, ...execArgv, argv[1]!];
  // Suppresses the warning that `execve` is experimental.
  process.removeAllListeners("warning");
  const noWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    const options = versions["bun"] === TRIED_BUN ? { [NO_WARM_UP]: "0" } : {};
    process.execve(execPath, [...program, ...argv.slice(2)], { ...SETTINGS, ...options, ...env, WEIR_STARTED: "1" });
  } catch {
    // Windows, or a sandbox that forbids it: the service works anyway, and may write a cache.
    process.emitWarning = noWarning;
  }
}
