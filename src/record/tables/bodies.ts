import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Up to 128 kB of request content, in order of arrival, as one zstd frame. In `bodies.db`, like all tables here. */
export const packs = sqliteTable(
  "packs",
  {
    id: integer().primaryKey(),
    /** Before compression. */
    bytes: integer().notNull(),
    /** 1 if rows with a much later `home` refer to it. */
    shared: integer().notNull(),
    /** The node that wrote it, on a server that nodes share. */
    node: text(),
    /** Empty if the bytes are in an object. */
    data: blob({ mode: "buffer" }).notNull(),
    /** The object of the object store that holds it, and its position there. */
    object: text(),
    at: integer(),
    stored: integer(),
  },
  (t) => [
    index("packs_object").on(t.object).where(sql`object is not null`),
    index("packs_here").on(t.id).where(sql`object is null`),
  ],
);

/** Objects of the object store that hold packs. In `bodies.db`. */
export const objects = sqliteTable(
  "objects",
  {
    name: text().primaryKey(),
    bytes: integer().notNull(),
    /** The node that wrote it, on a server that nodes share. */
    node: text(),
    /** 1 if one of its packs was moved or deleted: the object still holds those bytes. */
    partly: integer().notNull(),
    /** Since when it has held no needed pack, in milliseconds since 1970; 0 if it must be deleted immediately. */
    dead_at: integer(),
  },
  (t) => [
    index("objects_partly").on(t.name).where(sql`partly = 1 and dead_at is null`),
    index("objects_dead").on(t.dead_at).where(sql`dead_at is not null`),
    index("objects_small").on(t.bytes).where(sql`dead_at is null`),
  ],
);

/** One row: the prefix of this database's objects, which distinguishes them from others in the bucket. In `bodies.db`. */
export const objectNames = sqliteTable("object_names", { id: integer().primaryKey(), prefix: text().notNull() });

/** The ranges of packs that make up a request's bodies, headers, files and texts; the id is the 16 bytes of a UUID. */
export const contents = sqliteTable(
  "contents",
  {
    /** The newest pack when the row was written: the row refers only to packs from 4,096 before this one up to this one. */
    home: integer().notNull(),
    request_id: blob({ mode: "buffer" }).notNull(),
    /** In the format of `store/packs/placed.ts`. */
    parts: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.home, t.request_id] }), uniqueIndex("contents_id").on(t.request_id)],
);

/** Packs that may hold bytes of deleted requests. */
export const packErasures = sqliteTable("pack_erasures", {
  pack: integer().primaryKey(),
  /** Rises with every removal, so that removals during a scan of the pack lead to another scan. */
  marks: integer().notNull(),
});

/* Content recorded before version 3 of this file is in the tables below until it is moved. */

/**
 * The last user message or prompt and the response's text, as plain text that SQL can search and sort, and the parts that
 * are small and not binary. Headers are JSON, raw is text, and bodies are JSON unless stated otherwise. In `bodies.db`.
 */
export const texts = sqliteTable("texts", {
  request_id: text().primaryKey(),
  prompt: text(),
  completion: text(),
  headers: blob({ mode: "buffer" }),
  request: blob({ mode: "buffer" }),
  request_is_text: integer().notNull().default(0),
  response: blob({ mode: "buffer" }),
  response_is_text: integer().notNull().default(0),
  raw: blob({ mode: "buffer" }),
});

/**
 * Larger and binary parts, and every part recorded before version 2 of this file. `part`: request; response; raw (a stream's
 * bytes as sent, decoded); headers (JSON of the header lists); provider_request and provider_response, if the provider
 * received or sent something other than the client sent or received. In `bodies.db`.
 */
export const bodies = sqliteTable(
  "bodies",
  {
    request_id: text().notNull(),
    part: text({ enum: ["request", "response", "raw", "headers", "provider_request", "provider_response"] }).notNull(),
    /** What the decoded bytes are: json, text or binary. */
    form: text({ enum: ["json", "text", "binary"] }).notNull(),
    /** Length of the decoded body. */
    bytes: integer().notNull(),
    codec: text({ enum: ["plain", "zstd"] }).notNull(),
    /** The body itself if it is small; otherwise null, and `blob_hash` refers to it. */
    data: blob({ mode: "buffer" }),
    blob_hash: text(),
  },
  (t) => [
    primaryKey({ columns: [t.request_id, t.part] }),
    index("bodies_blob").on(t.blob_hash).where(sql`blob_hash is not null`),
  ],
);

/** One row: the highest `seq` of a record whose bodies are here. In `bodies.db`. */
export const pairing = sqliteTable("pairing", { id: integer().primaryKey(), seq: integer().notNull() });

/** Content shared between requests, by the SHA-256 of its decoded bytes. In `bodies.db`. */
export const blobs = sqliteTable("blobs", {
  hash: text().primaryKey(),
  codec: text({ enum: ["plain", "zstd"] }).notNull(),
  content_type: text(),
  bytes: integer().notNull(),
  data: blob({ mode: "buffer" }).notNull(),
});

/** The assets of each request; the asset itself is the blob with that hash. In `bodies.db`. */
export const assets = sqliteTable(
  "assets",
  {
    request_id: text().notNull(),
    asset_id: text().notNull(),
    organization_id: text().notNull(),
    content_type: text().notNull(),
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.asset_id] }), index("assets_id").on(t.asset_id)],
);

/** Tables of the word index, each for a range of records (`store/words/shards.ts`). In `bodies.db`. */
export const wordShards = sqliteTable("word_shards", {
  shard: integer().primaryKey(),
  /** Removals since it was last rewritten. */
  removals: integer().notNull().default(0),
  /** Steps left of the current rewrite. */
  steps: integer(),
});

/** Records whose words are not in the index yet: a list of numbers per commit. In `bodies.db`. */
export const wordsDue = sqliteTable("words_due", { id: integer().primaryKey(), seqs: text().notNull() });
