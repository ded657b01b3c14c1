import type { Deadline } from "../database/deadline.ts";
import type { Database } from "../store.ts";
import { type FileSchema, type PageOwners, pageOwners } from "./page-owners.ts";

/** What the pages of the database files hold. */
type StoredPart = "rows" | "indexes" | "columns" | "packs" | "search" | "older" | "free";

/** Bytes of each part in both files together, including logs. */
export interface StoredParts {
  readonly bytes: Readonly<Record<StoredPart, number>>;
  /** Whether the numbers are estimated from a sample of the pages. */
  readonly sampled: boolean;
  /** Milliseconds since 1970. */
  readonly measuredAt: number;
}

/** How long a measurement is reused. */
const GOOD_MS = 60_000;

/** Measures on demand and reuses the result for a minute. */
export class PartSizes {
  readonly #database: Database;
  #last: Promise<StoredParts | undefined> | undefined;
  #measuredAt = Number.NEGATIVE_INFINITY;

  /** @param database - a connection that reads both files. */
  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined when the files cannot be measured. */
  async current(deadline: Deadline): Promise<StoredParts | undefined> {
    const now = performance.now();
    if (this.#last === undefined || now - this.#measuredAt > GOOD_MS) {
      this.#measuredAt = now;
      this.#last = measure(this.#database, deadline);
      this.#last.catch(() => (this.#last = undefined)); // the next caller retries
    }
    return this.#last;
  }
}

async function measure(database: Database, deadline: Deadline): Promise<StoredParts | undefined> {
  const bytes = { rows: 0, indexes: 0, columns: 0, packs: 0, search: 0, older: 0, free: 0 };
  let sampled = false;
  for (const schema of ["main", "bodies_file"] as const) {
    const owners = await pageOwners(database, schema, deadline);
    if (owners === undefined) return undefined;
    const indexes = await indexNames(database, schema, deadline);
    add(bytes, owners, (name) => (schema === "main" ? partOfRecords(name, indexes) : partOfBodies(name)));
    sampled ||= owners.sampled;
  }
  const rounded = Object.entries(bytes).map(([part, value]) => [part, Math.round(value)]);
  return { bytes: Object.fromEntries(rounded), sampled, measuredAt: Date.now() };
}

function add(
  bytes: Record<StoredPart, number>,
  { owned, pageBytes }: PageOwners,
  partOf: (name: string) => StoredPart,
) {
  for (const [name, pages] of owned) bytes[name === "" ? "free" : partOf(name)] += pages * pageBytes;
}

async function indexNames(database: Database, schema: FileSchema, deadline: Deadline): Promise<ReadonlySet<string>> {
  const sql = `select name from ${schema}.sqlite_schema where type = 'index'`;
  const rows = await database.query<{ name: string }>({ sql, args: [] }, deadline.rest());
  return new Set(rows.map(({ name }) => name));
}

function partOfRecords(name: string, indexes: ReadonlySet<string>): StoredPart {
  // The indexes of the column store count as columns.
  if (/^(?:sqlite_autoindex_)?block/.test(name)) return "columns";
  return indexes.has(name) ? "indexes" : "rows";
}

function partOfBodies(name: string): StoredPart {
  if (/^words?_/.test(name)) return "search";
  const table = name.replace(/^sqlite_autoindex_/, "");
  return /^(?:texts|bodies|blobs|assets)/.test(table) ? "older" : "packs";
}
