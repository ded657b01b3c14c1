import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { refuseSaid } from "../../filter/sight.ts";
import { isoTime } from "../../record/iso-time.ts";
import { testPayload } from "../../store/alerts/alert-payload.ts";
import { ALERT_SCHEMA, type AlertBody, readAlertRule } from "../../store/alerts/alert-rule.ts";
import { alertBody, shownAlert } from "../../store/alerts/alert-shown.ts";
import {
  type Alert,
  alertHistory,
  findAlert,
  firingOf,
  listAlerts,
  putAlert,
  removeAlert,
} from "../../store/alerts/alerts.ts";
import { channelChecks } from "../../store/alerts/channel-checks.ts";
import type { Addresses } from "../../store/alerts/channels.ts";
import { type Caller, may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { PAGE_QUERY, readPage } from "../input/page-query.ts";
import { findRule, placeOf, type RuleFamily, ruleEndpoints } from "./rule-endpoints.ts";

const SECRETS = "A webhook channel's `secret` is returned once, in the response to its creation.";

/** Alerts of an organization, their state and their history. */
export function alertEndpoints(context: ApiContext, callers: Callers) {
  const alerts = alertFamily(context);
  return new Elysia().use(ruleEndpoints(context, callers, alerts)).get(
    "/v1/alerts/:id/history",
    async ({ params, request }) => {
      const page = readPage(request);
      const { id } = await findRule(alerts, params.id, callers.of(request).organizationId);
      const events = await alertHistory(context.current.records, id, page);
      return success(events.map((event) => ({ ...event, created_at: isoTime(event.created_at) })));
    },
    endpoint("Alerts", "List triggered and resolved events", "The newest first.", { query: PAGE_QUERY }),
  );
}

/** As with `GET /v1/webhooks`: the address of a webhook is for callers that may read bodies. */
function addressesFor(caller: Caller): Addresses {
  return may(caller, "bodies") ? "whole" : "shortened";
}

function alertFamily(context: ApiContext): RuleFamily<Alert, AlertBody> {
  const { records } = context.current;
  const checks = channelChecks(context.config, context.ownPorts);
  return {
    path: "/v1/alerts",
    tag: "Alerts",
    noun: "alert",
    schema: ALERT_SCHEMA,
    summaries: {
      list: "List alerts",
      read: "Read one alert",
      make: "Create an alert",
      replace: "Replace an alert",
      change: "Change parts of an alert",
      remove: "Remove an alert",
      deliveries: "List the deliveries of an alert",
      test: "Send a test to every channel",
    },
    descriptions: {
      list: "With the groups that are firing.",
      make: SECRETS,
      replace: SECRETS,
      change: SECRETS,
      remove: "With its history and its pending deliveries.",
    },
    list: (organizationId) => listAlerts(records, organizationId),
    find: (id, organizationId) => findAlert(records, id, organizationId),
    bodyOf: alertBody,
    async shown(alerts, caller) {
      const { organizationId } = caller;
      const firing = Map.groupBy(await firingOf(records, { organizationId }), ({ alert_id }) => alert_id);
      return alerts.map((alert) => shownAlert(alert, firing.get(alert.id) ?? [], { addresses: addressesFor(caller) }));
    },
    async put(caller, body, previous) {
      const rule = readAlertRule(body, checks);
      refuseSaid(caller.sight, decodeFilter(rule.filter, "legacy").tree);
      const { alert, newSecrets } = await putAlert(
        (await context.writer()).records,
        { ...placeOf(caller), previous },
        rule,
      );
      const firing = await firingOf(records, { alertId: alert.id });
      return shownAlert(alert, firing, { addresses: addressesFor(caller), newSecrets });
    },
    async remove(alert, caller) {
      await removeAlert((await context.writer()).records, alert, caller);
      return shownAlert(alert, [], { addresses: addressesFor(caller) });
    },
    testsOf(alert) {
      if (alert.channels.length === 0) throw new GatewayError("invalid_body", "the alert has no channels");
      const payload = testPayload(alert, Date.now());
      return alert.channels.map(({ id }) => ({ endpoint_id: id, payload }));
    },
  };
}
