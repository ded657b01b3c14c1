import { resolve } from "node:path";
import { counted } from "../counted.ts";
import { createLog } from "../log.ts";
import { PluginError } from "../plugin-host/files/check.ts";
import { checkInThread } from "../plugin-host/files/check-thread.ts";
import { type LoadedProvider, loadFile, loadFolders, pluginFolders } from "../plugin-host/files/load.ts";
import { Hooks } from "../plugin-host/hooks/hooks.ts";
import { buildRegistry, type Registry } from "../plugin-host/providers/registry.ts";
import { tearDown } from "../plugin-host/setup.ts";
import type { Invocation, Run, Terminal } from "./command.ts";
import { kindOf, openAlone } from "./open-alone.ts";
import { readExchanges, type TrialExchange } from "./trial/exchange.ts";
import { SAMPLES } from "./trial/samples.ts";
import { type Trial, unmet } from "./trial/trial.ts";
import { tryPlugin } from "./trial/try-plugin.ts";
import { samplesFor, tryProvider } from "./trial/try-provider.ts";
import { CommandError } from "./usage-error.ts";

/** Milliseconds for one call of a hook. More than in the service, because a first call on a busy machine is slow. */
const HOOK_MS = 5_000;

/** Runs a provider's readers or a plugin's hooks over exchanges, and prints what they do. @returns 1 if one failed. */
export const testPluginCommand: Run = async (invocation) => {
  const { args, options, terminal } = invocation;
  const path = resolve(terminal.workingDirectory, args[0]!);
  const kind = options["provider"] ? "provider" : await kindOf(path);
  const failure = await checkInThread({ kind, path });
  if (failure !== null) throw new PluginError(path, failure.reason);
  const files = (options["exchange"] ?? []) as readonly string[];
  const given = (
    await Promise.all(files.map((file) => readExchanges(resolve(terminal.workingDirectory, file))))
  ).flat();
  return kind === "provider" ? testProvider(invocation, path, given) : testHooks(invocation, path, given);
};

async function testProvider({ config, terminal }: Invocation, path: string, given: readonly TrialExchange[]) {
  const loaded = await loadFile("provider", path, false);
  const provider = (await registryWith(config, loaded)).providerByName(loaded.value.name)!;
  const exchanges = given.length > 0 ? given : samplesFor(provider);
  if (exchanges.length === 0)
    throw new CommandError(`${path} reads a format of its own: give an exchange in it with --exchange FILE`);
  terminal.out(`${path}: the provider ${provider.name}\n`);
  return report(terminal, exchanges, async (exchange) => tryProvider(exchange, provider));
}

async function testHooks(invocation: Invocation, path: string, given: readonly TrialExchange[]) {
  const { config, terminal } = invocation;
  const loaded = await loadFile("plugin", path, false);
  const log = createLog({ level: "info", format: "text", write: (line) => terminal.err(line) });
  const plugin = await openAlone(loaded, invocation, log);
  const reasons = new Map<string, string>();
  const noteReason = (line: string) => {
    const { hook, error } = JSON.parse(line) as { readonly hook?: string; readonly error?: string };
    if (hook !== undefined && error !== undefined) reasons.set(hook, error);
  };
  const hooks = new Hooks(createLog({ level: "warn", format: "json", write: noteReason }), HOOK_MS);
  hooks.use([plugin]);
  const registry = await registryWith(config);
  terminal.out(`${path}: the plugin ${plugin.name}\n`);
  try {
    return await report(terminal, given.length > 0 ? given : SAMPLES, (exchange) =>
      tryPlugin(exchange, { hooks, reasons, registry }),
    );
  } finally {
    await tearDown(plugin, log);
  }
}

async function report(
  terminal: Terminal,
  exchanges: readonly TrialExchange[],
  run: (exchange: TrialExchange) => Promise<Trial>,
): Promise<number> {
  let failed = 0;
  for (const exchange of exchanges) {
    const trial = await run(exchange);
    const wrong = [...trial.faults, ...unmet(exchange, trial)];
    if (wrong.length > 0) failed++;
    terminal.out(`\n${exchange.name}\n`);
    for (const line of trial.lines.length + wrong.length > 0 ? trial.lines : ["nothing"]) terminal.out(`  ${line}\n`);
    for (const line of wrong) terminal.out(`  FAILED ${line}\n`);
  }
  terminal.out(`\n${counted(exchanges.length, "exchange")}, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** The providers that the service would load, with this one replacing its file. */
async function registryWith(config: Invocation["config"], own?: LoadedProvider): Promise<Registry> {
  const others = (await loadFolders("provider", pluginFolders("provider", config))).filter(
    ({ file, builtIn, value }) =>
      own === undefined || (file !== own.file && (builtIn || value.name !== own.value.name)),
  );
  return buildRegistry(own === undefined ? others : [...others, own]);
}
