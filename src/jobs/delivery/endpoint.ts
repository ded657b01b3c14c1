import { type Alert, findAlert } from "../../store/alerts/alerts.ts";
import type { Channel } from "../../store/alerts/channels.ts";
import type { Delivery } from "../../store/deliveries/deliveries.ts";
import type { Database } from "../../store/store.ts";
import { findWebhook, type Webhook } from "../../store/webhooks/webhooks.ts";

/** The current endpoint of a delivery; `gone` is the reason if there is none. */
export type Endpoint =
  | { readonly type: "webhook"; readonly url: string; readonly secret: string; readonly webhook: Webhook }
  | (Channel & { readonly alert: Alert })
  | { readonly type: "gone"; readonly why: string };

/** The endpoint of a delivery: a webhook, or one channel of an alert. */
export async function findEndpoint(records: Database, delivery: Delivery): Promise<Endpoint> {
  const { source_id, endpoint_id, kind } = delivery;
  if (source_id === endpoint_id) {
    const webhook = await findWebhook(records, source_id);
    if (webhook === undefined) return { type: "gone", why: "the webhook was removed" };
    if (!webhook.enabled && kind !== "test") return { type: "gone", why: "the webhook was switched off" };
    return { type: "webhook", url: webhook.url, secret: webhook.secret, webhook };
  }
  const alert = await findAlert(records, source_id);
  const channel = alert?.channels.find(({ id }) => id === endpoint_id);
  if (alert === undefined || channel === undefined) return { type: "gone", why: "the channel was removed" };
  return { ...channel, alert };
}
