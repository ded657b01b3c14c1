import type { Deadline } from "../database/deadline.ts";
import type { Database } from "../store.ts";

/** Names of the database files on a reading connection. */
export type FileSchema = "main" | "bodies_file";

export interface PageOwners {
  readonly pageBytes: number;
  readonly pages: number;
  /** Pages of each table or index by name, estimated when pages were sampled; free pages have an empty name. */
  readonly owned: ReadonlyMap<string, number>;
  /** Whether the numbers are estimated from a sample of the pages. */
  readonly sampled: boolean;
}

/** Files with more pages are sampled: with this many samples a share of a third is accurate to one percent. */
const SAMPLES_MAX = 10_000;
/** Pages of the pointer map read at a time. */
const READ_AT_ONCE = 64;
/** Types of entries in the pointer map, and their length. */
const ROOT = 1;
const FREE = 2;
const ENTRY_BYTES = 5;
/** The root of SQLite's own pages. */
const SYSTEM = 1;
/** Longest chain of parents that is followed: a long body is one chain of pages. */
const STEPS_MAX = 100_000;
/** SQLite reserves the page at this byte for its locks. */
const LOCK_BYTE = 0x40000000;

/**
 * Finds the table or index that each page of a file belongs to. The file's pointer map, a thousandth of its size, names the
 * parent of each page; following parents leads to the root. With sampling, the cost does not grow with the file.
 *
 * @returns undefined when the file has no pointer map.
 */
export async function pageOwners(
  database: Database,
  schema: FileSchema,
  deadline: Deadline,
  samplesMax = SAMPLES_MAX,
): Promise<PageOwners | undefined> {
  const [file] = await database.query<{ pages: number; bytes: number; vacuum: number }>(
    {
      sql: `select (select page_count from pragma_page_count('${schema}')) as pages,
        (select page_size from pragma_page_size('${schema}')) as bytes,
        (select auto_vacuum from pragma_auto_vacuum('${schema}')) as vacuum`,
      args: [],
    },
    deadline.rest(),
  );
  if (file === undefined || file.vacuum === 0) return undefined;
  const roots = await database.query<{ name: string; root: number }>(
    { sql: `select name, rootpage as root from ${schema}.sqlite_schema where rootpage > 0`, args: [] },
    deadline.rest(),
  );
  const map = new PointerMap(file.bytes);
  const sample = samplesOf(file.pages, samplesMax);
  const found = await map.rootsOf(sample, (pages) => readPages(database, schema, pages, deadline));
  const names = new Map(roots.map(({ name, root }) => [root, name]));
  const scale = file.pages / sample.length;
  const owned = new Map<string, number>();
  for (const root of found) {
    const name = root === 0 ? "" : (names.get(root) ?? "sqlite_schema");
    owned.set(name, (owned.get(name) ?? 0) + scale);
  }
  return { pageBytes: file.bytes, pages: file.pages, owned, sampled: file.pages > samplesMax };
}

/** All pages, or a random page from each of many equal parts of the file. */
function samplesOf(pages: number, most: number): number[] {
  const count = Math.min(pages, most);
  return Array.from({ length: count }, (_, at) => 1 + Math.floor(((at + Math.random()) * pages) / count));
}

async function readPages(database: Database, schema: FileSchema, pages: readonly number[], deadline: Deadline) {
  const rows = await database.query<{ pgno: number; data: Uint8Array }>(
    {
      sql: `select p.pgno, p.data from json_each(?) j cross join sqlite_dbpage('${schema}') p on p.pgno = j.value`,
      args: [JSON.stringify(pages)],
    },
    deadline.rest(),
  );
  return rows.map(({ pgno, data }) => [pgno, Buffer.from(data.buffer, data.byteOffset, data.byteLength)] as const);
}

type Read = (pages: readonly number[]) => Promise<readonly (readonly [page: number, content: Buffer])[]>;

/** The pointer map of one file, as far as it has been read. */
class PointerMap {
  readonly #pageBytes: number;
  /** Pages from one map page to the next. */
  readonly #stride: number;
  readonly #known = new Map<number, Buffer | undefined>();

  constructor(pageBytes: number) {
    this.#pageBytes = pageBytes;
    this.#stride = Math.floor(pageBytes / ENTRY_BYTES) + 1;
  }

  /** The root of each page's tree; 0 for a free page, `SYSTEM` for the pages of SQLite itself. */
  async rootsOf(pages: readonly number[], read: Read): Promise<number[]> {
    const at = pages.map((page) => ({ page, root: undefined as number | undefined, steps: 0 }));
    for (let open = at; open.length > 0; ) {
      const missing = new Set<number>();
      for (const each of open) each.root = this.#climb(each, missing);
      open = open.filter(({ root }) => root === undefined);
      const needed = [...missing].sort((a, b) => a - b);
      for (let from = 0; from < needed.length; from += READ_AT_ONCE) {
        const part = needed.slice(from, from + READ_AT_ONCE);
        for (const page of part) this.#known.set(page, undefined);
        for (const [page, content] of await read(part)) this.#known.set(page, content);
      }
    }
    return at.map(({ root }) => root!);
  }

  /**
   * Follows the parents as far as the map has been read, and notes the map page needed to continue.
   *
   * @returns the root, once it is reached.
   */
  #climb(from: { page: number; steps: number }, missing: Set<number>): number | undefined {
    for (;;) {
      const map = this.#mapPage(from.page);
      // In a file that changes meanwhile, parents may form a cycle.
      if (from.page < 2 || map === from.page || from.steps++ > STEPS_MAX) return SYSTEM;
      if (!this.#known.has(map)) {
        missing.add(map);
        return undefined;
      }
      const content = this.#known.get(map);
      const offset = (from.page - map - 1) * ENTRY_BYTES;
      if (content === undefined || offset < 0 || offset + ENTRY_BYTES > content.length) return SYSTEM;
      const kind = content[offset];
      if (kind === ROOT) return from.page;
      if (kind === FREE) return 0;
      from.page = content.readUInt32BE(offset + 1);
    }
  }

  /** The map page with the entry of this page; the page itself if it is a map page or the lock page. */
  #mapPage(page: number): number {
    const locks = Math.floor(LOCK_BYTE / this.#pageBytes) + 1;
    if (page < 2 || page === locks) return page;
    const map = Math.floor((page - 2) / this.#stride) * this.#stride + 2;
    return map === locks ? map + 1 : map;
  }
}
