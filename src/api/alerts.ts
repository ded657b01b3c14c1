import { Elysia, t } from "elysia";
import { GatewayError } from "../errors.ts";
import { testPayload } from "../store/alert-payload.ts";
import { ALERT_SCHEMA, type AlertBody, readAlertRule } from "../store/alert-rule.ts";
import { alertBody, shownAlert } from "../store/alert-shown.ts";
import {
  ALERTS_MAX,
  type Alert,
  alertHistory,
  findAlert,
  firingOf,
  listAlerts,
  putAlert,
  removeAlert,
} from "../store/alerts.ts";
import { enqueue, listDeliveries } from "../store/deliveries.ts";
import { patiently } from "../store/patiently.ts";
import { channelChecks } from "./channel-checks.ts";
import { awaitAttempts, iso, shownDelivery } from "./deliveries.ts";
import { endpoint } from "./endpoint.ts";
import { success } from "./envelope.ts";
import type { Gate } from "./gate.ts";
import { PAGE_NOTE, readPage } from "./page-query.ts";
import type { ApiRoom } from "./room.ts";

const CHANGES = t.Partial(ALERT_SCHEMA, { additionalProperties: false });
const SECRETS = "A webhook channel's `secret` is in the answer that makes it, and in no other.";

/** Alerts: what an organization wants to be told of, what fires, and what became of it. */
export function alertEndpoints(room: ApiRoom, gate: () => Gate) {
  const { records } = room.current;
  const checks = channelChecks(room);
  const organization = (request: Request) => gate().caller(request).organizationId;
  const found = async (request: Request, id: string): Promise<Alert> => {
    const alert = await findAlert(records, id, organization(request));
    if (alert === undefined) throw new GatewayError("not_found", "there is no alert of this id");
    return alert;
  };
  const put = async (organizationId: string, body: AlertBody, previous?: Alert) => {
    const rule = readAlertRule(body, checks);
    const { alert, newSecrets } = await putAlert((await room.writer()).records, organizationId, rule, previous);
    return success(shownAlert(alert, await firingOf(records, { alertId: alert.id }), newSecrets));
  };
  return new Elysia()
    .get(
      "/v1/alerts",
      async ({ request }) => {
        const organizationId = organization(request);
        const [all, firing] = [await listAlerts(records, organizationId), await firingOf(records, { organizationId })];
        return success(
          all.map((alert) =>
            shownAlert(
              alert,
              firing.filter(({ alert_id }) => alert_id === alert.id),
            ),
          ),
        );
      },
      endpoint("read", "Alerts", "List alerts", "With the groups that fire now."),
    )
    .get(
      "/v1/alerts/:id",
      async ({ params, request }) =>
        success(shownAlert(await found(request, params.id), await firingOf(records, { alertId: params.id }))),
      endpoint("read", "Alerts", "Read one alert"),
    )
    .post(
      "/v1/alerts",
      async ({ body, request }) => {
        const organizationId = organization(request);
        if ((await listAlerts(records, organizationId)).length >= ALERTS_MAX) {
          throw new GatewayError("invalid_body", `there are ${ALERTS_MAX} alerts already: remove one first`);
        }
        return put(organizationId, body);
      },
      { body: ALERT_SCHEMA, ...endpoint("write", "Alerts", "Make an alert", SECRETS) },
    )
    .put(
      "/v1/alerts/:id",
      async ({ params, body, request }) => put(organization(request), body, await found(request, params.id)),
      { body: ALERT_SCHEMA, ...endpoint("write", "Alerts", "Replace an alert", SECRETS) },
    )
    .patch(
      "/v1/alerts/:id",
      async ({ params, body, request }) => {
        const previous = await found(request, params.id);
        return put(organization(request), { ...alertBody(previous), ...body }, previous);
      },
      { body: CHANGES, ...endpoint("write", "Alerts", "Change parts of an alert", SECRETS) },
    )
    .delete(
      "/v1/alerts/:id",
      async ({ params, request }) => {
        const alert = await found(request, params.id);
        await removeAlert((await room.writer()).records, alert.id);
        return success(shownAlert(alert, []));
      },
      endpoint("write", "Alerts", "Remove an alert", "With its history and what is still to be delivered of it."),
    )
    .use(alertOutcomes(room, found));
}

function alertOutcomes(room: ApiRoom, found: (request: Request, id: string) => Promise<Alert>) {
  const { records } = room.current;
  return new Elysia()
    .get(
      "/v1/alerts/:id/history",
      async ({ params, request }) => {
        const page = readPage(request);
        const { id } = await found(request, params.id);
        const events = await alertHistory(records, id, page);
        return success(events.map((event) => ({ ...event, created_at: iso(event.created_at) })));
      },
      endpoint("read", "Alerts", "What triggered and was resolved", `The newest first; ${PAGE_NOTE}`),
    )
    .get(
      "/v1/alerts/:id/deliveries",
      async ({ params, request }) => {
        const page = readPage(request);
        const { id } = await found(request, params.id);
        return success((await listDeliveries(records, id, page)).map(shownDelivery));
      },
      endpoint(
        "read",
        "Alerts",
        "What was sent of an alert",
        `Attempts and last error; the newest first; ${PAGE_NOTE}`,
      ),
    )
    .post(
      "/v1/alerts/:id/test",
      async ({ params, request }) => {
        const alert = await found(request, params.id);
        const now = Date.now();
        const queued = alert.channels.map((channel) =>
          enqueue(
            {
              organization_id: alert.organization_id,
              kind: "test",
              source_id: alert.id,
              endpoint_id: channel.id,
              subject_id: alert.id,
              payload: testPayload(alert, now),
            },
            now,
          ),
        );
        if (queued.length === 0) throw new GatewayError("invalid_body", "the alert has no channels");
        const writer = await room.writer();
        await patiently(() => writer.records.batch(queued));
        const tried = await awaitAttempts(
          room,
          queued.map(({ id }) => id),
        );
        return success(tried.map(shownDelivery));
      },
      endpoint("write", "Alerts", "Send a test to every channel", "Answers what came of it, at the latest after 10 s."),
    );
}
