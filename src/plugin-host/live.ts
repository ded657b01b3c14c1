import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { PluginError } from "./files/check.ts";
import { byName, type LoadedPlugin, pluginFolders } from "./files/load.ts";
import { type DropInChange, watchFolders } from "./files/reload.ts";
import { Hooks } from "./hooks/hooks.ts";
import { optionsOf, type PluginHost } from "./host/host.ts";
import { buildRegistry, logReplaced, type Registry } from "./providers/registry.ts";
import { type OpenPlugin, setUp, tearDown } from "./setup.ts";
import { type PluginView, type ProviderView, viewPlugins, viewProviders } from "./view.ts";

/** The providers of this thread, kept in step with the drop-in folder. */
export interface LiveRegistry {
  current(): Registry;
  degraded(): readonly string[];
  /** Every file of a provider, whether it is in use or not. */
  view(): readonly ProviderView[];
  /** Scans the folder now; a changed registry is in `current` when this resolves. */
  look(): Promise<void>;
  close(): void;
}

/** @throws PluginError, or AggregateError of several, if a file is broken at the start. */
export async function openRegistry(options: {
  readonly config: Config;
  readonly log: Log;
  /** For threads of low priority: see `bounded`. */
  readonly isPatient?: boolean;
  readonly onChange?: (changes: readonly DropInChange[]) => void;
}): Promise<LiveRegistry> {
  let registry: Registry | undefined;
  const watched = await watchFolders({
    kind: "provider",
    folders: pluginFolders("provider", options.config),
    log: options.log,
    onChange: options.onChange,
    use: (loaded) => {
      const next = buildRegistry(loaded, options.isPatient);
      if (registry === undefined) logReplaced(loaded, options.log);
      registry = next;
    },
  });
  return {
    current: () => registry!,
    degraded: () => watched.degraded(),
    view: () => viewProviders(watched.files(), registry!.providers),
    look: () => watched.look(),
    close: () => watched.close(),
  };
}

/** The plugins of this thread, set up, and kept in step with the drop-in folder. */
export interface LiveHooks {
  readonly hooks: Hooks;
  /** Broken files and switched-off hooks, one sentence each. */
  degraded(): readonly string[];
  /** Every file of a plugin, whether it is in use or not. */
  view(): readonly PluginView[];
  look(): Promise<void>;
  /** Disposes of every plugin. */
  close(): Promise<void>;
}

/**
 * Sets up every plugin. Each thread that calls hooks has its own plugins: `setup` runs once in each.
 *
 * @throws PluginError, or AggregateError of several, if a file is broken, options are invalid or `setup` fails.
 */
export async function openHooks(options: {
  readonly config: Config;
  readonly log: Log;
  /** In the gateway's thread. */
  readonly host?: PluginHost;
  readonly onChange?: (changes: readonly DropInChange[]) => void;
}): Promise<LiveHooks> {
  const { config, log, host } = options;
  const hooks = new Hooks(log);
  let open: readonly OpenPlugin[] | undefined;
  const use = async (loaded: readonly LoadedPlugin[]) => {
    const wanted = [...byName(loaded).values()];
    const before = open ?? [];
    const next: OpenPlugin[] = [];
    try {
      for (const each of wanted) {
        const same = before.find(({ from }) => from === each);
        const { name } = each.value;
        next.push(same ?? (await setUp(each, optionsOf(config, name), log, host?.accessFor(name))));
      }
    } catch (error) {
      for (const each of next) if (!before.includes(each)) await tearDown(each, log);
      throw error;
    }
    if (open === undefined) {
      logReplaced(loaded, log);
      refuseOptionsOfNobody(config, next);
    }
    open = next;
    hooks.use(next);
    for (const each of before) if (!next.includes(each)) await tearDown(each, log);
  };
  const { onChange } = options;
  const watched = await watchFolders({ kind: "plugin", folders: pluginFolders("plugin", config), log, use, onChange });
  return {
    hooks,
    degraded: () => [...watched.degraded(), ...hooks.degraded()],
    view: () => viewPlugins(watched.files(), open ?? []),
    look: () => watched.look(),
    close: async () => {
      watched.close();
      hooks.use([]);
      for (const each of open ?? []) await tearDown(each, log);
    },
  };
}

/** A table `[plugins.<name>]` that no plugin reads is probably misspelt. */
function refuseOptionsOfNobody(config: Config, plugins: readonly OpenPlugin[]): void {
  const names = plugins.map(({ name }) => name);
  const unknown = Object.keys(config.plugins).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new PluginError(
    "configuration",
    `[plugins.${unknown}] has options for a plugin that is not loaded; loaded: ${names.join(", ") || "none"}`,
  );
}
