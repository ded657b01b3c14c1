import type { CredentialForm, GatewayPlugin, ProviderPlugin } from "./contract.ts";
import type { FileState } from "./files/reload.ts";
import type { OpenPlugin } from "./setup.ts";

/** One file of a provider or plugin as another thread sees it. */
export interface FileView {
  /** Null where the file never loaded: nobody knows its name. */
  readonly name: string | null;
  readonly file: string;
  readonly source: "built-in" | "drop-in";
  /** `replaced`: a drop-in of the same name is used in its place. `failed`: nothing of the file is in use. */
  readonly state: "loaded" | "replaced" | "failed";
  /** Why the file as it is now is not in use; where it is loaded all the same, an earlier version is. */
  readonly reason: string | null;
}

export interface ProviderView extends FileView {
  readonly aliases: readonly string[];
  readonly hosts: readonly string[];
  readonly target: string | null;
  /** First label of its own gateway address. */
  readonly dedicatedDomain: string | null;
  readonly extends: string | null;
  /** What its credentials are made of; null for a key alone. */
  readonly credential: CredentialForm | null;
  /** Whether it says itself what requests cost. */
  readonly hasCostRule: boolean;
}

export interface PluginView extends FileView {
  /** Names of the hooks that it has in this thread. */
  readonly hooks: readonly string[];
  /** Endpoints that it answers, such as `GET /v1/domains`. */
  readonly routes: readonly string[];
}

/** How a thread's plugins are doing. */
export interface HookHealth {
  /** `<plugin> <hook>` to the number of calls that threw or took too long, since the start. */
  readonly failures: Readonly<Record<string, number>>;
  /** Broken files and hooks that are switched off, a sentence each. */
  readonly degraded: readonly string[];
}

/** @param inUse - with what each takes over from the one that it extends. */
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

/** What is wrong comes first, then by name. */
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
