import type { Window } from "../../parts/window.ts";

export type Unit = "request" | "cents" | "tokens";

interface Used {
  readonly used: number;
  readonly remaining: number;
  readonly resets_at: string | null;
}

export interface LimitRow extends Used {
  readonly id: string;
  readonly name: string;
  readonly quota: number;
  /** Null if `calendar` is given. */
  readonly window_seconds: number | null;
  readonly calendar: Window["calendar"];
  readonly time_zone: string | null;
  readonly unit: Unit;
  readonly segment: string | null;
  readonly key_id: string | null;
  readonly source: "api" | "configuration";
  readonly created_at: string | null;
  /** The users or property values with the highest usage. */
  readonly segments?: readonly (Used & { readonly segment: string })[];
  readonly segments_total?: number;
}

export const LIMITS = ["limits"] as const;
