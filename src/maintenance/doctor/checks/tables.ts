import { type Config, listenerPorts } from "../../../config.ts";
import { configuredCredentials, resolveConfigured } from "../../../credentials/configured.ts";
import { knownProviders } from "../../../credentials/form.ts";
import { createLog } from "../../../log.ts";
import { type LoadedPlugin, loadFolders, pluginFolders } from "../../../plugin-host/files/load.ts";
import { buildRegistry } from "../../../plugin-host/providers/registry.ts";
import { setUpAlone } from "../../../plugin-host/set-up-alone.ts";
import { tearDown } from "../../../plugin-host/setup.ts";
import { configuredRoutes } from "../../../routing/configured-routes.ts";
import { credentialGuards } from "../../../store/credentials/guards.ts";
import { type Check, type CheckResult, noSecret, ok, stopsStart } from "../finding.ts";

const SILENT = createLog({ level: "error", format: "text", write: () => undefined });

/** Credentials, routes, limits and options of built-in plugins in the configuration file, read as a start reads them. */
export const tablesCheck: Check = {
  name: "tables",
  async run({ config, env, running }) {
    const loaded = await load(config).catch(() => undefined); // another check reports why
    const problems: CheckResult[] = [];
    const attempt = async <T>(read: () => T, outcome = stopsStart): Promise<Awaited<T> | undefined> => {
      try {
        return await read();
      } catch (error) {
        problems.push(outcome(error));
        return undefined;
      }
    };
    await attempt(() => configuredRoutes(config));
    if (loaded !== undefined) {
      const credentials = await attempt(() => readCredentials(config, loaded));
      for (const credential of credentials ?? [])
        await attempt(
          () => resolveConfigured(credential, env),
          (error) => noSecret(error, running),
        );
      await attempt(() => setUpBuiltIns(config, loaded));
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

function readCredentials(config: Config, { providers }: Loaded) {
  const refuseUrl = credentialGuards(config, listenerPorts(config));
  return configuredCredentials(config, { providers: knownProviders(providers), refuseUrl });
}

/** Drop-ins are not set up, because they may do anything: `weir plugins check` does that. */
async function setUpBuiltIns(config: Config, { plugins }: Loaded): Promise<void> {
  const byName = new Map(plugins.map((plugin) => [plugin.value.name, plugin]));
  for (const plugin of byName.values())
    if (plugin.builtIn) await tearDown(await setUpAlone(plugin, config, SILENT), SILENT);
}
