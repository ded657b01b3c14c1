import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import Database from "libsql";

interface StoredFile {
  readonly path: string;
  readonly content: Buffer;
}

/** The files below a directory in which a service may be running: those that it removes meanwhile are left out. */
export function storedFiles(directory: string): readonly StoredFile[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }) as Dirent[];
  return entries.flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const content = present(() => readFileSync(path));
    return content === undefined ? [] : [{ path, content }];
  });
}

/** What `read` finds; undefined if the file is not there any more. */
export function present<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Everything in the files of a directory, as text in which a planted secret would stand. */
export function filesBelow(directory: string): string {
  return storedFiles(directory)
    .map(({ content }) => content.toString("latin1"))
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
