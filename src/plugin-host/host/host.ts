import { join } from "node:path";
import type { Config } from "../../config.ts";
import { opensHost, readAllowance } from "../../egress/allowance.ts";
import type { Log } from "../../log.ts";
import { periodOf } from "../../record/calendar.ts";
import type { GatewayAccess, Json, PluginJournal, RequestUsage } from "../contract.ts";
import type { Entries } from "./entries.ts";
import { Journal } from "./journal.ts";
import type { Shares } from "./shares.ts";

/** A plugin's access to the gateway's thread, valid until the plugin is unloaded. */
export interface LentAccess extends GatewayAccess {
  /** Ends the plugin's notifications and removes its private targets. */
  release(): void;
}

/** The gateway thread's services for all plugins. */
export interface PluginHost {
  /** The access of one plugin. A reloaded plugin gets the same store and journal. */
  accessFor(plugin: string): LentAccess;
  /** All plugins' additions to `allow_private_targets`; a new list whenever it changes. */
  privateTargets(): readonly string[];
  close(): void;
}

/** Maximum cached hosts, so that clients with invented names cannot fill the memory. */
const HOSTS_MAX = 1_000;

interface HostOptions {
  readonly config: Config;
  readonly log: Log;
  readonly entries: Entries;
  readonly usageOf: (requestIds: readonly string[]) => Promise<readonly RequestUsage[]>;
  readonly organizationOfKey: GatewayAccess["organizationOfKey"];
  readonly providerHosts: () => readonly string[];
  readonly shares?: Shares | undefined;
  /** Called when a plugin's store has changed. */
  readonly onStoreChange?: () => void;
  /** Called when `privateTargets` has changed. */
  readonly onPrivateTargets?: (targets: readonly string[]) => void;
  readonly openJournal?: (path: string, log: Log) => PluginJournal;
}

export function createPluginHost(options: HostOptions): PluginHost {
  const { config, log, entries, usageOf, organizationOfKey, providerHosts } = options;
  const allowances = config.allow_private_targets.map(readAllowance);
  /** By host: needed for every request, and the configuration does not change. */
  const opens = new Map<string, boolean>();
  const opensPrivateTarget = (host: string) => {
    let isOpen = opens.get(host);
    if (isOpen === undefined) {
      isOpen = allowances.length > 0 && opensHost(allowances, host);
      if (opens.size >= HOSTS_MAX) opens.clear();
      opens.set(host, isOpen);
    }
    return isOpen;
  };
  const journals = new Map<string, PluginJournal>();
  const opened = new Map<symbol, readonly string[]>();
  let privateTargets: readonly string[] = [];
  const open = options.openJournal ?? ((path: string, bound: Log) => new Journal(path, bound));
  const journalOf = (plugin: string) => {
    let journal = journals.get(plugin);
    if (journal === undefined) {
      journal = open(join(config.data_dir, "state", `${plugin}.jsonl`), log.with({ plugin }));
      journals.set(plugin, journal);
    }
    return journal;
  };
  return {
    accessFor(plugin) {
      const store = entries.storeOf(plugin);
      if (options.onStoreChange !== undefined) store.onChange(options.onStoreChange);
      const itself = Symbol(plugin);
      const open = (targets: readonly string[]) => {
        if (targets.length > 0) opened.set(itself, [...targets]);
        else opened.delete(itself);
        privateTargets = [...opened.values()].flat();
        options.onPrivateTargets?.(privateTargets);
      };
      return {
        store,
        ...(options.shares && { shares: options.shares.of(plugin) }),
        journal: journalOf(plugin),
        organizationOfKey,
        providerHosts,
        usageOf,
        periodOf,
        opensPrivateTarget,
        openPrivateTargets: open,
        release() {
          store.release();
          open([]);
        },
      };
    },
    privateTargets: () => privateTargets,
    close() {
      for (const journal of journals.values()) if (journal instanceof Journal) journal.close();
    },
  };
}

/** Options of a plugin: its configuration keys, and its table `[plugins.<name>]`. */
export function optionsOf(config: Config, plugin: string): Json {
  const ofConfig: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
    domains: { approved: config.approved_domains, dns_servers: config.dns_servers },
    "rate-limits": { policies: config.rate_limits },
  };
  const own = Object.hasOwn(config.plugins, plugin) ? config.plugins[plugin] : undefined;
  if (!Object.hasOwn(ofConfig, plugin)) return own;
  // Unset keys are omitted: a drop-in that replaces the built-in need not know them.
  const said = Object.entries(ofConfig[plugin]!).filter(([, list]) => list.length > 0);
  return { ...Object.fromEntries(said), ...own };
}
