import type { BodyStore } from "./bodies/body-store.ts";
import type { Database } from "./database/database.ts";

/**
 * Both databases. Locally they are two files, written in two transactions: bodies first, then records, so that every record
 * has its body. A connection of mode "read" sees the tables of both, through either member.
 */
export interface Store {
  readonly records: Database;
  /** The same object as `records` on a libSQL server. */
  readonly bodies: Database;
  /** The contents of requests and responses, which are stored in `bodies`. */
  readonly content: BodyStore;
  close(): Promise<void>;
}

/**
 * `read` is for records and may use a replica. `current` is for reading what was just written, and for data that must not
 * come from a cache. `change` is `write` for a database that must already exist: if a thread opened it while the file was
 * moved away, `write` would create an empty one, which the recorder would then take for the database.
 */
export type StoreMode = "write" | "change" | "read" | "current";
