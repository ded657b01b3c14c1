import { type Config, europeanConfig, listenerPorts, schemeOf } from "./config.ts";
import { trustedAuthorities } from "./egress/authorities.ts";
import { checkTlsPair } from "./egress/tls-pair-of.ts";
import type { KeySnapshot } from "./keys.ts";
import { keepServing, type Log, messageOf } from "./log.ts";
import { checkDropIns } from "./plugin-host/files/check-thread.ts";
import { Entries } from "./plugin-host/host/entries.ts";
import { createPluginHost, type PluginHost } from "./plugin-host/host/host.ts";
import type { Shares } from "./plugin-host/host/shares.ts";
import { type LiveHooks, type LiveRegistry, openHooks, openRegistry } from "./plugin-host/live.ts";
import { hostsOf } from "./plugin-host/providers/registry.ts";
import { within } from "./runtime/within.ts";
import { claimInAllRegions, usageInAll } from "./serve/across-regions.ts";
import type { CommonParts } from "./serve/common-parts.ts";
import { type CredentialTests, createCredentialTests } from "./serve/credential-tests.ts";
import { openDataDirectory, refuseMissingDatabase } from "./serve/data-directory.ts";
import {
  DATABASE_PATIENCE_MS,
  type FirstKeysOptions,
  firstKeys,
  isNotOurs,
  refuseNewer,
  refuseNewerRecords,
  takeBackKey,
  withReader,
} from "./serve/first-keys.ts";
import { watchLocks } from "./serve/lock-watch.ts";
import { ModelLists, type ModelListsOptions } from "./serve/model-lists.ts";
import { noteDropIns } from "./serve/note-drop-ins.ts";
import { openShares } from "./serve/open-shares.ts";
import { reachable } from "./serve/reachable.ts";
import { Region } from "./serve/region.ts";
import { firstSignal } from "./serve/signals.ts";
import { StartError } from "./serve/start-error.ts";
import { Vault } from "./serve/vault.ts";
import { ssoProviders, ssoSecrets } from "./sso/provider.ts";
import { listCredentials } from "./store/credentials/credentials.ts";
import type { LimitsServer } from "./store/nodes/limits-server.ts";
import { readEntries } from "./store/nodes/plugin-entries.ts";
import { storedRouting } from "./store/routing.ts";

/** How long a start that receives a signal may take to end, in milliseconds: it may be waiting for a database. */
const START_ENDS_MS = 2_000;

/** How long a start waits for a slow recorder. */
const SLOW_START_MS = 30_000;

