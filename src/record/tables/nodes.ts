import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Programs on this database, where it is a server's. Times of these tables are the server's own clock. */
export const nodes = sqliteTable("nodes", {
  id: text().primaryKey(),
  /** Of the program that runs now: two with the same node id are a copied data directory. */
  run: text().notNull(),
  started_at: integer().notNull(),
  seen_at: integer().notNull(),
});

/** What one node at a time does. */
export const leases = sqliteTable("leases", {
  name: text().primaryKey(),
  holder: text().notNull(),
  until: integer().notNull(),
});

/** Numbers that nodes take before they write; `next` is free. */
export const sequences = sqliteTable("sequences", { name: text().primaryKey(), next: integer().notNull() });

/** Request ids that clients chose, until their records are there for everybody to see. */
export const claimedIds = sqliteTable(
  "claimed_ids",
  { id: text().primaryKey(), claimed_at: integer().notNull() },
  (t) => [index("claimed_ids_at").on(t.claimed_at)],
);

/** How much of a limit each node may let through in the limit's window. */
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
