import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import Database from "libsql";

/** Everything in the files of a directory, as text in which a planted secret would stand. */
export function filesBelow(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }) as Dirent[];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"))
    .join("\n");
}

/** The same of a data directory, with bodies as they are before compression. */
export function everythingStored(dataDirectory: string): string {
  const bodies = new Database(join(dataDirectory, "bodies.db"));
  bodies.exec("PRAGMA busy_timeout = 30000");
  const packs = bodies.prepare("select data from packs").all() as { data: Buffer }[];
  bodies.close();
  return [filesBelow(dataDirectory), ...packs.map(({ data }) => zstdDecompressSync(data).toString("latin1"))].join(
    "\n",
  );
}
