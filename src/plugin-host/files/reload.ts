import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { type Log, messageOf } from "../../log.ts";
import type { GatewayPlugin, ProviderPlugin } from "../contract.ts";
import { PluginError, type PluginKind } from "./check.ts";
import { checkInThread } from "./check-thread.ts";
import { type Loaded, loadFile, loadFolders, type PluginFolder, pluginFiles } from "./load.ts";

/** Milliseconds between two scans of the folders; `fs.watch` only triggers them earlier. */
const LOOK_MS = 2_000;
/** Milliseconds for loading a changed file, per attempt: a slow machine must not reject a valid file. */
const CHECK_MS = [2_000, 4_000, 8_000] as const;

type Value<K extends PluginKind> = K extends "provider" ? ProviderPlugin : GatewayPlugin;

export interface DropInChange {
  readonly kind: PluginKind;
  readonly file: string;
  readonly state: "loaded" | "failed" | "gone";
  /** Why it failed. */
  readonly reason?: string;
}

interface WatchOptions<K extends PluginKind> {
  readonly kind: K;
  readonly folders: readonly PluginFolder[];
  readonly log: Log;
  /** Called with the complete set of files at startup and after each change. If it throws, the previous set stays. */
  readonly use: (loaded: readonly Loaded<Value<K>>[]) => void | Promise<void>;
  /** Drop-ins that were loaded, removed, or failed to load; after a failure the previous version stays. */
  readonly onChange?: ((changes: readonly DropInChange[]) => void) | undefined;
}

/** One file of the folders: the version in use, and why a newer version is not. */
export interface FileState<T> {
  readonly file: string;
  readonly builtIn: boolean;
  /** The version in use; undefined if there never was a valid one. */
  readonly used: Loaded<T> | undefined;
  /** Why the current file is not in use; undefined if it is. */
  readonly reason: string | undefined;
}

/** Watched folders. A broken change keeps the previous version and is listed in `degraded`. */
interface Watched<T> {
  /** Current errors, one sentence per file. */
  degraded(): readonly string[];
  /** Every file that is in use or should be. */
  files(): readonly FileState<T>[];
  /** Scans now; resolves when the result is in use. */
  look(): Promise<void>;
  close(): void;
}

/**
 * Loads the folders and reloads what changes in them.
 *
 * @throws PluginError, or AggregateError of several, if a file does not load at startup.
 */
export async function watchFolders<K extends PluginKind>(options: WatchOptions<K>): Promise<Watched<Value<K>>> {
  const folders = new Folders(options);
  await folders.start();
  return folders;
}

interface Change<K extends PluginKind> {
  readonly file: string;
  /** The newest version; undefined if the file is gone. */
  readonly to: Loaded<Value<K>> | undefined;
}

class Folders<K extends PluginKind> implements Watched<Value<K>> {
  readonly #options: WatchOptions<K>;
  readonly #dropIns: readonly PluginFolder[];
  /** The newest valid version of every file. */
  #loaded: readonly Loaded<Value<K>>[] = [];
  /** The last set that `use` accepted; it differs if the newest versions are incompatible. */
  #used: readonly Loaded<Value<K>>[] = [];
  /** By path: the last result of `stat`. */
  #seen = new Map<string, string>();
  /** By path: why the current file cannot be used. */
  readonly #broken = new Map<string, string>();
  /** By path: how often the current file took too long to load. */
  readonly #slow = new Map<string, number>();
  /** By path: why the newest version, or the removal, is incompatible with the other files. */
  #misfits: ReadonlyMap<string, string> = new Map();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #watchers = new Map<string, FSWatcher>();
  #looking: Promise<void> = Promise.resolve();
  #hinted = false;

