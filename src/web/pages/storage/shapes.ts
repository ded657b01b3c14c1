/** Days; 0 is for good. */
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
