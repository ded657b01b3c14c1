import { eq, sql } from "drizzle-orm";
import type { Acting } from "../../people/actor.ts";
import { deliveries, webhooks } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { over } from "../database/builder.ts";
import { createSecret } from "../deliveries/signing.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database } from "../store.ts";
import type { WebhookRule } from "./webhook-rule.ts";

/** An endpoint that is sent events; finished requests by default. */
export interface Webhook extends Required<WebhookRule>, StoredRule {}

/** Maximum per organization: each webhook is checked for every request. */
const WEBHOOKS_MAX = 100;

const WEBHOOKS = ruleTable<Webhook>(webhooks, {
  max: WEBHOOKS_MAX,
  noted: { noun: "webhook", nameOf: ({ name, url }) => name || url, shown: ({ secret: _, ...webhook }) => webhook },
});

export const { list: listWebhooks, find: findWebhook } = WEBHOOKS;

/** Changes when a webhook is created, changed or removed. */
export async function webhooksFingerprint(records: Database): Promise<string> {
  const fingerprint = sql<string>`count(*) || ' ' || coalesce(max(${webhooks.updated_at}), 0)`;
  return (await over(records).select({ fingerprint }).from(webhooks))[0]!.fingerprint;
}

/** Stores a webhook, or replaces `previous`, keeping its secret unless the rule has one. */
export async function putWebhook(
  records: Database,
  { organizationId, by, previous }: RulePlace<Webhook>,
  rule: WebhookRule,
): Promise<Webhook> {
  const now = Date.now();
  const webhook: Webhook = {
    ...rule,
    secret: rule.secret ?? previous?.secret ?? createSecret(),
    id: previous?.id ?? uuidv7(),
    organization_id: organizationId,
    created_at: previous?.created_at ?? now,
    // Always increases, even within a millisecond, so that watchers notice this change.
    updated_at: Math.max(now, (previous?.updated_at ?? 0) + 1),
  };
  await WEBHOOKS.put(records, webhook, by, previous);
  return webhook;
}

/** Removes a webhook and its pending deliveries. */
export async function removeWebhook(records: Database, webhook: Webhook, by: Acting): Promise<void> {
  const waiting = over(records).delete(deliveries).where(eq(deliveries.source_id, webhook.id));
  await WEBHOOKS.remove(records, webhook, by, [waiting]);
}
