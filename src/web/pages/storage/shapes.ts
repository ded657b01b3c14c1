/** Days; 0 means forever. */
export interface Kept {
  readonly days: number;
  readonly body_days: number;
}

export interface LastRun {
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly records_removed: number;
  readonly bodies_removed: number;
  readonly bytes_freed: number;
  readonly error: string | null;
}

export interface PropertyRule {
  readonly property: string;
  readonly value: string | null;
  readonly days: number | null;
  readonly body_days: number | null;
}

export interface RetentionView {
  readonly days: number | null;
  readonly body_days: number | null;
  readonly properties: readonly PropertyRule[];
  readonly configured: Kept;
}

export const RETENTION = ["retention"] as const;
export const STORAGE = ["storage"] as const;

/** The response of `GET /v1/storage`. */
export interface StorageView {
  readonly database_bytes: number | null;
  readonly bodies_bytes: number | null;
  readonly stored_bytes: number | null;
  readonly records: number;
  readonly sent_bytes: number;
  /** Bytes stored for each byte sent. */
  readonly ratio: number | null;
  readonly growth_bytes_per_day: number | null;
  readonly disk_free_bytes: number | null;
  readonly days_left: number | null;
  /** Records that `sent_bytes` does not count yet. */
  readonly records_uncounted: number;
  /** Null if the database is a server. */
  readonly parts: {
    readonly rows_bytes: number;
    readonly indexes_bytes: number;
    readonly columns_bytes: number;
    readonly packs_bytes: number;
    readonly search_bytes: number;
    readonly older_bytes: number;
    readonly free_bytes: number;
    readonly sampled: boolean;
    readonly measured_at: string;
  } | null;
  readonly spool_bytes: number;
  readonly cache_bytes: number;
  readonly per_day: readonly { readonly day: string; readonly records: number; readonly bytes: number | null }[];
  /** The effective number of days. */
  readonly retention: Kept;
  readonly last_run: LastRun | null;
}
