import type { CredentialForm, GatewayPlugin, ProviderPlugin } from "./contract.ts";
import type { FileState } from "./files/reload.ts";
import type { OpenPlugin } from "./setup.ts";

/** One file of a provider or plugin as plain data, for other threads. */
export interface FileView {
  /** Null if the file never loaded, so that its name is unknown. */
  readonly name: string | null;
  readonly file: string;
  readonly source: "built-in" | "drop-in";
  /** `replaced`: a drop-in with the same name is used instead. `failed`: no version of the file is in use. */
  readonly state: "loaded" | "replaced" | "failed";
  /** Why the current file is not in use; if the state is `loaded`, an earlier version is in use. */
  readonly reason: string | null;
}

export interface ProviderView extends FileView {
  readonly aliases: readonly string[];
  readonly hosts: readonly string[];
  readonly target: string | null;
  /** First label of its own gateway address. */
  readonly dedicatedDomain: string | null;
  readonly extends: string | null;
  /** The members of its credentials; null for a single key. */
  readonly credential: CredentialForm | null;
  /** Whether it has its own cost rule. */
  readonly hasCostRule: boolean;
}

export interface PluginView extends FileView {
  /** Names of the hooks that it has in this thread. */
  readonly hooks: readonly string[];
  /** Its endpoints, such as `GET /v1/domains`. */
  readonly routes: readonly string[];
}

/** The state of a thread's plugins. */
export interface HookHealth {
  /** Number of calls that threw or took too long since startup, by `<plugin> <hook>`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Broken files and switched-off hooks, one sentence each. */
  readonly degraded: readonly string[];
}

/** @param inUse - with inherited members filled in. */
export function viewProviders(
  files: readonly FileState<ProviderPlugin>[],
  inUse: readonly ProviderPlugin[],
): ProviderView[] {
  return inOrder(files).map(({ file, view }) => {
    const hasCostRule =
      view.state === "loaded" && inUse.some(({ name, cost }) => name === view.name && cost !== undefined);
    const { aliases = [], hosts = [], target = null, dedicatedDomain = null } = file.used?.value ?? {};
    const credential = inUse.find(({ name }) => name === view.name)?.credential ?? null;
    const parent = file.used?.value.extends ?? null;
    return { ...view, aliases, hosts, target, dedicatedDomain, extends: parent, credential, hasCostRule };
  });
}

/** Names of the providers whose own rule computes costs, in place of a price. */
export const pricedByRule = (providers: readonly ProviderView[]): ReadonlySet<string> =>
  new Set(providers.flatMap(({ name, hasCostRule }) => (hasCostRule && name !== null ? [name] : [])));

export function viewPlugins(files: readonly FileState<GatewayPlugin>[], open: readonly OpenPlugin[]): PluginView[] {
  return inOrder(files).map(({ file, view }) => {
    const hooks = open.find(({ from }) => from === file.used)?.hooks;
    return {
      ...view,
      hooks: HOOKS.filter((name) => hooks?.[name] !== undefined),
      routes: (hooks?.routes ?? []).map(({ method, path }) => `${method} ${path}`),
    };
  });
}

const HOOKS = ["onRequest", "onForward", "onEnd", "onAnswer", "onRecord", "onRecorded"] as const;

/** Faulty files first, then by name. */
function inOrder<T extends { readonly name: string }>(files: readonly FileState<T>[]) {
  const droppedIn = new Set(
    files.flatMap(({ used, builtIn }) => (used === undefined || builtIn ? [] : [used.value.name])),
  );
  return files
    .map((file) => ({ file, view: viewOf(file, droppedIn) }))
    .sort((a, b) => {
      const wrong = Number(b.view.reason !== null) - Number(a.view.reason !== null);
      return wrong || ((a.view.name ?? a.file.file) < (b.view.name ?? b.file.file) ? -1 : 1);
    });
}

function viewOf(
  { file, builtIn, used, reason }: FileState<{ readonly name: string }>,
  droppedIn: ReadonlySet<string>,
): FileView {
  const replaced = builtIn && used !== undefined && droppedIn.has(used.value.name);
  return {
    name: used?.value.name ?? null,
    file,
    source: builtIn ? "built-in" : "drop-in",
    state: used === undefined ? "failed" : replaced ? "replaced" : "loaded",
    reason: reason?.replace(`${file}: `, "") ?? null,
  };
}
