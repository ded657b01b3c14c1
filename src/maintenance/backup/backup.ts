import * as fs from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { madeKeyPath } from "../../credentials/keyring.ts";
import { inspectFile, snapshotFile } from "../../store/database/snapshot.ts";
import { CREDENTIALS_KEY, type DatabasePlace, KEPT_FOLDERS, type RegionPlaces, regionsOf } from "../database-places.ts";
import { type Archive, openArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { SpoolKeeper } from "./spool-keeper.ts";

/** Milliseconds between two progress checks of a copy. */
const WATCH_EVERY_MS = 250;

/** The progress of a backup or a restore. `total` is the expected number of bytes; the result may differ. */
export interface Step {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

interface BackupOptions {
  readonly config: Config;
  /** A directory, or a file that ends in `.tar`. */
  readonly target: string;
  readonly version: string;
  /** Includes `credentials.key`: the backup then gives access to the providers' keys. */
  readonly withCredentialsKey?: boolean;
  readonly onStep: (step: Step) => void;
}

/**
 * Copies the data of a deployment, also while it runs: both databases, the spool, plugins' state, drop-ins.
 *
 * The order keeps the parts consistent. Spool files are held open before the records' file is copied, so everything that
 * this copy has not read yet is in the backup; the bodies' file is copied after it, so every record in the copy has its
 * body. The next start detects data that is in both a spool file and a database, as after a crash.
 */
export async function backUp({
  config,
  target,
  version,
  onStep,
  withCredentialsKey = false,
}: BackupOptions): Promise<Manifest> {
  const archive = openArchive(target);
  try {
    const databases: Record<string, Manifest["databases"][string]> = {};
    for (const region of regionsOf(config)) Object.assign(databases, await copyRegion(region, archive, onStep));
    for (const folder of KEPT_FOLDERS) await copyFolder(config.data_dir, folder, archive);
    const key = madeKeyPath(config);
    if (withCredentialsKey && fs.existsSync(key)) await copyFile(key, CREDENTIALS_KEY, archive);
    const manifest: Manifest = {
      format: 1,
      weir: version,
      created_at: new Date().toISOString(),
      region: config.region,
      database: Object.keys(databases).length === 0 ? "server" : "files",
      databases,
      files: archive.files,
    };
    await archive.finish(manifest);
    return manifest;
  } catch (error) {
    await archive.abort();
    throw error;
  }
}

async function copyRegion(region: RegionPlaces, archive: Archive, onStep: BackupOptions["onStep"]) {
  const { databases, spool, spoolName, nodeId, nodeIdName } = region;
  const keeper = new SpoolKeeper(spool);
  try {
    const copied: Record<string, Manifest["databases"][string]> = {};
    for (const place of databases) {
      copied[place.name] = await copyDatabase(place, archive, onStep);
      if (place.kind === "records") keeper.stop();
    }
    keeper.stop();
    for (const { name, fd, bytes } of keeper.files()) {
      onStep({ name: `${spoolName}/${name}`, done: 0, total: bytes });
      await archive.add(`${spoolName}/${name}`, fd, bytes);
    }
    if (fs.existsSync(nodeId)) await copyFile(nodeId, nodeIdName, archive);
    return copied;
  } finally {
    keeper.close();
  }
}

async function copyDatabase(place: DatabasePlace, archive: Archive, onStep: BackupOptions["onStep"]) {
  const { kind, path, name } = place;
  const copy = archive.scratch(name);
  // Of a small or busy database most is in its log.
  const total = fs.statSync(path).size + (fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const watch = setInterval(() => {
    onStep({ name, done: fs.statSync(copy, { throwIfNoEntry: false })?.size ?? 0, total });
  }, WATCH_EVERY_MS);
  try {
    onStep({ name, done: 0, total });
    await snapshotFile(path, copy);
  } finally {
    clearInterval(watch);
  }
  const { version, rows } = await inspectFile(copy, kind, { counts: true });
  await archive.keep(name);
  return { kind, version, rows };
}

/** Small files that are written completely or by appending; files that vanish meanwhile are skipped. */
async function copyFolder(root: string, folder: string, archive: Archive): Promise<void> {
  const path = join(root, folder);
  if (!fs.existsSync(path)) return;
  const names = fs.readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
  for (const name of names) {
    const found = fs.statSync(join(path, name), { throwIfNoEntry: false });
    if (!found?.isFile()) continue;
    await copyFile(join(path, name), `${folder}/${name.replaceAll("\\", "/")}`, archive);
  }
}

async function copyFile(path: string, name: string, archive: Archive): Promise<void> {
  const fd = fs.openSync(path, "r");
  try {
    await archive.add(name, fd, fs.fstatSync(fd).size);
  } finally {
    fs.closeSync(fd);
  }
}
