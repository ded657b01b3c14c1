import { join } from "node:path";
import type { Config } from "../../config.ts";
import { idInFile, nodeIdOf } from "../nodes/nodes.ts";
import { ObjectPacks } from "./object-packs.ts";
import type { ObjectWriterOptions } from "./object-writer.ts";
import { S3Store } from "./s3-store.ts";

/** The configured object store. */
export interface Objects {
  readonly packs: ObjectPacks;
  readonly writing: ObjectWriterOptions;
  /** Whether new bodies go there; otherwise existing ones are only read and removed. */
  readonly takesNew: boolean;
}

type BodiesConfig = Pick<
  Config,
  | "data_dir"
  | "database_url"
  | "bodies_engine"
  | "bodies_url"
  | "bodies_bucket"
  | "bodies_region"
  | "bodies_prefix"
  | "bodies_access_key_id"
  | "bodies_secret_access_key"
  | "bodies_pack_bytes"
>;

/** Undefined when no object store is configured. */
export function openObjects(config: BodiesConfig): Objects | undefined {
  const store = openObjectStore(config);
  if (store === undefined) return undefined;
  return {
    packs: new ObjectPacks(store),
    writing: {
      store,
      prefix: config.bodies_prefix,
      objectBytes: config.bodies_pack_bytes,
      directory: () => directoryOf(config),
    },
    takesNew: config.bodies_engine === "s3",
  };
}

/**
 * With several nodes, the node's id. For a local database it is an id that backups leave out: a restored copy of the
 * deployment must not take objects that the original wrote since for its own orphans.
 */
function directoryOf({ database_url: url, data_dir: path }: BodiesConfig): string {
  return url === "" || url.startsWith("file:") ? idInFile(join(path, "objects-id")) : nodeIdOf(path);
}

export function openObjectStore(config: BodiesConfig): S3Store | undefined {
  if (config.bodies_url === "" || config.bodies_bucket === "") return undefined;
  return new S3Store({
    url: config.bodies_url,
    bucket: config.bodies_bucket,
    region: config.bodies_region,
    accessKeyId: config.bodies_access_key_id,
    secretAccessKey: config.bodies_secret_access_key,
  });
}
