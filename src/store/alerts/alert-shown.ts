import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import type { AlertBody } from "./alert-rule.ts";
import type { Alert, Firing } from "./alerts.ts";
import { type Addresses, channelBody, shownChannel } from "./channels.ts";

/** The request body that would create this alert. */
export function alertBody(alert: Alert): AlertBody {
  return {
    name: alert.name,
    metric: alert.metric,
    comparison: alert.comparison,
    threshold: alert.threshold,
    window_seconds: alert.window_seconds,
    calendar: alert.calendar,
    time_zone: alert.time_zone,
    filter: alert.filter,
    group_by: alert.group_by,
    minimum_requests: alert.minimum_requests,
    cooldown_seconds: alert.cooldown_seconds,
    channels: alert.channels.map(channelBody),
    enabled: alert.enabled,
  };
}

interface ShownSecrets {
  readonly addresses: Addresses;
  /** Ids of webhooks whose signing secret is new. */
  readonly newSecrets?: ReadonlySet<string>;
}

/** An alert as the API shows it, with only new secrets. */
export function shownAlert(alert: Alert, firing: readonly Firing[], { addresses, newSecrets }: ShownSecrets) {
  const channels = alert.channels.map((channel) => {
    const shown = shownChannel(channel, addresses);
    return channel.type === "webhook" && newSecrets?.has(channel.id) ? { ...shown, secret: channel.secret } : shown;
  });
  return {
    id: alert.id,
    ...alertBody(alert),
    channels,
    state: !alert.enabled ? "disabled" : firing.length > 0 ? "firing" : "ok",
    firing: firing.map(({ group, value, triggered_at }) => ({ group, value, triggered_at: isoTime(triggered_at) })),
    created_at: isoTime(alert.created_at),
    updated_at: isoTime(alert.updated_at),
    checked_at: isoTimeOrNull(alert.checked_at),
    error: alert.error,
  };
}
