import { channelChecks } from "../../store/alerts/channel-checks.ts";
import { readWebhookRule, WEBHOOK_SCHEMA, type WebhookBody } from "../../store/webhooks/webhook-rule.ts";
import { shownWebhook, webhookBody, webhookTest } from "../../store/webhooks/webhook-shown.ts";
import { findWebhook, listWebhooks, putWebhook, removeWebhook, type Webhook } from "../../store/webhooks/webhooks.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { placeOf, type RuleFamily, ruleEndpoints } from "./rule-endpoints.ts";

const SECRET = "The `secret` is returned once, in the response to its creation.";

/** Webhooks for finished requests. They may contain all traffic, so only admins manage them. */
export function webhookEndpoints(context: ApiContext, callers: Callers) {
  return ruleEndpoints(context, callers, webhookFamily(context));
}

function webhookFamily(context: ApiContext): RuleFamily<Webhook, WebhookBody> {
  const { records } = context.current;
  const { refuseUrl } = channelChecks(context.config, context.ownPorts);
  return {
    path: "/v1/webhooks",
    tag: "Webhooks",
    noun: "webhook",
    schema: WEBHOOK_SCHEMA,
    summaries: {
      list: "List webhooks",
      read: "Read one webhook",
      make: "Create a webhook for finished requests",
      replace: "Replace a webhook",
      change: "Change parts of a webhook",
      remove: "Remove a webhook",
      deliveries: "List the deliveries of a webhook",
      test: "Send a test",
    },
    descriptions: {
      make: SECRET,
      replace: SECRET,
      change: SECRET,
      remove: "With its pending deliveries.",
    },
    list: (organizationId) => listWebhooks(records, organizationId),
    find: (id, organizationId) => findWebhook(records, id, organizationId),
    bodyOf: webhookBody,
    shown: async (webhooks) => webhooks.map(shownWebhook),
    async put(caller, body, previous) {
      const rule = readWebhookRule(body, refuseUrl);
      const webhook = await putWebhook((await context.writer()).records, { ...placeOf(caller), previous }, rule);
      await spreadWebhooks(context);
      return { ...shownWebhook(webhook), ...(webhook.secret !== previous?.secret && { secret: webhook.secret }) };
    },
    async remove(webhook, caller) {
      await removeWebhook((await context.writer()).records, webhook, caller);
      await spreadWebhooks(context);
      return shownWebhook(webhook);
    },
    testsOf: (webhook) => [webhookTest(webhook)],
  };
}

/** New traffic follows a change immediately; if the recorder cannot be reached now, it notices the change later by itself. */
async function spreadWebhooks(context: ApiContext): Promise<void> {
  await context.recorder.relearn().catch((error: unknown) => {
    context.log.warn("a change has not reached all threads yet", { why: String(error) });
  });
}
