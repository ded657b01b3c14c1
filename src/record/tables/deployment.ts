import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const organizations = sqliteTable("organizations", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  created_at: integer().notNull(),
  /** Maximum lifetime of a new key in days; 0 for no limit, null to use the configuration. */
  max_key_days: integer(),
});

export const keys = sqliteTable("keys", {
  id: text().primaryKey(),
  organization_id: text().notNull(),
  name: text().notNull(),
  /** SHA-256 of the key, hexadecimal; the key itself is not stored. */
  hash: text().notNull().unique(),
  scopes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  region: text().notNull(),
  created_at: integer().notNull(),
  expires_at: integer(),
  last_used_at: integer(),
  revoked_at: integer(),
  /** Patterns of the models and credentials that it may use; null for all. */
  models: text({ mode: "json" }).$type<readonly string[]>(),
  credentials: text({ mode: "json" }).$type<readonly string[]>(),
  /** The user that owns the key; null if it has no owner. */
  user_id: text(),
  /** Hash of the secret before the last rotation, and the time until which it works. */
  previous_hash: text(),
  previous_until: integer(),
  /** When it was last rotated or transferred. */
  changed_at: integer(),
});

/** Providers' keys. Secrets are encrypted individually; `credentials/stored.ts` describes both JSON columns. */
export const credentials = sqliteTable(
  "credentials",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    provider: text().notNull(),
    secrets: text({ mode: "json" }).notNull(),
    terms: text({ mode: "json" }).notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("credentials_name").on(t.organization_id, t.name)],
);

/** An organization's own names for models; `route` is JSON as the API accepts it. */
export const routes = sqliteTable(
  "routes",
  {
    organization_id: text().notNull(),
    name: text().notNull(),
    route: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.name] })],
);

/** Values that the deployment generates once, such as the secret that signs addresses. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** Plugins' stored facts as JSON text, by plugin and key; null if removed. `version` rises with every write. */
export const pluginEntries = sqliteTable(
  "plugin_entries",
  {
    plugin: text().notNull(),
    key: text().notNull(),
    value: text(),
    version: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.plugin, t.key] }), index("plugin_entries_version").on(t.version)],
);

/** How far the recorder has read each spool; written in the same transaction as the rows up to that position. */
export const spoolPositions = sqliteTable("spool_positions", {
  spool: text().primaryKey(),
  segment: integer().notNull(),
  offset: integer().notNull(),
  updated_at: integer().notNull(),
});
