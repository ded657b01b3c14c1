import type { Config } from "../config.ts";
import { createLog } from "../log.ts";
import type { Json, PluginRoute } from "../plugin-host/contract.ts";
import { byName, loadFolders, pluginFolders } from "../plugin-host/files/load.ts";
import { Entries } from "../plugin-host/host/entries.ts";
import { createPluginHost, optionsOf } from "../plugin-host/host/host.ts";
import { readOnlyJournal } from "../plugin-host/host/journal.ts";
import { buildRegistry, hostsOf } from "../plugin-host/providers/registry.ts";
import { callRoute } from "../plugin-host/routes.ts";
import { setUp, tearDown } from "../plugin-host/setup.ts";
import { snapshotKeys } from "../store/keys.ts";
import { readEntries, writeEntries } from "../store/nodes/plugin-entries.ts";
import { atCommandLine } from "./acting.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { withRecords } from "./with-store.ts";

interface PluginCall {
  readonly plugin: string;
  readonly method: PluginRoute["method"];
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/**
 * Runs a plugin's endpoint in this process. It writes to the database, where a running service finds the result; its counts
 * are only read.
 *
 * @throws CommandError with the plugin's message, UsageError if its status is 400.
 */
export async function callPlugin(config: Config, wanted: PluginCall): Promise<Json> {
  const plugins = byName(await loadFolders("plugin", pluginFolders("plugin", config)));
  const loaded = plugins.get(wanted.plugin);
  if (loaded === undefined) {
    throw new CommandError(`the plugin "${wanted.plugin}" does not exist; \`weir plugins list\` shows all`);
  }
  const registry = buildRegistry(await loadFolders("provider", pluginFolders("provider", config)));
  const log = createLog({ level: "error", format: "text" });
  return withRecords(config, async (records) => {
    const entries = new Entries({
      read: (version) => readEntries(records, version),
      write: (changes) => writeEntries(records, changes, atCommandLine()),
      log,
    });
    await entries.load();
    const keys = new Map((await snapshotKeys(records)).map((key) => [key.id, key.organizationId]));
    const host = createPluginHost({
      config,
      log,
      entries,
      usageOf: async () => [],
      organizationOfKey: (id) => keys.get(id),
      providerHosts: () => hostsOf(registry.providers),
      openJournal: readOnlyJournal,
    });
    const open = await setUp(loaded, optionsOf(config, wanted.plugin), log, host.accessFor(wanted.plugin));
    try {
      const caller = { organizationId: undefined, name: "command line", admin: true, operator: true };
      const call = { params: wanted.params ?? {}, query: {}, body: wanted.body, caller };
      const response = await callRoute(open.hooks.routes ?? [], wanted, call, log);
      if ("data" in response) return response.data;
      throw response.status === 400 ? new UsageError(response.message) : new CommandError(response.message);
    } finally {
      await tearDown(open, log);
      host.close();
    }
  });
}
