import type { Config } from "../../config.ts";
import { connect } from "../../runtime/rpc.ts";
import { startThread } from "../../runtime/thread.ts";
import { guardedAsync } from "../hooks/guard.ts";
import { PluginError } from "./check.ts";
import type { CheckFunctions, CheckOptions } from "./check-worker.ts";
import { pluginFiles, pluginFolders } from "./load.ts";

/** Milliseconds for loading a file at startup and on the command line, when the machine may be booting or busy. */
const CHECK_MS = 10_000;

/** Why a file does not load; `slow` if more time might help. */
interface CheckFailure {
  readonly reason: string;
  readonly slow: boolean;
}

/** Loads a file in a throw-away thread. Null if it loads within `limitMs`. */
export async function checkInThread(options: CheckOptions, limitMs: number = CHECK_MS): Promise<CheckFailure | null> {
  const thread = startThread("src/plugin-host/files/check-worker.ts", options);
  const remote = connect<CheckFunctions>(thread.port);
  try {
    const died = thread.ended.then((error) => `it ended the thread: ${error?.message ?? "by itself"}`);
    const reason = await guardedAsync(() => Promise.race([remote.check(), died]), undefined, limitMs);
    return reason === null ? null : { reason: reason.replace(`${options.path}: `, ""), slow: false };
  } catch {
    return { reason: `it takes over ${limitMs} ms to load`, slow: true };
  } finally {
    await thread.terminate();
  }
}

/**
 * Loads every drop-in in its own thread, so that a loop or `process.exit` ends no thread of the service.
 *
 * @throws PluginError for one failure, AggregateError of PluginErrors for several.
 */
export async function checkDropIns(config: Config): Promise<void> {
  const kinds = ["provider", "plugin"] as const;
  const files = await Promise.all(
    kinds.map(async (kind) => {
      const folders = pluginFolders(kind, config).filter(({ builtIn }) => !builtIn);
      return (await Promise.all(folders.map(pluginFiles))).flat().map(({ path }) => ({ kind, path }));
    }),
  );
  const checked = await Promise.all(files.flat().map(async (file) => ({ file, failure: await checkInThread(file) })));
  const failures = checked.flatMap(({ file, failure }) =>
    failure === null ? [] : [new PluginError(file.path, failure.reason)],
  );
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join("\n"));
}
