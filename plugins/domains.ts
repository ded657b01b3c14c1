import type { GatewayPlugin, Refusal } from "weir/plugin";
import { type Counted, Counts, type SpentRule } from "./domains/counts.ts";
import { Decisions } from "./domains/decisions.ts";
import { domainRoutes } from "./domains/routes.ts";

/**
 * The domain allowlist. Hosts of providers and of the configuration are approved. Others are limited to one request a second
 * and 10,000 a UTC day, per organization and host, until they are approved. A denied host is refused.
 *
 * Complete host names are compared, as parsed from the target address, without port and ignoring case.
 */
export default {
  apiVersion: 1,
  name: "domains",
  optionsSchema: {
    type: "object",
    properties: {
      approved: { type: "array", items: { type: "string" }, default: [] },
      dns_servers: { type: "array", items: { type: "string" }, default: [] },
    },
    additionalProperties: false,
  },

  setup({ options, gateway }) {
    if (gateway === undefined) return {};
    const decisions = new Decisions(gateway, options.approved);
    const counts = new Counts(gateway.journal, gateway.shares);
    return {
      onRequest({ target }) {
        if (decisions.stateOf(target.host, target.owner) !== "denied") return undefined;
        const message = `the domain ${target.host} is denied here; an admin can approve it: weir domains approve ${target.host}`;
        return { status: 403, code: "target_forbidden", message };
      },

      onForward({ id, organizationId, target }) {
        const { host, owner } = target;
        if (decisions.stateOf(host, owner) === "approved") {
          counts.show(organizationId, host, 1, Date.now());
          return undefined;
        }
        const request = { id, organization: organizationId, host };
        const rule = counts.take(request, Date.now());
        return rule === undefined ? undefined : refuseUnlessShared(counts, request, rule);
      },

      admits: ({ target }) => decisions.stateOf(target.host, target.owner) === "approved",
      onAdmitted: ({ organizationId, target }, requests) =>
        counts.show(organizationId, target.host, requests, Date.now()),

      onEnd({ id, outcome, forwarded }) {
        counts.end(id, outcome !== "refused" && forwarded);
      },

      routes: domainRoutes({ decisions, counts, gateway, nameServers: options.dns_servers }),
      dispose: () => counts.close(),
    };
  },
} satisfies GatewayPlugin;

/** Refuses a request unless the other nodes leave room for it. */
function refuseUnlessShared(counts: Counts, request: Counted, rule: SpentRule) {
  const { organization, host } = request;
  const asking = counts.ask(organization, host, Date.now());
  if (asking === undefined) return tooMany(host, rule);
  return asking
    .then(() => counts.take(request, Date.now()))
    .then((still) => (still === undefined ? undefined : tooMany(host, still)));
}

function tooMany(host: string, { text, seconds }: SpentRule): Refusal {
  const how = `Approve it: weir domains approve ${host}, or ask for approval: POST /v1/domains/approval-requests`;
  const message = `${host} is not an approved domain; it is limited to ${text}. Retry in ${seconds} s. ${how}`;
  return { status: 429, code: "rate_limited", message, headers: { "Retry-After": String(seconds) } };
}
