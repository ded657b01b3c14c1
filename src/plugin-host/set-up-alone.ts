import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { Json } from "./contract.ts";
import type { LoadedPlugin } from "./files/load.ts";
import { Entries } from "./host/entries.ts";
import { createPluginHost, optionsOf } from "./host/host.ts";
import { readOnlyJournal } from "./host/journal.ts";
import { type OpenPlugin, setUp } from "./setup.ts";

/**
 * Sets a plugin up as in the gateway's thread, with a temporary store and no database.
 *
 * @param options - over those of the configuration.
 * @throws PluginError; `OptionsError` if the options do not match the plugin's schema.
 */
export function setUpAlone(plugin: LoadedPlugin, config: Config, log: Log, options: Json = {}): Promise<OpenPlugin> {
  const { name } = plugin.value;
  const host = createPluginHost({
    config,
    log,
    entries: new Entries({ read: async () => [], write: async () => {}, log }),
    usageOf: async () => [],
    organizationOfKey: () => "", // every key counts as known
    providerHosts: () => [],
    openJournal: readOnlyJournal,
  });
  return setUp(plugin, { ...optionsOf(config, name), ...options }, log, host.accessFor(name));
}
