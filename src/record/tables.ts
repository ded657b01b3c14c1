import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The tables, as the migrations in `store/migrations/` make them. Times are milliseconds since 1970, booleans 0 or 1.
 *
 * `requests` and what points into it by `seq` live in `weir.db`; bodies, blobs and assets in `bodies.db` beside it when
 * the database is a local file, because the two are written, kept and deleted at very different rates.
 */
export const requests = sqliteTable(
  "requests",
  {
    /** Order of arrival in the database. */
    seq: integer().primaryKey({ autoIncrement: true }),
    request_id: text().notNull(),
    organization_id: text().notNull(),
    key_id: text().notNull(),
    gateway_user: text(),
    auth_hash: text(),
    method: text().notNull(),
    target_url: text(),
    request_path: text(),
    request_referrer: text(),
    country_code: text(),
    provider: text().notNull(),
    request_model: text(),
    response_model: text(),
    model_override: text(),
    model: text(),
    request_created_at: integer().notNull(),
    response_created_at: integer(),
    updated_at: integer().notNull(),
    response_id: text(),
    /** Null while in flight. */
    response_status: integer(),
    outcome: text(),
    error_code: text(),
    error_message: text(),
    delay_ms: real(),
    time_to_first_token: real(),
    prompt_tokens: integer(),
    completion_tokens: integer(),
    total_tokens: integer(),
    prompt_cache_read_tokens: integer(),
    prompt_cache_write_tokens: integer(),
    prompt_cache_write_1h_tokens: integer(),
    prompt_audio_tokens: integer(),
    completion_audio_tokens: integer(),
    reasoning_tokens: integer(),
    usage_estimated: integer().notNull().default(0),
    /** The provider's usage block as JSON text, as sent. */
    usage_raw: text(),
    cost: real(),
    cost_source: text(),
    user_id: text(),
    session_id: text(),
    session_name: text(),
    session_path: text(),
    prompt_id: text(),
    prompt_version: text(),
    node_id: text(),
    job_id: text(),
    experiment_id: text(),
    cache_enabled: integer().notNull().default(0),
    /** 1 for a cache hit. */
    cached: integer().notNull().default(0),
    cache_reference_id: text(),
    cache_created_at: integer(),
    streamed: integer().notNull().default(0),
    truncated: integer().notNull().default(0),
    threat: integer(),
    is_passthrough_billing: integer().notNull().default(0),
    size_bytes: integer().notNull().default(0),
    /** Wire schema that the bodies were read with; null while the model is pending mapping. */
    wire_schema: text(),
    /** JSON object of name to value. */
    properties: text().notNull().default("{}"),
    prompt_inputs: text().notNull().default("{}"),
    /** JSON object of name to number. */
    scores: text().notNull().default("{}"),
    /** JSON array of asset ids. */
    assets: text().notNull().default("[]"),
    feedback_id: integer(),
    feedback_rating: integer(),
    feedback_created_at: integer(),
    storage_location: text().notNull().default("libsql"),
    /** The request that this is a failed try of. */
    attempt_of: text(),
    /** Number of this try, or of the one that answered; null where only one was asked for. */
    attempt: integer(),
  },
  (t) => [
    uniqueIndex("requests_id").on(t.request_id),
    index("requests_created").on(t.organization_id, t.request_created_at, t.request_id),
    index("requests_cost").on(t.organization_id, t.cost, t.request_id),
    index("requests_users")
      .on(t.organization_id, t.user_id, t.request_created_at, t.request_id)
      .where(sql`user_id is not null`),
    // Holds all that a session's totals need, so that they are added up without touching a row.
    index("requests_sessions")
      .on(
        t.organization_id,
        t.session_id,
        t.request_created_at,
        t.cost,
        t.total_tokens,
        t.prompt_tokens,
        t.completion_tokens,
      )
      .where(sql`session_id is not null`),
    // What the mapper has to read, or to read again.
    index("requests_unmapped")
      .on(t.organization_id, t.provider, t.seq)
      .where(sql`(wire_schema is null or wire_schema = 'mapped') and model is not null`),
    // Holds all that counting hits and misses needs.
    index("requests_cache")
      .on(t.organization_id, t.cached, t.outcome, t.cache_reference_id)
      .where(sql`cache_enabled = 1`),
  ],
);

