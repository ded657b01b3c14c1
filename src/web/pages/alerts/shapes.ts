import type { Group, AlertEvent as StoredEvent } from "../../../store/alerts/alerts.ts";
import type { ChannelBody } from "../../../store/alerts/channels.ts";
import type { shownDelivery } from "../../../store/deliveries/delivery-shown.ts";
import type { FilterTree } from "../../filter/tree.ts";

/** A channel from the API: a stored one lacks its secret, and has an `address` to show. */
export interface Channel extends ChannelBody {
  readonly address?: string;
}

export interface AlertBody {
  readonly name: string;
  readonly metric: string;
  readonly comparison: "above" | "below";
  readonly threshold: number;
  readonly window_seconds: number;
  readonly calendar: "day" | "week" | "month" | null;
  readonly time_zone: string | null;
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

/** Times are strings in JSON. */
export type AlertEvent = Omit<StoredEvent, "created_at"> & { readonly created_at: string };

export type Delivery = ReturnType<typeof shownDelivery>;

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
