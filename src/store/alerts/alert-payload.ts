import { isoTime } from "../../record/iso-time.ts";
import { windowStart } from "./alert-rule.ts";
import type { Alert, AlertEvent } from "./alerts.ts";

/** The payload of an event, as JSON text: `triggered_at` is when the alert started firing. */
export function alertPayload(alert: Alert, event: AlertEvent, triggeredAt: number): string {
  return JSON.stringify({
    type: `alert.${event.kind}`,
    timestamp: isoTime(event.created_at),
    ...subject(alert, event.created_at),
    event_id: event.id,
    group: event.group,
    value: event.value,
    requests: event.requests,
    reason: event.reason,
    triggered_at: isoTime(triggeredAt),
  });
}

/** The same shape for a test, without an event. */
export function testPayload(alert: Alert, now: number): string {
  return JSON.stringify({
    type: "alert.test",
    timestamp: isoTime(now),
    ...subject(alert, now),
    event_id: null,
    group: Object.fromEntries(alert.group_by.map((name) => [name, null])),
    value: null,
    requests: 0,
    reason: "somebody asked for a test",
    triggered_at: null,
  });
}

function subject(alert: Alert, time: number) {
  const { name, metric, comparison, threshold, window_seconds, calendar, time_zone } = alert;
  const window = { window_seconds, calendar, time_zone, window_started_at: isoTime(windowStart(alert, time)) };
  return { alert_id: alert.id, name, metric, comparison, threshold, ...window };
}