  constructor(options: WatchOptions<K>) {
    this.#options = options;
    this.#dropIns = options.folders.filter(({ builtIn }) => !builtIn);
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  async start(): Promise<void> {
    try {
      // Marks first, then files: the next scan then detects a change in between.
      this.#seen = await this.#marks();
      this.#loaded = (await loadFolders(this.#options.kind, this.#options.folders)) as Loaded<Value<K>>[];
      await this.#options.use(this.#loaded);
      this.#used = this.#loaded;
      this.#notify(this.#loaded.filter(({ builtIn }) => !builtIn).map(({ file }) => file));
      this.#watch();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  degraded(): readonly string[] {
    const { kind } = this.#options;
    return [...this.#broken.values(), ...new Set(this.#misfits.values())].map(
      (reason) => `${kind} ${reason}; the previous version is kept`,
    );
  }

  files(): readonly FileState<Value<K>>[] {
    const good = [...this.#used, ...this.#loaded].map(({ file }) => file);
    return [...new Set([...good, ...this.#broken.keys()])].map((file) => {
      const used = this.#used.find((each) => each.file === file);
      const newest = this.#loaded.find((each) => each.file === file);
      const reason = this.#broken.get(file) ?? (newest === used ? undefined : this.#misfits.get(file));
      return { file, builtIn: (used ?? newest)?.builtIn ?? false, used, reason };
    });
  }

  look(): Promise<void> {
    this.#looking = this.#looking.then(() =>
      this.#look().catch((error) => this.#options.log.error("cannot scan for drop-ins", { error: messageOf(error) })),
    );
    return this.#looking;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #look(): Promise<void> {
    const marks = await this.#marks();
    const changed = [...marks].filter(([path, mark]) => this.#seen.get(path) !== mark).map(([path]) => path);
    const gone = [...this.#seen.keys()].filter((path) => !marks.has(path));
    this.#seen = marks;
    this.#watch();
    if (changed.length === 0 && gone.length === 0) return;
    for (const path of gone) {
      this.#broken.delete(path);
      this.#slow.delete(path);
    }
    const kept = this.#loaded.filter(({ file, builtIn }) => builtIn || !gone.includes(file));
    const next = (await Promise.all(changed.map((path) => this.#load(path)))).filter((each) => each !== undefined);
    // Makes a file that was only slow look changed to the next scan.
    for (const path of this.#slow.keys()) this.#seen.delete(path);
    const replaced = new Set(next.map(({ file }) => file));
    this.#loaded = inOrder([...kept.filter(({ file }) => !replaced.has(file)), ...next]);
    await this.#use();
    this.#notify([...changed, ...gone]);
  }

  #notify(paths: readonly string[]): void {
    const { kind, onChange } = this.#options;
    if (onChange === undefined || paths.length === 0) return;
    const files = this.files();
    onChange(
      paths.map((file) => {
        const reason = this.#broken.get(file) ?? files.find((each) => each.file === file)?.reason;
        if (reason !== undefined) return { kind, file, state: "failed", reason };
        return { kind, file, state: this.#used.some((each) => each.file === file) ? "loaded" : "gone" };
      }),
    );
  }

  /** The changed file; undefined if it is broken or its bytes are already loaded. */
  async #load(path: string): Promise<Loaded<Value<K>> | undefined> {
    const { kind, log } = this.#options;
    try {
      const tries = this.#slow.get(path) ?? 0;
      this.#slow.delete(path);
      const failure = await checkInThread({ kind, path }, CHECK_MS[tries]);
      if (failure?.slow && tries + 1 < CHECK_MS.length) this.#slow.set(path, tries + 1);
      if (failure !== null) throw new PluginError(path, failure.reason);
      const loaded = (await loadFile(kind, path, false)) as Loaded<Value<K>>;
      this.#broken.delete(path);
      const before = this.#loaded.find(({ file }) => file === path);
      return before?.hash === loaded.hash ? before : loaded;
    } catch (error) {
      this.#broken.set(path, messageOf(error));
      log.error("a changed drop-in is broken, the previous version is kept", { reason: messageOf(error) });
      return undefined;
    }
  }

  /**
   * Uses the loaded files. If they are incompatible, uses each change that works by itself: a conflict between two files
   * must not block the others.
   */
  async #use(): Promise<void> {
    const gone = this.#used.filter(({ file }) => !this.#loaded.some((each) => each.file === file));
    let left: readonly Change<K>[] = [
      ...this.#loaded.filter((each) => !this.#used.includes(each)).map((to) => ({ file: to.file, to })),
      ...gone.map(({ file }) => ({ file, to: undefined })),
    ];
    const misfits = new Map<string, string>();
    if (left.length > 0 && (await this.#try(this.#loaded, left)) !== undefined) {
      // One working change may enable another.
      for (let before = left.length + 1; left.length < before; ) {
        before = left.length;
        for (const change of left) {
          const others = this.#used.filter(({ file }) => file !== change.file);
          const set = change.to === undefined ? others : inOrder([...others, change.to]);
          const failure = await this.#try(set, [change]);
          if (failure === undefined) misfits.delete(change.file);
          else misfits.set(change.file, failure);
        }
        left = left.filter(({ file }) => misfits.has(file));
      }
    }
    this.#misfits = misfits;
    for (const reason of new Set(misfits.values()))
      this.#options.log.error("changed drop-ins are incompatible, the previous version is kept", { reason });
  }

  /** @returns why these are incompatible; undefined if they are compatible and in use. */
  async #try(set: readonly Loaded<Value<K>>[], changes: readonly Change<K>[]): Promise<string | undefined> {
    const { kind, use, log } = this.#options;
    try {
      await use(set);
    } catch (error) {
      return messageOf(error);
    }
    this.#used = set;
    log.info(`drop-in ${kind}s are reloaded`, { files: changes.map(({ file }) => file).join(", ") });
    return undefined;
  }

  /** For every drop-in, a mark that changes with the file. Files that disappear meanwhile are skipped. */
  async #marks(): Promise<Map<string, string>> {
    const files = (await Promise.all(this.#dropIns.map((folder) => pluginFiles(folder)))).flat();
    const marks = await Promise.all(
      files.map(async ({ path }) => {
        const found = await stat(path).catch(() => undefined);
        return found?.isFile() ? ([path, `${found.ino} ${found.size} ${found.mtimeMs}`] as const) : undefined;
      }),
    );
    return new Map(marks.filter((mark) => mark !== undefined));
  }

  /** File-system notifications, if available: there are none for a replaced or missing folder. */
  #watch(): void {
    for (const { path } of this.#dropIns) {
      if (this.#watchers.has(path)) continue;
      try {
        const watcher = watch(path, { persistent: false }, () => this.#hint());
        watcher.on("error", () => this.#watchers.delete(path));
        this.#watchers.set(path, watcher);
      } catch {
        // The folder does not exist yet: the next scan tries again, and finds its files by itself.
      }
    }
  }

  /** Events come in bursts while a file is written; one slightly later scan sees the result. */
  #hint(): void {
    if (this.#hinted) return;
    this.#hinted = true;
    setTimeout(() => {
      this.#hinted = false;
      void this.look();
    }, 50).unref();
  }
}

/** Built-ins first, then by name. */
function inOrder<T>(loaded: readonly Loaded<T>[]): Loaded<T>[] {
  return loaded.toSorted((a, b) => Number(b.builtIn) - Number(a.builtIn) || (a.file < b.file ? -1 : 1));
}
