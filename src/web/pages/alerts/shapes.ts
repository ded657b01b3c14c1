import type { FilterTree } from "../../filter/tree.ts";

export type Channel =
  | { readonly id?: string; readonly type: "webhook"; readonly url: string; readonly secret?: string }
  | { readonly id?: string; readonly type: "email"; readonly to: string };

export type Group = Readonly<Record<string, string | number | null>>;

export interface AlertBody {
  readonly name: string;
  readonly metric: string;
  readonly comparison: "above" | "below";
  readonly threshold: number;
  readonly window_seconds: number;
  readonly filter: FilterTree;
  readonly group_by: readonly string[];
  readonly minimum_requests: number;
  readonly cooldown_seconds: number;
  readonly channels: readonly Channel[];
  readonly enabled: boolean;
}

export interface AlertRow extends AlertBody {
  readonly id: string;
  readonly state: "ok" | "firing" | "disabled";
  readonly firing: readonly { readonly group: Group; readonly value: number | null; readonly triggered_at: string }[];
  readonly checked_at: string | null;
  /** Why the last check failed. */
  readonly error: string | null;
}

export interface AlertEvent {
  readonly id: string;
  readonly kind: "triggered" | "resolved";
  readonly group: Group;
  readonly value: number | null;
  readonly threshold: number;
  readonly requests: number;
  readonly reason: string;
  readonly created_at: string;
}

export interface Delivery {
  readonly id: string;
  readonly kind: string;
  readonly endpoint_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export interface WebhookBody {
  readonly url: string;
  readonly name: string;
  readonly property_filters: readonly { readonly name: string; readonly value?: string }[];
  /** Percent. */
  readonly sample_rate: number;
  readonly include_body: boolean;
  readonly enabled: boolean;
}

export interface WebhookRow extends WebhookBody {
  readonly id: string;
  readonly fields: readonly string[];
  readonly created_at: string;
}

export const ALERTS = ["alerts"] as const;
export const WEBHOOKS = ["webhooks"] as const;
