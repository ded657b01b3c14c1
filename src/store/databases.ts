import type { BodyStore } from "./bodies/body-store.ts";
import type { Database } from "./database/database.ts";

/**
 * Both databases. Locally they are two files, written in two transactions: bodies first, records second, so that no
 * record is ever without its body. A connection of mode "read" sees the tables of both, whichever it is asked through.
 */
export interface Store {
  readonly records: Database;
  /** The same object as `records` on a libSQL server. */
  readonly bodies: Database;
  /** What was said in requests, which is in `bodies`. */
  readonly content: BodyStore;
  close(): Promise<void>;
}

/**
 * `read` is for records, and may go to a replica; `current` is for reading what was just written, and for what must not
 * be told from memory. `change` is `write` where the database must be there already: a thread that opened it while it was
 * moved away would leave an empty one in its place, which the recorder would then take for the database.
 */
export type StoreMode = "write" | "change" | "read" | "current";
