import { Elysia, t } from "elysia";
import { GatewayError } from "../errors.ts";
import { enqueue, listDeliveries } from "../store/deliveries.ts";
import { patiently } from "../store/patiently.ts";
import { readWebhookRule, WEBHOOK_SCHEMA, type WebhookBody } from "../store/webhook-rule.ts";
import { findWebhook, listWebhooks, putWebhook, removeWebhook, WEBHOOKS_MAX, type Webhook } from "../store/webhooks.ts";
import { channelChecks } from "./channel-checks.ts";
import { awaitAttempts, iso, shownDelivery } from "./deliveries.ts";
import { endpoint } from "./endpoint.ts";
import { success } from "./envelope.ts";
import type { Gate } from "./gate.ts";
import { PAGE_NOTE, readPage } from "./page-query.ts";
import type { ApiRoom } from "./room.ts";

const CHANGES = t.Partial(WEBHOOK_SCHEMA, { additionalProperties: false });
const SECRET = "The `secret` is in the answer that makes it, and in no other.";

/** Webhooks: who is told of every finished request. What they are told may hold all that passes, so admins set them up. */
export function webhookEndpoints(room: ApiRoom, gate: () => Gate) {
  const { records } = room.current;
  const { refuseUrl } = channelChecks(room);
  const organization = (request: Request) => gate().caller(request).organizationId;
  const found = async (request: Request, id: string): Promise<Webhook> => {
    const webhook = await findWebhook(records, id, organization(request));
    if (webhook === undefined) throw new GatewayError("not_found", "there is no webhook of this id");
    return webhook;
  };
  const put = async (organizationId: string, body: WebhookBody, previous?: Webhook) => {
    const rule = readWebhookRule(body, refuseUrl);
    const webhook = await putWebhook((await room.writer()).records, organizationId, rule, previous);
    await spreadWebhooks(room);
    return success({
      ...shown(webhook),
      ...(webhook.secret !== previous?.secret && { secret: webhook.secret }),
    });
  };
  return new Elysia()
    .get(
      "/v1/webhooks",
      async ({ request }) => success((await listWebhooks(records, organization(request))).map(shown)),
      endpoint("read", "Webhooks", "List webhooks"),
    )
    .get(
      "/v1/webhooks/:id",
      async ({ params, request }) => success(shown(await found(request, params.id))),
      endpoint("read", "Webhooks", "Read one webhook"),
    )
    .post(
      "/v1/webhooks",
      async ({ body, request }) => {
        const organizationId = organization(request);
        if ((await listWebhooks(records, organizationId)).length >= WEBHOOKS_MAX) {
          throw new GatewayError("invalid_body", `there are ${WEBHOOKS_MAX} webhooks already: remove one first`);
        }
        return put(organizationId, body);
      },
      { body: WEBHOOK_SCHEMA, ...endpoint("admin", "Webhooks", "Be told of every finished request", SECRET) },
    )
    .put(
      "/v1/webhooks/:id",
      async ({ params, body, request }) => put(organization(request), body, await found(request, params.id)),
      { body: WEBHOOK_SCHEMA, ...endpoint("admin", "Webhooks", "Replace a webhook", SECRET) },
    )
    .patch(
      "/v1/webhooks/:id",
      async ({ params, body, request }) => {
        const previous = await found(request, params.id);
        return put(organization(request), { ...bodyOf(previous), ...body }, previous);
      },
      { body: CHANGES, ...endpoint("admin", "Webhooks", "Change parts of a webhook", SECRET) },
    )
    .delete(
      "/v1/webhooks/:id",
      async ({ params, request }) => {
        const webhook = await found(request, params.id);
        await removeWebhook((await room.writer()).records, webhook.id);
        await spreadWebhooks(room);
        return success(shown(webhook));
      },
      endpoint("admin", "Webhooks", "Remove a webhook", "With all that is still to be delivered to it."),
    )
    .get(
      "/v1/webhooks/:id/deliveries",
      async ({ params, request }) => {
        const page = readPage(request);
        const { id } = await found(request, params.id);
        return success((await listDeliveries(records, id, page)).map(shownDelivery));
      },
      endpoint(
        "read",
        "Webhooks",
        "What was sent to a webhook",
        `Attempts and last error; the newest first; ${PAGE_NOTE}`,
      ),
    )
    .post(
      "/v1/webhooks/:id/test",
      async ({ params, request }) => {
        const webhook = await found(request, params.id);
        const now = Date.now();
        const payload = { type: "webhook.test", timestamp: iso(now), webhook_id: webhook.id };
        const { id, ...statement } = enqueue(
          {
            organization_id: webhook.organization_id,
            kind: "test",
            source_id: webhook.id,
            endpoint_id: webhook.id,
            subject_id: webhook.id,
            payload: JSON.stringify(payload),
          },
          now,
        );
        const writer = await room.writer();
        await patiently(() => writer.records.batch([statement]));
        return success((await awaitAttempts(room, [id])).map(shownDelivery));
      },
      endpoint("admin", "Webhooks", "Send a test", "Answers what came of it, at the latest after 10 s."),
    );
}

/** New traffic follows a change at once; where the recorder cannot be reached now, it sees it by itself. */
async function spreadWebhooks(room: ApiRoom): Promise<void> {
  await room.recorder.relearn().catch((error: unknown) => {
    room.log.warn("a change is not spread yet", { why: String(error) });
  });
}

function bodyOf(webhook: Webhook): WebhookBody {
  const { url, name, property_filters, sample_rate, fields, include_body, enabled } = webhook;
  return { url, name, property_filters, sample_rate, fields, include_body, enabled };
}

function shown(webhook: Webhook) {
  const { id, created_at, updated_at } = webhook;
  return { id, ...bodyOf(webhook), created_at: iso(created_at), updated_at: iso(updated_at) };
}
