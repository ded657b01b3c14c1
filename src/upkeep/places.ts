import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { bodiesPath } from "../store/local.ts";
import type { FileKind } from "../store/snapshot.ts";
import { localPath } from "../store/store.ts";

/** A database file of the deployment, and what it is called in a backup. */
export interface DatabasePlace {
  readonly kind: FileKind;
  readonly path: string;
  readonly name: string;
}

/** Directories in the data directory that a backup takes along, apart from the spool. What is cached is not worth it. */
export const KEPT_FOLDERS = ["state", "providers", "plugins"] as const;

/** The records' file first: its copy must be begun before that of the bodies, so that no record in it lacks its body. */
export function databasePlaces(config: Config): readonly DatabasePlace[] {
  const path = localPath(config);
  if (path === undefined) return [];
  return [
    { kind: "records", path, name: "weir.db" },
    { kind: "bodies", path: bodiesPath(path), name: "bodies.db" },
  ];
}

export function spoolPlace(config: Config): string {
  return join(config.data_dir, "spool");
}

/** The place that a file of a backup is restored to. */
export function placeOf(config: Config, name: string): string {
  return databasePlaces(config).find((place) => place.name === name)?.path ?? join(config.data_dir, name);
}

/** What a restore would overwrite. */
export function occupied(config: Config): readonly string[] {
  const folders = ["spool", ...KEPT_FOLDERS].map((name) => join(config.data_dir, name));
  return [...databasePlaces(config).map(({ path }) => path), ...folders].filter((path) => existsSync(path));
}
