import type { Command, Option, Run } from "./command.ts";
import { JSON_OPTION } from "./options.ts";

const DIR: Option = { type: "string", value: "DIR", description: "write it there instead" };
const EXCHANGE: Option = {
  type: "string",
  multiple: true,
  value: "FILE",
  description: "JSON of one exchange, or a list, instead of the samples (repeatable)",
};
const FILE_OPTIONS: Readonly<Record<string, Option>> = {
  options: {
    type: "string",
    value: "JSON",
    description: "options of the plugin; they override those in the configuration file",
  },
  provider: { type: "boolean", description: "treat it as a provider (default: detected from its members)" },
};

export const PLUGIN_COMMANDS: readonly Command[] = [
  {
    name: "providers list",
    summary: "list the providers and where they are loaded from",
    options: { json: JSON_OPTION },
    load: async () => (await import("./plugins.ts")).listProvidersCommand,
  },
  {
    name: "providers new",
    summary: "write a commented skeleton of a provider, like plugins new --provider",
    args: ["<name>"],
    options: { dir: DIR },
    load: async () => asProvider((await import("./new-plugin.ts")).newPluginCommand),
  },
  {
    name: "providers check",
    summary: "check a provider's file against the contract, like plugins check --provider",
    args: ["<file>"],
    load: async () => asProvider((await import("./plugins.ts")).checkPluginCommand),
  },
  {
    name: "providers test",
    summary: "run a provider's file over exchanges, like plugins test --provider",
    args: ["<file>"],
    options: { exchange: EXCHANGE },
    load: async () => asProvider((await import("./test-plugin.ts")).testPluginCommand),
  },
  {
    name: "plugins list",
    summary: "list plugins and providers and where they are loaded from",
    options: { json: JSON_OPTION },
    load: async () => (await import("./plugins.ts")).listPluginsCommand,
  },
  {
    name: "plugins new",
    summary: "write a commented skeleton into the drop-in directory, with the types beside it",
    args: ["<name>"],
    options: { provider: { type: "boolean", description: "a provider instead of a plugin" }, dir: DIR },
    load: async () => (await import("./new-plugin.ts")).newPluginCommand,
  },
  {
    name: "plugins check",
    summary: "check one provider or plugin file against the contract",
    args: ["<file>"],
    options: FILE_OPTIONS,
    load: async () => (await import("./plugins.ts")).checkPluginCommand,
  },
  {
    name: "plugins test",
    summary: "run one provider or plugin file over exchanges and print what it does",
    args: ["<file>"],
    options: { exchange: EXCHANGE, ...FILE_OPTIONS },
    notes: ["Exits with 1 if a hook fails, or if an exchange has an `expect` that is not met."],
    load: async () => (await import("./test-plugin.ts")).testPluginCommand,
  },
];

function asProvider(run: Run): Run {
  return (invocation) => run({ ...invocation, options: { ...invocation.options, provider: true } });
}
