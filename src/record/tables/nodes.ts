import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Processes on this database, if it is on a server. Times of these tables come from the server's clock. */
export const nodes = sqliteTable("nodes", {
  id: text().primaryKey(),
  /** The current run of the process: two runs with the same node id mean a copied data directory. */
  run: text().notNull(),
  started_at: integer().notNull(),
  seen_at: integer().notNull(),
});

/** Tasks that only one node at a time performs. */
export const leases = sqliteTable("leases", {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: integer().notNull(),
});

/** Numbers that nodes reserve before they write; `next` is free. */
export const sequences = sqliteTable("sequences", { name: text().primaryKey(), next: integer().notNull() });

/** Request ids that clients chose, until their records are visible to all nodes. */
export const claimedIds = sqliteTable(
  "claimed_ids",
  { id: text().primaryKey(), claimed_at: integer().notNull() },
  (t) => [index("claimed_ids_at").on(t.claimed_at)],
);

/** How much of a limit each node may use in the limit's window. */
export const shares = sqliteTable(
  "shares",
  {
    limit_key: text().notNull(),
    node: text().notNull(),
    amount: real().notNull(),
    until: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.limit_key, t.node] }), index("shares_until").on(t.until)],
);