interface ServeOptions extends FirstKeysOptions {
  /** Receives the first key once all ports are open, if this start created it. */
  readonly onFirstKey: (key: string) => void;
  /** Called once the service accepts requests, with the addresses of the first region; the API address serves the dashboard. */
  readonly onServing: (addresses: { readonly api: string; readonly gateway: string }) => void;
  /** Contains the variables that credentials in `weir.toml` refer to. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the service until a signal ends it.
 *
 * Builds the parts of each region in order: data directory, spool, recorder, keys, gateway, API. Stops them in reverse
 * order.
 *
 * @throws StartError, PluginError and similar errors if it cannot start.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, log } = options;
  if (config.gateway_threads > 1 && process.platform !== "linux") {
    throw new StartError(
      "gateway_threads = more than 1 works on Linux only: elsewhere the system divides no connections",
    );
  }
  // Checked before anything is written or shown, such as the first key.
  trustedAuthorities(config.extra_ca_file);
  checkTlsPair(config);
  const secrets = ssoSecrets(ssoProviders(config), options.env);
  keepServing(log);
  const european = europeanConfig(config);
  const configs = european === undefined ? [config] : [config, european];
  const locks = configs.map((each) => openDataDirectory(each));
  const built: Built = { regions: [], keys: new Map() };
  const signal = firstSignal(log, () => {
    for (const { spool } of built.regions) spool.flush();
  });
  const watch = watchLocks(locks, log);
  try {
    for (const each of configs) refuseMissingDatabase(each);
    const building = build({ ...options, secrets }, configs, built);
    const stopped = Promise.race([signal, watch.lost]);
    stopped.catch(() => undefined); // a failed start no longer waits for it
    await Promise.race([building, stopped.then(() => within(building, START_ENDS_MS, () => undefined))]);
    const received = await stopped;
    const seconds = config.drain_seconds;
    log.info("stopping: no new connections, streams in flight may finish", { signal: received, seconds });
    await Promise.all(built.regions.map((region) => region.drain(seconds)));
  } finally {
    await takeDown(built);
    if (built.unshownKey !== undefined) await takeBackKey(config, built.unshownKey).catch(() => undefined);
    watch.end();
    for (const lock of locks) lock.release();
  }
  log.info("stopped");
}

interface BuildOptions extends ServeOptions {
  /** Secrets of identity providers, by provider name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What is built so far; a failed start stops it again. */
interface Built {
  readonly regions: Region[];
  registry?: LiveRegistry;
  entries?: Entries;
  pluginHost?: PluginHost;
  hooks?: LiveHooks;
  shares?: Shares | undefined;
  limits?: LimitsServer | undefined;
  vault?: Vault;
  /** The first key until it has been shown. */
  unshownKey?: string | undefined;
  credentialTests?: CredentialTests;
  modelLists?: ModelLists;
  /** By id. */
  keys: ReadonlyMap<string, KeySnapshot>;
}

/** @param configs - one per region; the first region's database holds keys, domains, limits and prices. */
async function build(options: BuildOptions, configs: readonly Config[], built: Built): Promise<void> {
  const { config, log } = options;
  await checkDropIns(config);
  for (const each of configs) {
    built.regions.push(new Region({ config: each, home: each === config ? undefined : config, log }));
  }
  const { regions } = built;
  const recorder = regions[0]!.recorder;
  const onChange = noteDropIns(recorder.forward(["note"]).note, log);
  // These do not depend on the recorder's thread and run while it loads.
  const [known, registry] = await Promise.allSettled([
    firstKeys(options, recorder),
    openRegistry({ config, log, onChange }),
  ]);
  if (known.status === "fulfilled") built.unshownKey = known.value.made;
  if (registry.status === "fulfilled") built.registry = registry.value;
  else throw registry.reason;
  const onKeys = (keys: readonly KeySnapshot[]) => {
    built.keys = new Map(keys.map((key) => [key.id, key]));
  };
  if (known.status === "fulfilled") onKeys(known.value.keys);
  if (known.status === "rejected" && isNotOurs(known.reason)) throw known.reason;
  // A plugin that cannot be set up also fails in the recorder's thread, but only here is the error complete.
  const hooks = await openPlugins(options, built);
  if (known.status === "rejected") throw known.reason;
  for (const { config: theirs } of regions.slice(1)) await refuseNewer(theirs);
  for (const { config: theirs } of regions) await refuseNewerRecords(theirs);
  const vault = await openVault(options, built);
  const listening = new Set(listenerPorts(config));
  built.credentialTests = createCredentialTests({
    config,
    tables: () => vault.tables,
    providerByName: (name) => registry.value.current().providerByName(name),
    ownPorts: () => listening,
  });
  const common: CommonParts = {
    registry: registry.value,
    vault,
    credentialTests: built.credentialTests,
    ssoSecrets: options.secrets,
    hooks,
    keys: known.value.keys,
    onKeys,
    privateTargets: built.pluginHost!.privateTargets,
    claimId: claimInAllRegions(regions),
    chosenIds: new Set<string>(),
    otherPorts: listenerPorts(config),
    limits: built.limits,
  };
  const ports = await openRegions(regions, common, { listening, isWritable: known.value.isWritable });
  built.modelLists = openModelLists(built, built.credentialTests, log);
  announce(options, built, ports);
}

/** Ports of each region's gateway and API. */
interface Ports {
  readonly gateway: readonly number[];
  readonly api: readonly number[];
}

/**
 * Opens the listeners of all regions, and waits for their recorders.
 *
 * @param listening - this program's own ports, which are no targets: those that open are added.
 */
async function openRegions(
  regions: readonly Region[],
  common: CommonParts,
  { listening, isWritable }: { readonly listening: Set<number>; readonly isWritable: boolean },
): Promise<Ports> {
  const gateway: number[] = [];
  for (const region of regions) gateway.push(await region.openGateway(common));
  const openPorts = [...gateway, ...regions.flatMap(({ unifiedPort }) => unifiedPort ?? [])];
  const opening = regions.map((region) => region.openApi(common));
  for (const port of opening) {
    port.then(
      (open) => {
        for (const port of [...openPorts, open]) listening.add(port);
        for (const region of regions) region.refuseTargetsAt([...openPorts, open]);
      },
      () => undefined, // reported below
    );
  }
  // If the database was writable a moment ago, a late recorder means a slow machine, not an unreachable database.
  for (const region of regions) {
    const isFirst = region === regions[0];
    await region.recorderStarts(isFirst && isWritable ? SLOW_START_MS : DATABASE_PATIENCE_MS);
  }
  return { gateway, api: await Promise.all(opening) };
}

/** Reports the service's addresses once all of it is ready. */
function announce(options: BuildOptions, built: Built, ports: Ports): void {
  const { config, log } = options;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const scheme = schemeOf(config);
  const [gateway, euGateway] = ports.gateway.map((port) => `${scheme}://${host}:${port}`);
  const [unified, euUnified] = built.regions.map(({ unifiedPort: port }) => port && `${scheme}://${host}:${port}`);
  const [api, euApi] = ports.api.map((port) => `${scheme}://${host}:${port}`);
  if (built.unshownKey !== undefined) options.onFirstKey(built.unshownKey);
  built.unshownKey = undefined;
  log.info("weir is serving", {
    gateway,
    api,
    ...(unified && { unified }),
    dashboard: reachable(api!),
    ...(euGateway && { eu_gateway: euGateway, eu_api: euApi }),
    ...(euUnified && { eu_unified: euUnified }),
  });
  options.onServing({ api: api!, gateway: gateway! });
}

/** Opens credentials and routes. If the database cannot be read now, the API's thread delivers them later. */
async function openVault({ config, log, env }: ServeOptions, built: Built): Promise<Vault> {
  const vault = new Vault({
    config,
    env,
    log,
    providers: built.registry!.current().providers,
    ownPorts: listenerPorts(config),
    onChange(tables) {
      built.modelLists?.follow(tables);
      return Promise.all(built.regions.map((region) => region.spreadTables(tables)));
    },
  });
  built.vault = vault;
  await withReader(config, async (records) => {
    await vault.setRouting(await storedRouting(records));
    await vault.setCredentials(await listCredentials(records));
  }).catch((error: unknown) => {
    log.warn("credentials and routes cannot be read now", { why: messageOf(error) });
  });
  return vault;
}

/** Model lists are fetched once all own ports are known, because those are never a target. */
function openModelLists({ regions, vault }: Built, { list }: CredentialTests, log: Log): ModelLists {
  const onListed: ModelListsOptions["onListed"] = (credential, models) => {
    for (const region of regions) region.setListed(credential, models);
  };
  const lists = new ModelLists({ list, onListed, log });
  lists.follow(vault!.tables);
  return lists;
}

/** Sets up the plugins with their stored entries. Entries that cannot be read now are loaded later. */
async function openPlugins({ config, log }: ServeOptions, built: Built): Promise<LiveHooks> {
  const theirs = built.regions[0]!.recorder.forward(["readEntries", "writeEntries"]);
  const entries = new Entries({ read: theirs.readEntries, write: theirs.writeEntries, log });
  built.entries = entries;
  await entries
    .load(() => withReader(config, (records) => readEntries(records, 0)))
    .catch((error: unknown) => {
      log.warn("what plugins stored cannot be read now", { why: messageOf(error) });
    });
  // Entries are read through the recorder, which may start slowly.
  built.regions[0]!.recorder.started().then(
    () => entries.follow(),
    () => undefined, // the start reports this failure itself
  );
  const providerHosts = () => hostsOf(built.registry!.current().providers);
  const organizationOfKey = (id: string) => built.keys.get(id)?.organizationId;
  const usageOf = usageInAll(built.regions);
  const claim = built.regions[0]!.recorder.forward(["claimShares"]).claimShares;
  const { shares, limits } = openShares(config, claim, log);
  built.shares = shares;
  built.limits = limits;
  const onPrivateTargets = (targets: readonly string[]) => {
    for (const region of built.regions) region.openPrivateTargets(targets);
  };
  const onStoreChange = () => built.hooks?.hooks.admissions.noteChange();
  const lent = { usageOf, organizationOfKey, providerHosts, shares, onStoreChange, onPrivateTargets };
  const host = createPluginHost({ config, log, entries, ...lent });
  built.pluginHost = host;
  const onChange = noteDropIns(built.regions[0]!.recorder.forward(["note"]).note, log);
  built.hooks = await openHooks({ config, log, host, onChange });
  return built.hooks;
}

async function takeDown({
  regions,
  hooks,
  entries,
  pluginHost,
  registry,
  shares,
  limits,
  vault,
  credentialTests,
  modelLists,
}: Built): Promise<void> {
  entries?.close();
  await Promise.all(regions.map((region) => region.takeDown()));
  await hooks?.close();
  shares?.close();
  limits?.close();
  vault?.close();
  modelLists?.close();
  credentialTests?.close();
  pluginHost?.close();
  registry?.close();
}
