import { originOf } from "../../egress/origin.ts";
import type { Log } from "../../log.ts";
import { nearestName } from "../../nearest.ts";
import type { BodyMapping, ProviderPlugin } from "../contract.ts";
import { PluginError } from "../files/check.ts";
import { byName, type LoadedProvider, loadFolders, type PluginFolder } from "../files/load.ts";
import { HostTable } from "../hosts.ts";
import { bounded } from "./bounded.ts";

/** The loaded providers. Immutable: a changed drop-in creates a new registry. */
export interface Registry {
  /** With inherited members (`extends`) filled in. */
  readonly providers: readonly ProviderPlugin[];
  /** By name or alias, in any case. */
  providerByName(name: string): ProviderPlugin | undefined;
  /** @param host - of a target, lower case, without port. */
  providerByHost(host: string): ProviderPlugin | undefined;
  /** @param label - first label of a gateway address, lower case. */
  providerByLabel(label: string): ProviderPlugin | undefined;
  /** Every label that a provider has. */
  labels(): Iterable<string>;
}

/**
 * Scans the folders and builds the registry of their providers.
 *
 * @throws PluginError, or AggregateError of several, if a file does not load or is invalid.
 */
export async function loadRegistry(options: {
  readonly directories: readonly PluginFolder[];
  readonly log: Log;
}): Promise<Registry> {
  const loaded = await loadFolders("provider", options.directories);
  logReplaced(loaded, options.log);
  return buildRegistry(loaded);
}

/** Logs which built-ins a drop-in replaces. */
export function logReplaced(
  loaded: readonly { readonly value: { readonly name: string }; readonly file: string; readonly builtIn: boolean }[],
  log: Log,
): void {
  const builtIns = new Set(loaded.filter(({ builtIn }) => builtIn).map(({ value }) => value.name));
  for (const { value, file, builtIn } of loaded) {
    if (!builtIn && builtIns.has(value.name)) log.info("a drop-in replaces a built-in", { name: value.name, file });
  }
}

/**
 * @param isPatient - whether functions of drop-ins that waited for the CPU are called again: see `bounded`.
 * @throws PluginError if two providers claim the same name, alias, host or label, or `extends` names an unknown provider.
 */
export function buildRegistry(loaded: readonly LoadedProvider[], isPatient = false): Registry {
  const named = byName(loaded);
  const replaced = new Map(
    loaded.filter((each) => named.get(each.value.name) !== each).map((each) => [each.value.name, each]),
  );
  // Drop-ins come last and override built-ins.
  const ordered = [...named.values()].sort((a, b) => Number(b.builtIn) - Number(a.builtIn));
  const names = new Map<string, Claim>();
  const labels = new Map<string, Claim>();
  const hosts = new HostTable<Claim>();
  const providers: ProviderPlugin[] = [];
  for (const each of ordered) {
    const claim: Claim = { from: each, provider: extended(each, { named, replaced, isPatient }) };
    providers.push(claim.provider);
    const { name, aliases = [], dedicatedDomain } = each.value;
    for (const key of [name.toLowerCase(), ...aliases]) {
      names.set(key, claimed("name", key, claim, names.get(key)));
    }
    if (dedicatedDomain !== undefined) {
      labels.set(dedicatedDomain, claimed("dedicated domain", dedicatedDomain, claim, labels.get(dedicatedDomain)));
    }
    for (const pattern of each.value.hosts ?? []) {
      hosts.add(pattern, claimed("host", pattern, claim, hosts.owner(pattern)));
    }
  }
  const folded = new Map([...names].map(([name, claim]) => [fold(name), claim]));
  return {
    providers,
    providerByName: (name) => (names.get(name.toLowerCase()) ?? folded.get(fold(name)))?.provider,
    providerByHost: (host) => hosts.find(host)?.provider,
    providerByLabel: (label) => labels.get(label)?.provider,
    labels: () => labels.keys(),
  };
}

