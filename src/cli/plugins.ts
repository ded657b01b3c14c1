import { resolve } from "node:path";
import { createLog } from "../log.ts";
import { PluginError, type PluginKind } from "../plugin-host/files/check.ts";
import { checkInThread } from "../plugin-host/files/check-thread.ts";
import {
  type FailedFile,
  type Loaded,
  loadEach,
  loadFile,
  loadFolders,
  pluginFolders,
} from "../plugin-host/files/load.ts";
import { buildRegistry } from "../plugin-host/providers/registry.ts";
import { tearDown } from "../plugin-host/setup.ts";
import type { Invocation, Run } from "./command.ts";
import { kindOf, openAlone } from "./open-alone.ts";
import { printList } from "./print.ts";
import { shapeFaults } from "./trial/shape-faults.ts";
import { ownShapes } from "./trial/try-shape.ts";

interface Listed {
  readonly kind: PluginKind;
  /** Null if the file cannot be loaded: its name is unknown. */
  readonly name: string | null;
  readonly source: "built-in" | "drop-in";
  readonly file: string;
  /** Whether it replaces a built-in file of the same name. */
  readonly replaces: boolean;
  readonly hosts: readonly string[];
  /** Why the file is not in use, or null. */
  readonly reason: string | null;
}

export const listProvidersCommand: Run = async (invocation) => print(invocation, await providers(invocation));

export const listPluginsCommand: Run = async (invocation) =>
  print(invocation, [...(await plugins(invocation)), ...(await providers(invocation))]);

/** Loads, checks and, for a plugin, sets up the file as the service does. */
export const checkPluginCommand: Run = async (invocation) => {
  const { args, options, terminal, config } = invocation;
  const path = resolve(terminal.workingDirectory, args[0]!);
  const kind = options["provider"] ? "provider" : await kindOf(path);
  const failure = await checkInThread({ kind, path });
  if (failure !== null) throw new PluginError(path, failure.reason);
  if (kind === "provider") {
    const loaded = await loadFile(kind, path, false);
    const others = (await loadFolders(kind, pluginFolders(kind, config))).filter(
      ({ file, builtIn, value }) => file !== path && (builtIn || value.name !== loaded.value.name),
    );
    buildRegistry([...others, loaded]);
    const [fault] = ownShapes(loaded.value).flatMap(shapeFaults);
    if (fault !== undefined) throw new PluginError(path, fault);
  } else {
    const loaded = await loadFile(kind, path, false);
    const log = createLog({ level: "info", format: "text", write: (line) => terminal.err(line) });
    const opened = await openAlone(loaded, invocation, log);
    await tearDown(opened, log);
  }
  terminal.out(`${path}: a ${kind} that matches the contract\n`);
  return 0;
};

async function providers({ config }: Invocation): Promise<Listed[]> {
  const { loaded, failures } = await loadEach("provider", pluginFolders("provider", config));
  const all = listed("provider", loaded, failures, ({ hosts = [] }) => hosts);
  if (all.some(({ reason }) => reason !== null)) return all;
  try {
    buildRegistry(loaded);
    return all;
  } catch (error) {
    // Each is valid, but two of them have the same name.
    if (!(error instanceof PluginError)) throw error;
    return all.map((each) => (each.file === error.file ? { ...each, reason: reasonOf(error, each.file) } : each));
  }
}

async function plugins({ config }: Invocation): Promise<Listed[]> {
  const { loaded, failures } = await loadEach("plugin", pluginFolders("plugin", config));
  return listed("plugin", loaded, failures, () => []);
}

/** Files in use, by name, after the broken ones. */
function listed<T extends { readonly name: string }>(
  kind: PluginKind,
  loaded: readonly Loaded<T>[],
  failures: readonly FailedFile[],
  hosts: (value: T) => readonly string[],
): Listed[] {
  const sourceOf = (builtIn: boolean) => (builtIn ? ("built-in" as const) : ("drop-in" as const));
  const used = new Map<string, Loaded<T>>();
  const broken = failures.map(({ path, builtIn, error }) => ({ file: path, builtIn, reason: reasonOf(error, path) }));
  for (const each of loaded) {
    const { name } = each.value;
    const before = used.get(name);
    if (before === undefined || (before.builtIn && !each.builtIn)) used.set(name, each);
    else
      broken.push({ file: each.file, builtIn: each.builtIn, reason: `the name "${name}" is taken by ${before.file}` });
  }
  const good = [...used.values()].map(({ value, file, builtIn }) => ({
    kind,
    name: value.name,
    source: sourceOf(builtIn),
    file,
    replaces: !builtIn && loaded.some((other) => other.builtIn && other.value.name === value.name),
    hosts: hosts(value),
    reason: null,
  }));
  return [
    ...broken.map(({ file, builtIn, reason }) => ({
      kind,
      name: null,
      source: sourceOf(builtIn),
      file,
      replaces: false,
      hosts: [],
      reason,
    })),
    ...good.sort((a, b) => (a.name < b.name ? -1 : 1)),
  ];
}

function reasonOf({ message }: Error, file: string): string {
  return message.replace(`${file}: `, "");
}

function print(invocation: Invocation, all: readonly Listed[]): number {
  printList(invocation, all, {
    headings: ["name", "kind", "source", "file"],
    cells: ({ kind, name, source, replaces, file }) => [
      name ?? "broken",
      kind,
      replaces ? `${source}, replaces a built-in` : source,
      file,
    ],
  });
  for (const { file, reason } of all) if (reason !== null) invocation.terminal.err(`${file}: ${reason}\n`);
  return 0;
}
