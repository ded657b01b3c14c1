import type { GatewayAccess, PluginRoute, RouteAnswer, RouteCall, RouteCaller } from "weir/plugin";
import type { Ledger } from "./ledger.ts";
import { type StoredPolicies, type StoredPolicy, whyBadPolicy } from "./stored.ts";
import { usageOf } from "./usage.ts";

/** Only for the API's description: the policy's own validation reports errors. */
const BODY = {
  type: "object",
  properties: {
    name: { description: "Its name, 1 to 200 characters." },
    quota: { description: "Requests, US cents or tokens, from 0; 0 refuses all." },
    window_seconds: {
      description: "A sliding window: from 1 second to 31536000, a year. Required unless calendar is given.",
    },
    calendar: { description: "day, week or month in place of window_seconds: the count restarts at 0 with each." },
    time_zone: { description: "The time zone in which days begin, such as Europe/Berlin; default UTC." },
    unit: { description: "request, cents or tokens; request where it is left out." },
    segment: { description: "null, user or the name of a property." },
    key_id: { description: "null for every key of the organization." },
  },
};

export function rateLimitRoutes(
  stored: StoredPolicies,
  ledger: Ledger,
  organizationOfKey: GatewayAccess["organizationOfKey"],
): readonly PluginRoute[] {
  /** Only the operator may name another organization's key; other callers cannot find out whether it exists. */
  const mayName = (keyId: string, { operator, organizationId }: RouteCaller) => {
    const owner = organizationOfKey(keyId);
    return owner !== undefined && (operator || owner === organizationId);
  };
  const one = (call: RouteCall, change: (policy: StoredPolicy) => Promise<RouteAnswer>) => {
    const policy = stored.list(call.caller).find(({ id }) => id === call.params["id"]);
    if (policy === undefined) return { status: 404, message: "there is no rate limit with this id" };
    if (policy.source === "configuration") {
      return {
        status: 409,
        code: "defined_in_file",
        message: "this rate limit is defined in the configuration file; change it there",
      };
    }
    return change(policy);
  };
  const keep = async (call: RouteCall, before?: StoredPolicy): Promise<RouteAnswer> => {
    const wrong = whyBadPolicy(call.body);
    if (wrong !== undefined) return { status: 400, message: wrong.message, path: wrong.path };
    const { key_id: keyId = null } = call.body;
    if (keyId !== null && !mayName(keyId, call.caller)) {
      return { status: 400, message: "key_id: no key has this id; GET /v1/keys lists them", path: "key_id" };
    }
    return { data: show(await stored.put(call.body, call.caller, before)) };
  };
  return [
    {
      method: "GET",
      path: "/v1/rate-limits",
      scope: "figures",
      summary: "List rate limits and their use",
      handle: async ({ caller }) => {
        const counted = await ledger.countedOf(caller.organizationId ?? "");
        const now = Date.now();
        return {
          data: stored
            .list(caller)
            .map((policy) => ({ ...show(policy), ...usageOf(counted, stored.policyOf(policy), now) })),
        };
      },
    },
    {
      method: "POST",
      path: "/v1/rate-limits",
      scope: "admin",
      summary: "Create a rate limit",
      body: BODY,
      handle: (call) => keep(call),
    },
    {
      method: "PUT",
      path: "/v1/rate-limits/:id",
      scope: "admin",
      summary: "Replace a rate limit; its count stays",
      body: BODY,
      handle: (call) => one(call, (policy) => keep(call, policy)),
    },
    {
      method: "DELETE",
      path: "/v1/rate-limits/:id",
      scope: "admin",
      summary: "Delete a rate limit",
      handle: (call) =>
        one(call, async (policy) => {
          await stored.remove(policy.id);
          return { data: show(policy) };
        }),
    },
  ];
}

function show({ organization: _organization, operator: _operator, ...policy }: StoredPolicy) {
  return policy;
}
