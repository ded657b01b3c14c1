import { createServer } from "node:net";
import type { Config } from "../../../config.ts";
import { counted } from "../../../counted.ts";
import { PluginError } from "../../../plugin-host/files/check.ts";
import { type LoadedPlugin, loadFolders, pluginFolders } from "../../../plugin-host/files/load.ts";
import { buildRegistry } from "../../../plugin-host/providers/registry.ts";
import { type Check, type CheckResult, fail, ok, warn } from "../finding.ts";
import { askReadiness, type Readiness } from "../readiness.ts";

/** Loads what the service would load, without setting anything up. */
export const dropInsCheck: Check = {
  name: "drop-ins",
  async run({ config }) {
    try {
      const providers = await loadFolders("provider", pluginFolders("provider", config));
      buildRegistry(providers);
      const plugins: readonly LoadedPlugin[] = await loadFolders("plugin", pluginFolders("plugin", config));
      const outcomes = optionsWithoutPlugin(config, plugins);
      const dropped = [...providers, ...plugins].filter(({ builtIn }) => !builtIn);
      const message = `${counted(providers.length, "provider")}, ${counted(plugins.length, "plugin")}, ${dropped.length} of them drop-ins`;
      return outcomes.length > 0 ? outcomes : [ok(message)];
    } catch (error) {
      const all: unknown[] = error instanceof AggregateError ? error.errors : [error];
      return all.map((each) => {
        if (!(each instanceof PluginError)) throw each;
        return fail(each.message, "fix the file and run `weir plugins check <file>`, or remove it from the folder");
      });
    }
  },
};

function optionsWithoutPlugin(config: Config, plugins: readonly LoadedPlugin[]): CheckResult[] {
  return Object.keys(config.plugins)
    .filter((name) => !plugins.some(({ value }) => value.name === name))
    .map((name) =>
      fail(
        `[plugins.${name}]: there is no such plugin`,
        "remove the table from the configuration file, or add the plugin",
      ),
    );
}

/** Checks the readiness of a running service; without one, its ports must be free. */
export const serviceCheck: Check = {
  name: "service",
  async run({ config, running }) {
    if (running && config.api_port === 0)
      return [
        warn("it runs; api_port is 0, so its port is unknown", "set WEIR_API_PORT to the port that its log names"),
      ];
    if (running) return readinessOf(await askReadiness(config));
    const taken: CheckResult[] = [];
    const fixed = portKeys(config).filter((key) => config[key] > 0);
    for (const key of fixed) {
      const code = await bindable(config.host, config[key]);
      if (code === undefined) continue;
      const variable = `WEIR_${key.toUpperCase()}`;
      taken.push(
        fail(`${key} ${config[key]} on ${config.host}: ${code}`, `stop the program that uses it, or set ${variable}`),
      );
    }
    if (taken.length > 0) return taken;
    if (fixed.length === 0) return [ok("not running; a start takes any free ports")];
    return [ok(`not running; free: ${fixed.map((key) => `${key} ${config[key]}`).join(", ")}`)];
  },
};

/** Keys of the ports of all listeners; 0 stands for any free port, -1 for none. */
function portKeys(config: Config) {
  const pair = config.eu_database_url === "" ? [] : (["eu_gateway_port", "eu_api_port", "eu_unified_port"] as const);
  return ["gateway_port", "api_port", "unified_port", ...pair] as const;
}

function readinessOf(readiness: Readiness): CheckResult[] {
  if (readiness.state === "no response") {
    const { address, why } = readiness;
    return [warn(`${address} does not respond: ${why}`, "if it was just started, wait; else see its log")];
  }
  const fix = "see the service's log and docs/operations.md";
  const outcomes = readiness.degraded.map((message) => warn(message, fix));
  if (readiness.state === "not ready") outcomes.push(fail("it runs but is not ready", fix));
  return outcomes.length > 0 ? outcomes : [ok(`running and ready at ${readiness.address}`)];
}

/** @returns why the port cannot be listened on, or undefined if it can. */
function bindable(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
