import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Store, StoreMode } from "../databases.ts";
import type { Objects } from "../objects/open-objects.ts";
import { LocalPackIds } from "../packs/pack-ids.ts";
import { PackStore } from "../packs/pack-store.ts";
import { LocalReader } from "./local-reader.ts";
import { type Layout, LocalWriter, PAGE_BYTES } from "./local-writer.ts";

const RECORDS_FILE: Layout = { pageBytes: PAGE_BYTES.records, logPages: 4_000 };
const BODIES_FILE: Layout = { pageBytes: PAGE_BYTES.bodies, logPages: 8_000 };

/** The bodies' file, in the same directory as the records' file. */
export function bodiesPath(path: string): string {
  return join(dirname(path), "bodies.db");
}

interface LocalOptions {
  /** Page cache of each file's connection for writing, in kilobytes. */
  readonly cacheKb?: number | undefined;
  /** The object store for bodies, when they are not in the file. */
  readonly objects?: Objects | undefined;
}

/** Opens the records' file at `path` and `bodies.db` in the same directory. */
export function openLocal(path: string, mode: StoreMode, { cacheKb, objects }: LocalOptions = {}): Store {
  if (mode === "read" || mode === "current") {
    const both = new LocalReader(path, bodiesPath(path), objects?.packs);
    const content = new PackStore(both, new LocalPackIds(both, bodiesPath(path)), objects);
    return { records: both, bodies: both, content, close: () => both.close() };
  }
  const makes = mode === "write";
  if (makes) mkdirSync(dirname(path), { recursive: true });
  const records = new LocalWriter(path, makes, { ...RECORDS_FILE, cacheKb });
  const bodies = new LocalWriter(bodiesPath(path), makes, { ...BODIES_FILE, cacheKb, objects: objects?.packs });
  return {
    records,
    bodies,
    content: new PackStore(bodies, new LocalPackIds(bodies, bodiesPath(path)), objects),
    close: async () => {
      await records.close();
      await bodies.close();
    },
  };
}
