import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Columns of the records from `first_seq` to `last_seq`, side by side, for metrics over long times. Blocks do not
 * overlap and are never changed; there are gaps between them where none was made yet; their numbers are never used twice. Rows are in the order of organization
 * and then `seq`.
 */
export const blocks = sqliteTable(
  "blocks",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    first_seq: integer().notNull(),
    last_seq: integer().notNull(),
    rows: integer().notNull(),
    /** Records that a block cannot hold exactly: they are noted as changes for good. */
    odd_rows: integer().notNull(),
    /** 1 where every name of a property has its column. */
    names_complete: integer().notNull(),
  },
  (t) => [index("blocks_held").on(t.last_seq, t.first_seq)],
);

/** Which rows of a block are an organization's, and between which times they were created. */
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

/** One column of a block, packed as `engine/libsql/column-store/packing.ts` says. */
export const blockColumns = sqliteTable(
  "block_columns",
  {
    block: integer().notNull(),
    name: text().notNull(),
    data: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.block, t.name] })],
);

/** Records that blocks tell nothing of, or nothing true any more: they changed since; triggers write it. */
export const blockChanges = sqliteTable("block_changes", {
  seq: integer().primaryKey(),
  /** 1 where a block that is being made knows of it; 0 again with the next change. */
  taken: integer().notNull().default(0),
});

/** One row: up to which `seq` the triggers watch, and who is making a block just now. */
export const blockWatch = sqliteTable("block_watch", {
  id: integer().primaryKey(),
  seq: integer().notNull(),
  token: text().notNull(),
});
