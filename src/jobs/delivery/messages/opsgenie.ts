import type { Channel } from "../../../store/alerts/channels.ts";
import { type AlertMessage, cut } from "./event.ts";

/**
 * Calls of Opsgenie's Alert API: triggering creates an alert, resolving closes the one with the same alias. A test creates
 * one of priority P5 and closes it. Source: Opsgenie, "Alert API" with its character limits.
 */
export function opsgenieCalls(message: AlertMessage, channel: Extract<Channel, { type: "opsgenie" }>) {
  const { kind, payload } = message;
  const alias = `weir-${kind === "test" ? "test-" : ""}${message.key.replace(":", "-")}`;
  const base = channel.url.replace(/\/+$/, "");
  const close = {
    url: `${base}/${encodeURIComponent(alias)}/close?identifierType=alias`,
    body: { source: "Weir", note: cut(message.text, 25_000) },
  };
  if (kind === "resolved") return [close];
  const lines = [message.text, ...message.facts.map(([name, value]) => `${name}: ${value}`), message.link ?? ""];
  const create = {
    url: base,
    body: {
      message: cut(message.title, 130),
      alias,
      description: cut(lines.join("\n").trim(), 15_000),
      source: "Weir",
      priority: kind === "test" ? "P5" : channel.priority,
      tags: ["weir", String(payload.metric)],
      details: {
        alert_id: String(payload.alert_id),
        group: cut(JSON.stringify(payload.group), 2_000),
        ...(message.link !== undefined && message.link.length <= 2_000 && { requests: message.link }),
      },
    },
  };
  return kind === "test" ? [create, close] : [create];
}
