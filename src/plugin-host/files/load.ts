import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Config } from "../../config.ts";
import { fileProblem } from "../../file-problem.ts";
import { platform, shippedFolder } from "../../runtime/platform.ts";
import type { GatewayPlugin, ProviderPlugin } from "../contract.ts";
import { CutOff, inTime } from "../hooks/guard.ts";
import { checkPlugin, checkProvider, PluginError, type PluginKind } from "./check.ts";

/** Milliseconds for which loading a drop-in may wait. */
const LOAD_MS = 20_000;

/** A folder that is scanned for files of one kind. */
export interface PluginFolder {
  readonly path: string;
  /** Built-in: never changes at run time, and drop-ins may replace its files. */
  readonly builtIn: boolean;
}

/** One file, loaded and checked. */
export interface Loaded<T> {
  readonly value: T;
  readonly file: string;
  readonly builtIn: boolean;
  /** Hash of the file's bytes; a file with the same hash is not loaded again. */
  readonly hash: string;
}

export type LoadedProvider = Loaded<ProviderPlugin>;
export type LoadedPlugin = Loaded<GatewayPlugin>;

/** The folders of providers or plugins: first built-in, then drop-ins. */
export function pluginFolders(kind: PluginKind, config: Config): readonly PluginFolder[] {
  const shipped = { path: shippedFolder(kind === "provider" ? "providers" : "plugins"), builtIn: true };
  const dropIns = { path: kind === "provider" ? config.providers_dir : config.plugins_dir, builtIn: false };
  return [shipped, dropIns];
}

/**
 * Loads every file of the folders, in order. Collects all failures, so that one start shows them all.
 *
 * @throws PluginError for one failure, AggregateError of PluginErrors for several.
 */
export async function loadFolders<K extends PluginKind>(kind: K, folders: readonly PluginFolder[]) {
  const { loaded, failures } = await loadEach(kind, folders);
  if (failures.length === 1) throw failures[0]!.error;
  if (failures.length > 1) {
    const errors = failures.map(({ error }) => error);
    throw new AggregateError(errors, errors.map(({ message }) => message).join("\n"));
  }
  return loaded;
}

/** A file that could not be loaded. */
export interface FailedFile {
  readonly path: string;
  readonly builtIn: boolean;
  readonly error: Error;
}

/** Loads every file of the folders, in order, and returns the failures. */
export async function loadEach<K extends PluginKind>(kind: K, folders: readonly PluginFolder[]) {
  const files = (await Promise.all(folders.map(async (folder) => pluginFiles(folder)))).flat();
  const results = await Promise.allSettled(files.map(({ path, builtIn }) => loadFile(kind, path, builtIn)));
  const failures: readonly FailedFile[] = results.flatMap((result, at) =>
    result.status === "rejected" ? [{ ...files[at]!, error: result.reason as Error }] : [],
  );
  return { loaded: results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])), failures };
}

/** Files of a folder that are providers or plugins, by name; none if the folder does not exist. */
export async function pluginFiles(folder: PluginFolder): Promise<{ path: string; builtIn: boolean }[]> {
  const names = await readdir(folder.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new PluginError(folder.path, `the folder cannot be read: ${fileProblem(error)}`, error);
  });
  return names
    .filter((name) => /\.m?[jt]s$/.test(name) && !/^[._]|\.d\.m?ts$|\.test\.m?[jt]s$/.test(name))
    .sort()
    .map((name) => ({ path: join(folder.path, name), builtIn: folder.builtIn }));
}

/**
 * Loads and checks one file.
 *
 * The hash of its bytes is part of its module address: the same file is one module for all loads, and a
 * changed file is a new one. Memory of the replaced module is not freed (0.3 MB each), so this must follow real changes.
 *
 * @throws PluginError with file, position and reason.
 */
export async function loadFile<K extends PluginKind>(
  kind: K,
  path: string,
  builtIn: boolean,
  loadMs?: number,
): Promise<K extends "provider" ? LoadedProvider : LoadedPlugin>;
export async function loadFile(
  kind: PluginKind,
  path: string,
  builtIn: boolean,
  loadMs = LOAD_MS,
): Promise<LoadedProvider | LoadedPlugin> {
  const hash = createHash("sha256")
    .update(
      await readFile(path).catch((error: Error) => {
        throw new PluginError(path, fileProblem(error), error);
      }),
    )
    .digest("hex")
    .slice(0, 16);
  // A built-in file does not change, and inside a binary its path is its only address.
  const address = builtIn ? path : platform.moduleAddress(path, hash);
  const loading: Promise<{ readonly default?: unknown }> = import(address);
  const module = await (builtIn ? loading : inTime(loading, loadMs)).catch((error) => fail(path, error));
  return kind === "provider"
    ? { value: checkProvider(module.default, path), file: path, builtIn, hash }
    : { value: checkPlugin(module.default, path), file: path, builtIn, hash };
}

/** A failure to load, with the position in the file if the runtime has one. */
function fail(path: string, error: unknown): never {
  const { position } = error as { position?: { line?: number; column?: number } | null };
  const first = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : undefined;
  if (first !== undefined) fail(path, first);
  const place =
    position?.line === undefined ? placeInStack(error, path) : `line ${position.line}, column ${position.column}: `;
  if (error instanceof CutOff) throw new PluginError(path, `loading it ${error.message}`, error);
  const message = error instanceof Error ? error.message : String((error as { message?: unknown })?.message ?? error);
  throw new PluginError(path, `${place}${message.split("?v=")[0]!.split("\n")[0]}${hint(path, message)}`, error);
}

function placeInStack(error: unknown, path: string): string {
  const text = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : "";
  const at = new RegExp(`${RegExp.escape(basename(path))}(?:\\?v=[0-9a-f]+)?:(\\d+):(\\d+)`).exec(text);
  return at === null ? "" : `line ${at[1]}, column ${at[2]}: `;
}

function hint(path: string, message: string): string {
  if (path.includes("?") && message.startsWith("Cannot find module"))
    return "; the runtime finds no file with a question mark in its path: name it otherwise";
  return /weir\/plugin|Cannot find (package|module) 'weir/.test(message)
    ? '; import only types from "weir/plugin", with "import type"'
    : "";
}

/** The last of several files with one name, so that a drop-in replaces a built-in. */
export function byName<T extends { readonly name: string }>(
  loaded: readonly Loaded<T>[],
): ReadonlyMap<string, Loaded<T>> {
  const named = new Map<string, Loaded<T>>();
  for (const each of loaded) {
    const before = named.get(each.value.name);
    if (before !== undefined && before.builtIn === each.builtIn) {
      throw new PluginError(each.file, `the name "${each.value.name}" is taken by ${before.file}`);
    }
    if (before === undefined || before.builtIn) named.set(each.value.name, each);
  }
  return named;
}
