import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, europeanConfig } from "../config.ts";
import { madeKeyPath } from "../credentials/keyring.ts";
import { bodiesPath } from "../store/database/local.ts";
import type { FileKind } from "../store/database/snapshot.ts";
import { localPath } from "../store/store.ts";

/** A database file of the deployment, and its name in a backup. */
export interface DatabasePlace {
  readonly kind: FileKind;
  readonly path: string;
  readonly name: string;
}

/** One region's part of the deployment: its records and its spool. */
export interface RegionPlaces {
  readonly config: Config;
  /** The records' file first: its copy must start before that of the bodies, so that no record in it lacks its body. */
  readonly databases: readonly DatabasePlace[];
  readonly spool: string;
  /** The spool's name in a backup. */
  readonly spoolName: string;
  /** The file with the name under which a server stores the read position of this spool; none without a server. */
  readonly nodeId: string;
  readonly nodeIdName: string;
}

/** Directories in the data directory that a backup includes, besides spools. The cache is not worth copying. */
export const KEPT_FOLDERS = ["state", "providers", "plugins"] as const;

/** Name of the generated credentials key in a backup, if it is included. */
export const CREDENTIALS_KEY = "credentials.key";

/** The region of the deployment, and the European pair if there is one. */
export function regionsOf(config: Config): readonly RegionPlaces[] {
  const pair = europeanConfig(config);
  return [placesOf(config, ""), ...(pair === undefined ? [] : [placesOf(pair, "eu/")])];
}

export function databasePlaces(config: Config): readonly DatabasePlace[] {
  return regionsOf(config).flatMap(({ databases }) => databases);
}

/** The path that a file or directory of a backup is restored to; undefined when this configuration has none. */
export function placeOf(config: Config, name: string): string | undefined {
  for (const { databases, spool, spoolName, nodeId, nodeIdName } of regionsOf(config)) {
    const database = databases.find((place) => place.name === name);
    if (database !== undefined) return database.path;
    if (spoolName === name) return spool;
    if (nodeIdName === name) return nodeId;
  }
  if (name === CREDENTIALS_KEY) return madeKeyPath(config);
  return (KEPT_FOLDERS as readonly string[]).includes(name) ? join(config.data_dir, name) : undefined;
}

/** The files that a restore would overwrite. */
export function occupied(config: Config): readonly string[] {
  const regions = regionsOf(config).flatMap(({ databases, spool, nodeId }) => [
    ...databases.map(({ path }) => path),
    spool,
    nodeId,
  ]);
  const folders = KEPT_FOLDERS.map((name) => join(config.data_dir, name));
  return [...regions, ...folders].filter((path) => existsSync(path));
}

function placesOf(config: Config, prefix: string): RegionPlaces {
  const path = localPath(config);
  const databases: DatabasePlace[] =
    path === undefined
      ? []
      : [
          { kind: "records", path, name: `${prefix}weir.db` },
          { kind: "bodies", path: bodiesPath(path), name: `${prefix}bodies.db` },
        ];
  return {
    config,
    databases,
    spool: join(config.data_dir, "spool"),
    spoolName: `${prefix}spool`,
    nodeId: join(config.data_dir, "node-id"),
    nodeIdName: `${prefix}node-id`,
  };
}
