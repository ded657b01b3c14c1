import { readFile } from "node:fs/promises";
import { fileProblem } from "../file-problem.ts";
import type { Log } from "../log.ts";
import type { Json } from "../plugin-host/contract.ts";
import { PluginError, type PluginKind } from "../plugin-host/files/check.ts";
import type { LoadedPlugin } from "../plugin-host/files/load.ts";
import { setUpAlone } from "../plugin-host/set-up-alone.ts";
import { type OpenPlugin, OptionsError } from "../plugin-host/setup.ts";
import type { Invocation } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Sets a plugin up as in the gateway's thread, with a temporary store and no database.
 *
 * @throws PluginError that says where its options came from, if they do not match its schema.
 */
export async function openAlone(
  loadedPlugin: LoadedPlugin,
  { config, loaded, options }: Invocation,
  log: Log,
): Promise<OpenPlugin> {
  try {
    return await setUpAlone(loadedPlugin, config, log, givenOptions(options["options"]));
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    const from = loaded.file ?? "no configuration file was found";
    throw new PluginError(loadedPlugin.file, `${error.reason} (options: ${from}; --options sets others)`);
  }
}

const PLUGIN_MEMBER = /\b(?:GatewayPlugin|setup|optionsSchema|on(?:Request|Forward|End|Answer|Record|Recorded))\b/;
const PROVIDER_MEMBER = /\b(?:ProviderPlugin|hosts|target|extends)\b/;

/**
 * The kind of a file, by its members; if it has none, by the case of its name. It is not executed, because it may hang.
 *
 * @throws PluginError if it cannot be read.
 */
export async function kindOf(path: string): Promise<PluginKind> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new PluginError(path, fileProblem(error), error);
  });
  if (PLUGIN_MEMBER.test(text)) return "plugin";
  return PROVIDER_MEMBER.test(text) || !/\bname:\s*["'`][a-z]/.test(text) ? "provider" : "plugin";
}

/** The options in `--options`, which override those of weir.toml. @throws UsageError. */
function givenOptions(text: unknown): Json {
  if (typeof text !== "string") return {};
  try {
    const value: Json = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--options takes a JSON object, such as '{"models": ["gpt-4o"]}'`);
}
