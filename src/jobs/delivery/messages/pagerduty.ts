import type { Channel } from "../../../store/alerts/channels.ts";
import { type AlertMessage, cut } from "./event.ts";

/**
 * Events for PagerDuty's Events API v2: triggering opens an incident, resolving closes it by the same `dedup_key`. A test
 * opens one of severity `info` and closes it immediately. Source: PagerDuty, "Events API v2" with its character limits.
 */
export function pagerDutyEvents(message: AlertMessage, channel: Extract<Channel, { type: "pagerduty" }>) {
  const { kind, payload } = message;
  const head = { routing_key: channel.routing_key, dedup_key: `weir:${kind === "test" ? "test:" : ""}${message.key}` };
  const resolve = { ...head, event_action: "resolve" };
  if (kind === "resolved") return [resolve];
  const trigger = {
    ...head,
    event_action: "trigger",
    client: "Weir",
    ...(message.link !== undefined && {
      client_url: message.link,
      links: [{ href: message.link, text: "Requests that were counted" }],
    }),
    payload: {
      summary: cut(`${message.title}. ${message.text}`, 1_024),
      source: "weir",
      severity: kind === "test" ? "info" : channel.severity,
      timestamp: message.time,
      component: cut(message.alertName, 255),
      class: String(payload.metric),
      custom_details: { ...Object.fromEntries(message.facts), group: payload.group, alert_id: payload.alert_id },
    },
  };
  return kind === "test" ? [trigger, resolve] : [trigger];
}
