import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config.ts";
import { inspectFile, newestVersion } from "../../store/database/snapshot.ts";
import { CREDENTIALS_KEY, occupied, placeOf } from "../database-places.ts";
import type { Step } from "./backup.ts";
import { extract } from "./extract.ts";
import type { Manifest } from "./manifest.ts";
import { RestoreError } from "./restore-error.ts";

interface RestoreOptions {
  readonly config: Config;
  readonly source: string;
  /** Replace the contents of the data directory. Without it, the directory must be empty. */
  readonly force: boolean;
  readonly onStep: (step: Step) => void;
}

/** SQLite's files beside a database file. */
const SIDES = ["-wal", "-shm"] as const;

/**
 * Restores a backup into the data directory. The service must not be running: hold the directory's lock.
 *
 * Everything is first unpacked next to its target and verified: every file against its checksum, the databases for soundness
 * and for the row counts at the time of the copy. Only then is anything replaced.
 *
 * @throws RestoreError if the backup is not sound or does not match this configuration.
 */
export async function restore({ config, source, force, onStep }: RestoreOptions): Promise<Manifest> {
  const there = occupied(config);
  if (there.length > 0 && !force) {
    throw new RestoreError(`${there[0]} already exists; --force replaces it, or set another WEIR_DATA_DIR`);
  }
  const partial = join(config.data_dir, "restore.partial");
  const replaced = join(config.data_dir, "replaced.partial");
  for (const each of [partial, replaced]) fs.rmSync(each, { recursive: true, force: true });
  fs.mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    const manifest = await extract(source, partial, onStep);
    await verify(manifest, partial, config, onStep);
    replace(manifest, partial, replaced, config);
    return manifest;
  } finally {
    for (const each of [partial, replaced]) fs.rmSync(each, { recursive: true, force: true });
  }
}

async function verify(manifest: Manifest, folder: string, config: Config, onStep: RestoreOptions["onStep"]) {
  if (manifest.region !== config.region) {
    throw new RestoreError(`the backup is of region "${manifest.region}", and region = "${config.region}" here`);
  }
  const homeless = [...partsOf(manifest)].find((name) => placeOf(config, name) === undefined);
  if (homeless !== undefined) {
    const why = homeless.startsWith("eu/")
      ? "set WEIR_EU_DATABASE_URL or another eu_ key"
      : "this configuration has no place for it";
    throw new RestoreError(`the backup contains ${homeless}: ${why}`);
  }
  for (const [name, { kind, version, rows }] of Object.entries(manifest.databases)) {
    if (version > newestVersion(kind)) {
      throw new RestoreError(
        `${name} has version ${version}, this program knows ${newestVersion(kind)}: use the newer Weir (${manifest.weir})`,
      );
    }
    const path = join(folder, name);
    onStep({ name: `${name}: verifying`, done: 0, total: fs.statSync(path).size });
    const found = await inspectFile(path, kind, { soundness: true, counts: true });
    if (found.faults.length > 0) throw new RestoreError(`${name} is damaged: ${found.faults[0]}`);
    for (const [table, count] of Object.entries(rows)) {
      if (found.rows[table] === count) continue;
      throw new RestoreError(`${name} has ${found.rows[table] ?? 0} rows of ${table}, and had ${count}`);
    }
  }
}

/** Existing files are moved aside first, so that they survive a failure. */
function replace(manifest: Manifest, partial: string, replaced: string, config: Config): void {
  fs.mkdirSync(replaced, { mode: 0o700 });
  for (const [at, path] of occupied(config).entries()) {
    for (const side of ["", ...SIDES]) {
      if (fs.existsSync(path + side)) move(path + side, join(replaced, `${at}${side}`));
    }
  }
  for (const name of partsOf(manifest)) {
    const to = placeOf(config, name)!;
    fs.mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    if (name === CREDENTIALS_KEY) {
      addKeys(join(partial, name), to);
      continue;
    }
    move(join(partial, name), to);
  }
}

/** An existing key may be the only one for some secret: keep it, after those of the backup. */
function addKeys(from: string, to: string): void {
  const own = fs.existsSync(to) ? fs.readFileSync(to, "utf8") : "";
  const keys = `${fs.readFileSync(from, "utf8")}\n${own}`.split(/[\s,]+/).filter((key) => key !== "");
  fs.writeFileSync(`${to}.new`, `${[...new Set(keys)].join("\n")}\n`, { mode: 0o600 });
  fs.renameSync(`${to}.new`, to);
}

/** Items that are moved as a whole: databases, spools and folders. */
function partsOf({ files, databases }: Manifest): ReadonlySet<string> {
  const parts = Object.keys(files).map((name) => {
    if (databases[name] !== undefined) return name;
    return /^(?:eu\/)?[^/]+/.exec(name)![0];
  });
  return new Set(parts);
}

/** A database file may be on another disk than the data directory. */
function move(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    fs.cpSync(from, to, { recursive: true });
    fs.rmSync(from, { recursive: true });
  }
}