/** Properties (`kind` 0) and prompt inputs (`kind` 1), one row each, beside the JSON in `requests`, for filters. */
export const properties = sqliteTable(
  "properties",
  {
    organization_id: text().notNull(),
    kind: integer().notNull(),
    name: text().notNull(),
    value: text().notNull(),
    request_created_at: integer().notNull(),
    seq: integer().notNull(),
    /** 1 where the name reached us without its case: it then also matches its Train-Case spelling. */
    case_erased: integer().notNull().default(0),
    /** The record's own, so that costs by value are added up from this table alone; a trigger keeps it the same. */
    cost: real(),
  },
  (t) => [
    primaryKey({ columns: [t.organization_id, t.kind, t.name, t.value, t.request_created_at, t.seq] }),
    index("properties_seq").on(t.seq),
  ],
);

/** Tags that were put on sessions; a session itself is nothing but the requests that name it. */
export const sessionTags = sqliteTable(
  "session_tags",
  {
    organization_id: text().notNull(),
    session_id: text().notNull(),
    tag: text().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.session_id] })],
);

/**
 * The last user message or prompt, and the answer's text, as plain text that SQL can search and sort by; beside them the
 * parts that are small and not binary. Headers are JSON, raw is text, the bodies are JSON unless said otherwise. In
 * `bodies.db`.
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
 * Larger and binary parts, and every part recorded before version 2 of this file. `part`: request, response, raw (a
 * stream's bytes as sent, decoded), headers (JSON of both header lists). In `bodies.db`.
 */
export const bodies = sqliteTable(
  "bodies",
  {
    request_id: text().notNull(),
    part: text({ enum: ["request", "response", "raw", "headers"] }).notNull(),
    /** json, text, or binary: what the decoded bytes are. */
    form: text({ enum: ["json", "text", "binary"] }).notNull(),
    /** Length of the decoded body. */
    bytes: integer().notNull(),
    codec: text({ enum: ["plain", "zstd"] }).notNull(),
    /** The body itself where it is small, else null and `blob_hash` says where it is. */
    data: blob({ mode: "buffer" }),
    blob_hash: text(),
  },
  (t) => [
    primaryKey({ columns: [t.request_id, t.part] }),
    index("bodies_blob").on(t.blob_hash).where(sql`blob_hash is not null`),
  ],
);

/** Content shared between requests, by the SHA-256 of its decoded bytes. In `bodies.db`. */
export const blobs = sqliteTable("blobs", {
  hash: text().primaryKey(),
  codec: text({ enum: ["plain", "zstd"] }).notNull(),
  content_type: text(),
  bytes: integer().notNull(),
  data: blob({ mode: "buffer" }).notNull(),
});

/** Which request shows which asset; the asset itself is the blob of that hash. In `bodies.db`. */
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

export const organizations = sqliteTable("organizations", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  created_at: integer().notNull(),
});

export const keys = sqliteTable("keys", {
  id: text().primaryKey(),
  organization_id: text().notNull(),
  name: text().notNull(),
  /** SHA-256 of the key, hexadecimal; the key itself is stored nowhere. */
  hash: text().notNull().unique(),
  /** JSON array of scopes. */
  scopes: text().notNull(),
  region: text().notNull(),
  created_at: integer().notNull(),
  expires_at: integer(),
  last_used_at: integer(),
  revoked_at: integer(),
});

/** How far the recorder has read each spool; written in the same transaction as the rows it stands for. */
export const spoolPositions = sqliteTable("spool_positions", {
  spool: text().primaryKey(),
  segment: integer().notNull(),
  offset: integer().notNull(),
  updated_at: integer().notNull(),
});

/** Models and their mapping state, counted by the recorder. */
export const models = sqliteTable(
  "models",
  {
    organization_id: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    state: text({ enum: ["pending", "mapped"] }).notNull(),
    count: integer().notNull(),
    since: integer().notNull(),
    reason: text(),
    /** When somebody asked for it to be mapped at once; null when that is done. */
    expedited_at: integer(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.provider, t.model] })],
);

/**
 * Every version of every mapping, newest last. A model is read with the one that is `active` (the mapper found it and is
 * sure) or `approved` (an admin said so); a `draft` waits for approval.
 */
export const mappings = sqliteTable(
  "mappings",
  {
    organization_id: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    version: integer().notNull(),
    state: text({ enum: ["draft", "active", "approved", "replaced", "replaced approved", "rolled back"] }).notNull(),
    origin: text({ enum: ["inferred", "edited"] }).notNull(),
    /** JSON text. */
    mapping: text().notNull(),
    confidence: real().notNull(),
    samples: integer().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    /** Records of the model with a greater `seq` are still to be read again; null when all are. */
    reread_after: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.organization_id, t.provider, t.model, t.version] }),
    index("mappings_reread").on(t.reread_after).where(sql`reread_after is not null`),
  ],
);

/** What an organization's admin says that a model costs, as JSON text. */
export const prices = sqliteTable(
  "prices",
  {
    organization_id: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    price: text().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.provider, t.model] })],
);

