import { readFile } from "node:fs/promises";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { Json } from "../plugin-host/contract.ts";
import { PluginError, type PluginKind } from "../plugin-host/files/check.ts";
import type { LoadedPlugin } from "../plugin-host/files/load.ts";
import { Entries } from "../plugin-host/host/entries.ts";
import { createPluginHost } from "../plugin-host/host/host.ts";
import { readOnlyJournal } from "../plugin-host/host/journal.ts";
import { type OpenPlugin, setUp } from "../plugin-host/setup.ts";
import { UsageError } from "./usage-error.ts";

interface Around {
  readonly config: Config;
  readonly log: Log;
}

/** Sets a plugin up as in the gateway's thread, with a temporary store and no database. */
export function openAlone(loaded: LoadedPlugin, options: Json, { config, log }: Around): Promise<OpenPlugin> {
  const host = createPluginHost({
    config,
    log,
    entries: new Entries({ read: async () => [], write: async () => {}, log }),
    usageOf: async () => [],
    organizationOfKey: () => "", // every key counts as known
    providerHosts: () => [],
    openJournal: readOnlyJournal,
  });
  return setUp(loaded, options, log, host.accessFor(loaded.value.name));
}

/** The kind of a file, by its members. @throws PluginError if it cannot be read. */
export async function kindOf(path: string): Promise<PluginKind> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new PluginError(path, error.message, error);
  });
  return /\bsetup\b|GatewayPlugin/.test(text) ? "plugin" : "provider";
}

/** The options in `--options`, which override those of weir.toml. @throws UsageError. */
export function givenOptions(text: unknown): Json {
  if (typeof text !== "string") return {};
  try {
    const value: Json = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--options takes a JSON object, such as '{"models": ["gpt-4o"]}'`);
}