/** Normalizes a name: `Together AI`, `together_ai` and `together-ai` are one. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, "");
}

/** Host patterns of providers, and the hosts of their targets. */
export function hostsOf(providers: readonly ProviderPlugin[]): string[] {
  const all = providers.flatMap(({ hosts = [], target }) =>
    target === undefined ? hosts : [...hosts, originOf(new URL(target)).host],
  );
  return [...new Set(all)];
}

/** The providers' own mappings, by the provider's name. */
export function mappingsOf(providers: readonly ProviderPlugin[]): Readonly<Record<string, BodyMapping>> {
  return Object.fromEntries(providers.flatMap(({ name, mapping }) => (mapping === undefined ? [] : [[name, mapping]])));
}

interface Claim {
  readonly from: LoadedProvider;
  readonly provider: ProviderPlugin;
}

function claimed(what: string, key: string, claim: Claim, before: Claim | undefined): Claim {
  if (before !== undefined && before.from !== claim.from && before.from.builtIn === claim.from.builtIn) {
    throw new PluginError(claim.from.file, `the ${what} "${key}" is claimed by ${before.from.value.name} already`);
  }
  return claim;
}

type Named = ReadonlyMap<string, LoadedProvider>;

interface Parents {
  readonly named: Named;
  readonly replaced: Named;
  readonly isPatient: boolean;
}

/**
 * A provider with the inherited reading of the one it extends. Its identity (name, aliases, hosts, target, label) is never
 * inherited; reading and prices are, member by member. Masks and wire-format paths are combined, its own first. A drop-in
 * that extends its own name extends the built-in that it replaces.
 */
function extended(each: LoadedProvider, { named, replaced, isPatient }: Parents): ProviderPlugin {
  const chain = [each];
  for (let at = each; at.value.extends !== undefined; at = chain.at(-1)!) {
    const name = at.value.extends;
    const parent = name === at.value.name ? replaced.get(name) : named.get(name);
    if (parent === undefined) throw new PluginError(each.file, missingParent(name, named));
    chain.push(parent);
    if (chain.indexOf(parent) < chain.length - 1) {
      const round = chain.map(({ value }) => value.name).join(" → ");
      throw new PluginError(each.file, `the member "extends" goes round: ${round}`);
    }
  }
  const values = chain.map(({ value, builtIn }) => (builtIn ? value : bounded(value, isPatient)));
  return withoutUndefined({
    ...each.value,
    wireSchemas: wireSchemasOf(values),
    mapping: firstOf(values, "mapping"),
    shapes: values[0]!.shapes,
    readRequest: firstOf(values, "readRequest"),
    readResponse: firstOf(values, "readResponse"),
    readEvent: firstOf(values, "readEvent"),
    cost: firstOf(values, "cost"),
    basePath: firstOf(values, "basePath"),
    headers: firstOf(values, "headers"),
    auth: firstOf(values, "auth"),
    credential: firstOf(values, "credential"),
    models: firstOf(values, "models"),
    listModels: firstOf(values, "listModels"),
    mask: {
      headers: values.flatMap(({ mask }) => mask?.headers ?? []),
      query: values.flatMap(({ mask }) => mask?.query ?? []),
    },
  });
}

function missingParent(name: string, named: Named): string {
  const near = nearestName(name, named.keys());
  return `the member "extends" names "${name}", which no provider has${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

function firstOf<K extends keyof ProviderPlugin>(values: readonly ProviderPlugin[], member: K): ProviderPlugin[K] {
  return values.find((value) => value[member] !== undefined)?.[member] as ProviderPlugin[K];
}

function wireSchemasOf(values: readonly ProviderPlugin[]): ProviderPlugin["wireSchemas"] {
  const declared = values.map(({ wireSchemas }) => wireSchemas).filter((schemas) => schemas !== undefined);
  return declared.length === 0 ? undefined : declared.flat();
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
