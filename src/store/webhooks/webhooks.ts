import { eq, sql } from "drizzle-orm";
import type { Acting } from "../../people/actor.ts";
import { deliveries, webhooks } from "../../record/tables.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { over } from "../database/builder.ts";
import { createSecret } from "../deliveries/signing.ts";
import { type RulePlace, ruleTable, type StoredRule } from "../rule-table.ts";
import type { Database } from "../store.ts";
import type { WebhookRule } from "./webhook-rule.ts";

/** Somebody who is sent events: finished requests, unless it says otherwise. */
export interface Webhook extends Required<WebhookRule>, StoredRule {}

/** An organization has so many at most: each is looked at for every request. */
const WEBHOOKS_MAX = 100;

const WEBHOOKS = ruleTable<Webhook>(webhooks, {
  max: WEBHOOKS_MAX,
  noted: { noun: "webhook", nameOf: ({ name, url }) => name || url, shown: ({ secret: _, ...webhook }) => webhook },
});

export const { list: listWebhooks, find: findWebhook } = WEBHOOKS;

/** Differs from before where a webhook was made, changed or removed. */
export async function webhooksFingerprint(records: Database): Promise<string> {
  const fingerprint = sql<string>`count(*) || ' ' || coalesce(max(${webhooks.updated_at}), 0)`;
  return (await over(records).select({ fingerprint }).from(webhooks))[0]!.fingerprint;
}

/** Stores a webhook, a new one or in place of `previous`, whose secret it keeps unless the rule has one. */
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
    // Later than before also within a millisecond: watchers for changes see this one.
    updated_at: Math.max(now, (previous?.updated_at ?? 0) + 1),
  };
  await WEBHOOKS.put(records, webhook, by, previous);
  return webhook;
}

/** Removes a webhook and all that is still to be delivered to it. */
export async function removeWebhook(records: Database, webhook: Webhook, by: Acting): Promise<void> {
  const waiting = over(records).delete(deliveries).where(eq(deliveries.source_id, webhook.id));
  await WEBHOOKS.remove(records, webhook, by, [waiting]);
}
