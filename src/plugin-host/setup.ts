import { type Log, messageOf } from "../log.ts";
import type { Json, PluginContext, PluginHooks } from "./contract.ts";
import { checkHooks, PluginError } from "./files/check.ts";
import type { LoadedPlugin } from "./files/load.ts";
import { guardedAsync } from "./hooks/guard.ts";
import type { LentAccess } from "./host/host.ts";
import { whyUnfit } from "./schema.ts";

/** Milliseconds that `setup` and `dispose` may take. */
const SETUP_MS = 5_000;

/** Options that do not match the plugin's schema. */
export class OptionsError extends PluginError {}

/** A plugin that was set up, with its hooks. */
export interface OpenPlugin {
  readonly from: LoadedPlugin;
  readonly name: string;
  readonly hooks: PluginHooks;
  readonly builtIn?: boolean;
  /** Ends its access to the gateway. */
  readonly release?: () => void;
}

/**
 * Checks the options of a plugin and sets it up.
 *
 * @param gateway - in the gateway's thread: its services for the plugin.
 * @param options - its table `[plugins.<name>]`; defaults of the schema's own properties are filled in.
 * @throws PluginError naming the file and the option or member.
 */
export async function setUp(from: LoadedPlugin, options: Json, log: Log, gateway?: LentAccess): Promise<OpenPlugin> {
  const { name, optionsSchema, setup } = from.value;
  const bound = log.with({ plugin: name });
  const context: PluginContext = {
    options: checkedOptions(from, withDefaults(optionsSchema, structuredClone(options ?? {}))),
    log: {
      info: (message: string) => bound.info(String(message)),
      warn: (message: string) => bound.warn(String(message)),
      error: (message: string) => bound.error(String(message)),
    },
    ...(gateway === undefined ? {} : { gateway }),
  };
  let hooks: unknown;
  try {
    hooks = await guardedAsync((given: typeof context) => setup.call(from.value, given), context, SETUP_MS);
    hooks = checkHooks(hooks ?? {}, from.file);
  } catch (error) {
    gateway?.release();
    if (error instanceof PluginError) throw error;
    throw new PluginError(from.file, `the member "setup" failed: ${messageOf(error)}`, error);
  }
  const release = gateway === undefined ? {} : { release: gateway.release };
  return { from, name, hooks: hooks as PluginHooks, builtIn: from.builtIn, ...release };
}

/** Calls `dispose`. A failure is only logged: the plugin is unloaded regardless. */
export async function tearDown({ name, hooks, release }: OpenPlugin, log: Log): Promise<void> {
  release?.();
  const { dispose } = hooks;
  if (dispose === undefined) return;
  try {
    await guardedAsync(() => dispose.call(hooks), undefined, SETUP_MS);
  } catch (error) {
    log.error("a plugin failed in dispose", { plugin: name, error: messageOf(error) });
  }
}

function withDefaults(schema: Json, options: Json): Json {
  for (const [name, property] of Object.entries<Json>(schema?.properties ?? {})) {
    if (options[name] === undefined && property?.default !== undefined) options[name] = property.default;
  }
  return options;
}

function checkedOptions(from: LoadedPlugin, options: Json): Json {
  const { name, optionsSchema } = from.value;
  if (optionsSchema === undefined) return options;
  const wrong = whyUnfit(optionsSchema, options);
  if (wrong === undefined) return options;
  throw new OptionsError(from.file, `[plugins.${name}]${wrong.path === "" ? "" : ` ${wrong.path}`}: ${wrong.message}`);
}
