import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Columnar copies of the records from `first_seq` to `last_seq`, for metrics over long periods. Blocks do not overlap and
 * are immutable; ranges without a block leave gaps; block numbers are never reused. Rows are ordered by organization, then
 * `seq`.
 */
export const blocks = sqliteTable(
  "blocks",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    first_seq: integer().notNull(),
    last_seq: integer().notNull(),
    rows: integer().notNull(),
    /** Number of records that a block cannot hold exactly: they are listed as changed permanently. */
    odd_rows: integer().notNull(),
    /** 1 if every property name has its column. */
    names_complete: integer().notNull(),
  },
  (t) => [index("blocks_held").on(t.last_seq, t.first_seq)],
);

/** The rows of a block that belong to an organization, and the time range in which they were created. */
export const blockParts = sqliteTable(
  "block_parts",
  {
    organization_id: text().notNull(),
    block: integer().notNull(),
    first_row: integer().notNull(),
    rows: integer().notNull(),
    first_created: integer().notNull(),
    last_created: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.block] })],
);

/** One column of a block, packed as described in `engine/libsql/column-store/packing.ts`. */
export const blockColumns = sqliteTable(
  "block_columns",
  {
    block: integer().notNull(),
    name: text().notNull(),
    data: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.block, t.name] })],
);

/** Records that are missing from their block, or changed since it was made; triggers write this table. */
export const blockChanges = sqliteTable("block_changes", {
  seq: integer().primaryKey(),
  /** 1 if a block that is being made includes it; the next change sets it to 0. */
  taken: integer().notNull().default(0),
});

/** One row: the `seq` up to which the triggers watch, and the process that is making a block. */
export const blockWatch = sqliteTable("block_watch", {
  id: integer().primaryKey(),
  seq: integer().notNull(),
  token: text().notNull(),
});