/** Values that the deployment makes for itself once, such as the secret that signs addresses. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** What plugins have settled, as JSON text by plugin and key; null where it was removed. `version` rises with every write. */
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

/**
 * Columns of the records from `first_seq` to `last_seq`, side by side, for figures over long times. Blocks follow each
 * other without a gap and are never changed; their numbers are never used twice. Rows are in the order of organization
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
  (t) => [index("blocks_last").on(t.last_seq)],
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

/** One column of a block, packed as `store/blocks/packing.ts` says. */
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

/** What an organization wants to be told of. `filter`, `group_by` and `channels` are JSON text; secrets stand in `channels`. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    metric: text().notNull(),
    comparison: text({ enum: ["above", "below"] }).notNull(),
    threshold: real().notNull(),
    window_seconds: integer().notNull(),
    filter: text().notNull(),
    group_by: text().notNull(),
    minimum_requests: integer().notNull(),
    cooldown_seconds: integer().notNull(),
    channels: text().notNull(),
    enabled: integer().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    checked_at: integer(),
    /** Why the last check failed. */
    error: text(),
  },
  (t) => [index("alerts_organization").on(t.organization_id, t.created_at)],
);

/** Groups of alerts that fire now; `group` is a JSON object of names and values. */
export const alertStates = sqliteTable(
  "alert_states",
  {
    alert_id: text().notNull(),
    group: text().notNull(),
    /** The event that it began with. */
    event_id: text().notNull(),
    value: real(),
    triggered_at: integer().notNull(),
    /** The last check at which the condition held: the cool-down counts from here. */
    held_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.alert_id, t.group] })],
);

/** Every trigger and resolution. `previous` is the event before it of the same group: no two can follow the same one. */
export const alertEvents = sqliteTable(
  "alert_events",
  {
    id: text().primaryKey(),
    alert_id: text().notNull(),
    kind: text({ enum: ["triggered", "resolved"] }).notNull(),
    group: text().notNull(),
    previous: text().notNull(),
    value: real(),
    threshold: real().notNull(),
    requests: integer().notNull(),
    reason: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("alert_events_chain").on(t.alert_id, t.group, t.previous),
    index("alert_events_alert").on(t.alert_id, t.created_at),
  ],
);

/** Who is told of every finished request. `property_filters` and `fields` are JSON text. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    organization_id: text().notNull(),
    name: text().notNull(),
    url: text().notNull(),
    secret: text().notNull(),
    property_filters: text().notNull(),
    sample_rate: real().notNull(),
    fields: text().notNull(),
    include_body: integer().notNull(),
    enabled: integer().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [index("webhooks_organization").on(t.organization_id, t.created_at)],
);

/** What is to be delivered, and what became of it. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    /** The receiver sees it as `webhook-id`: the same at every attempt. */
    id: text().primaryKey(),
    organization_id: text().notNull(),
    kind: text({ enum: ["alert", "request", "test"] }).notNull(),
    /** The alert or webhook. */
    source_id: text().notNull(),
    /** The alert's channel, or the webhook again. */
    endpoint_id: text().notNull(),
    /** The alert's event, or the request. */
    subject_id: text().notNull(),
    /** JSON text; null where it is made of the record when it is sent. */
    payload: text(),
    state: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
    attempts: integer().notNull(),
    next_attempt_at: integer().notNull(),
    /** Who is at it, until `next_attempt_at`. */
    claim: text(),
    last_status: integer(),
    last_error: text(),
    created_at: integer().notNull(),
    finished_at: integer(),
  },
  (t) => [
    index("deliveries_due").on(t.endpoint_id, t.next_attempt_at).where(sql`state = 'pending'`),
    index("deliveries_endpoint").on(t.endpoint_id, t.created_at),
    index("deliveries_source").on(t.source_id, t.created_at),
  ],
);

/** How long an organization keeps what; null means as configured, 0 for good. `properties` is JSON text. */
export const retention = sqliteTable("retention", {
  organization_id: text().primaryKey(),
  days: integer(),
  body_days: integer(),
  properties: text().notNull(),
  /** When somebody asked for a run at once; null when that is done. */
  ordered_at: integer(),
  updated_at: integer().notNull(),
});

/** The last run for each organization; what belongs to none stands under an empty id. */
export const retentionRuns = sqliteTable("retention_runs", {
  organization_id: text().primaryKey(),
  started_at: integer().notNull(),
  finished_at: integer(),
  records_removed: integer().notNull(),
  bodies_removed: integer().notNull(),
  orphans_removed: integer().notNull(),
  bytes_freed: integer().notNull(),
  error: text(),
});

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
