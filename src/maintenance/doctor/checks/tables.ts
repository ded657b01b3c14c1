import { type Config, listenerPorts } from "../../../config.ts";
import { configuredCredentials } from "../../../credentials/configured.ts";
import { knownProviders } from "../../../credentials/form.ts";
import { createLog, messageOf } from "../../../log.ts";
import { type LoadedPlugin, loadFolders, pluginFolders } from "../../../plugin-host/files/load.ts";
import { buildRegistry } from "../../../plugin-host/providers/registry.ts";
import { setUpAlone } from "../../../plugin-host/set-up-alone.ts";
import { tearDown } from "../../../plugin-host/setup.ts";
import { configuredRoutes } from "../../../routing/configured-routes.ts";
import { credentialGuards } from "../../../store/credentials/guards.ts";
import { type Check, type CheckResult, fail, ok } from "../finding.ts";

const SILENT = createLog({ level: "error", format: "text", write: () => undefined });

/** Credentials, routes, limits and options of built-in plugins in the configuration file, read as a start reads them. */
export const tablesCheck: Check = {
  name: "tables",
  async run({ config }) {
    const loaded = await load(config).catch(() => undefined); // another check reports why
    const reads: readonly (() => unknown)[] = [
      () => configuredRoutes(config),
      ...(loaded === undefined ? [] : [() => readCredentials(config, loaded), () => setUpBuiltIns(config, loaded)]),
    ];
    const problems: CheckResult[] = [];
    for (const read of reads) {
      try {
        await read();
      } catch (error) {
        problems.push(fail(messageOf(error), "correct the configuration file: the service does not start with it"));
      }
    }
    return problems.length > 0 ? problems : [ok("credentials, routes, limits and options of plugins can be read")];
  },
};

type Loaded = Awaited<ReturnType<typeof load>>;

async function load(config: Config) {
  const { providers } = buildRegistry(await loadFolders("provider", pluginFolders("provider", config)));
  const plugins: readonly LoadedPlugin[] = await loadFolders("plugin", pluginFolders("plugin", config));
  return { providers, plugins };
}

function readCredentials(config: Config, { providers }: Loaded): void {
  const refuseUrl = credentialGuards(config, listenerPorts(config));
  configuredCredentials(config, { providers: knownProviders(providers), refuseUrl });
}

/** Drop-ins are not set up, because they may do anything: `weir plugins check` does that. */
async function setUpBuiltIns(config: Config, { plugins }: Loaded): Promise<void> {
  const byName = new Map(plugins.map((plugin) => [plugin.value.name, plugin]));
  for (const plugin of byName.values())
    if (plugin.builtIn) await tearDown(await setUpAlone(plugin, config, SILENT), SILENT);
}
