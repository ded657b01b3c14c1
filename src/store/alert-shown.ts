import type { AlertBody } from "./alert-rule.ts";
import type { Alert, Firing } from "./alerts.ts";

/** What a client would send to make this very alert. */
export function alertBody(alert: Alert): AlertBody {
  return {
    name: alert.name,
    metric: alert.metric,
    comparison: alert.comparison,
    threshold: alert.threshold,
    window_seconds: alert.window_seconds,
    filter: alert.filter,
    group_by: alert.group_by,
    minimum_requests: alert.minimum_requests,
    cooldown_seconds: alert.cooldown_seconds,
    channels: alert.channels.map((channel) =>
      channel.type === "webhook"
        ? { id: channel.id, type: "webhook", url: channel.url }
        : { id: channel.id, type: "email", to: channel.to },
    ),
    enabled: alert.enabled,
  };
}

/** An alert as it is shown, its secrets only where they are new. */
export function shownAlert(alert: Alert, firing: readonly Firing[], newSecrets: ReadonlySet<string> = new Set()) {
  const channels = alert.channels.map((channel) => {
    if (channel.type === "email") return channel;
    const { secret, ...rest } = channel;
    return newSecrets.has(channel.id) ? { ...rest, secret } : rest;
  });
  return {
    id: alert.id,
    ...alertBody(alert),
    channels,
    state: !alert.enabled ? "disabled" : firing.length > 0 ? "firing" : "ok",
    firing: firing.map(({ group, value, triggered_at }) => ({ group, value, triggered_at: iso(triggered_at) })),
    created_at: iso(alert.created_at),
    updated_at: iso(alert.updated_at),
    checked_at: alert.checked_at === null ? null : iso(alert.checked_at),
    error: alert.error,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
