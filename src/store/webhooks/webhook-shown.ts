import { isoTime } from "../../record/iso-time.ts";
import type { NewDelivery } from "../deliveries/deliveries.ts";
import type { WebhookBody } from "./webhook-rule.ts";
import type { Webhook } from "./webhooks.ts";

/** The request body that would create this webhook. */
export function webhookBody(webhook: Webhook): WebhookBody {
  const { url, name, property_filters, sample_rate, fields, include_body, enabled, events } = webhook;
  return { url, name, events, property_filters, sample_rate, fields, include_body, enabled };
}

/** A webhook as the API shows it, without its secret. */
export function shownWebhook(webhook: Webhook) {
  const { id, created_at, updated_at } = webhook;
  return { id, ...webhookBody(webhook), created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}

/** The test delivery of a webhook. */
export function webhookTest({ id }: Webhook): Pick<NewDelivery, "endpoint_id" | "payload"> {
  const payload = { type: "webhook.test", timestamp: isoTime(Date.now()), webhook_id: id };
  return { endpoint_id: id, payload: JSON.stringify(payload) };
}
