import type { Action } from "../../people/actions.ts";
import type { Permission } from "../../people/permissions.ts";
import type { PluginRoute } from "../../plugin-host/contract.ts";
import type { Caller } from "./caller.ts";

/**
 * What an endpoint requires of its caller: a permission; different permissions for users and for service keys, which keep
 * the rights they had before there were users; any known caller; nothing; or a signed address, else `bodies` (the endpoint
 * checks the signature itself).
 */
export type Needs =
  | Permission
  | { readonly user: Permission; readonly key: Permission }
  | "anybody known"
  | "open"
  | "signed";

/** What an endpoint requires of its caller; and, if it changes something, its action in the audit log, or null if it is not logged. */
type Access = Needs | readonly [needs: Needs, action: Action | null];

/** Every endpoint of Weir. Weir does not start if one is missing here; endpoints of plugins declare a scope instead. */
const ACCESS: Readonly<Record<string, Access>> = {
  "GET /healthz": "open",
  "GET /v1/health": "open",
  "GET /readyz": "open",
  "GET /metrics": "open",
  "GET /docs": "open",
  "GET /openapi.json": "open",
  "POST /mcp": ["anybody known", null],

  "POST /v1/session": ["open", "login.failed"],
  "GET /v1/session": "anybody known",
  "DELETE /v1/session": ["anybody known", "logout"],
  "GET /v1/me": "anybody known",
  "POST /v1/me/password": ["anybody known", "user.changed"],
  "GET /v1/login": "open",
  "GET /v1/login/:name": "open",
  "GET /v1/login/:name/callback": "open",
  "GET /v1/sessions": "anybody known",
  "DELETE /v1/sessions/:id": ["anybody known", "session.ended"],
  "GET /v1/invitations": "admin",
  "POST /v1/invitations": ["admin", "user.invited"],
  "POST /v1/invitations/:token": ["open", "user.created"],
  "DELETE /v1/invitations/:token": ["admin", "invitation.revoked"],
  "GET /v1/members": "admin",
  "PATCH /v1/members/:id": ["admin", "member.changed"],
  "DELETE /v1/members/:id": ["admin", "member.removed"],
  "GET /v1/users": "operator",
  "PATCH /v1/users/:id": ["operator", "user.changed"],
  "DELETE /v1/users/:id": ["operator", "user.removed"],
  "GET /v1/organizations": "operator",
  "POST /v1/organizations": ["operator", "organization.created"],
  "PATCH /v1/organizations/:id": ["operator", "organization.changed"],
  "DELETE /v1/organizations/:id": ["operator", "organization.removed"],
  "GET /v1/audit": "admin",

  "POST /v1/request/query-fast": "figures",
  "POST /v1/request/query": "figures",
  "POST /v1/request/query-ids": "figures",
  "POST /v1/request/count/query": "figures",
  "POST /v1/request/facets/query": "figures",
  "GET /v1/request/:id": "figures",
  "GET /v1/request/:id/cost": "figures",
  "GET /v1/request/:id/body": ["signed", "record.bodies_viewed"],
  "GET /v1/request/:id/assets/:asset": ["signed", "record.bodies_viewed"],
  "GET /v1/request/:id/headers": ["bodies", "record.bodies_viewed"],
  "PUT /v1/request/property": ["write", null],
  "POST /v1/request/score": ["write", null],
  "PUT /v1/request/:id/property": ["write", null],
  "POST /v1/request/:id/score": ["write", null],
  "POST /v1/request/:id/feedback": ["write", null],
  "DELETE /v1/request": ["delete", "records.deleted"],
  "GET /v1/request/:id/comments": "bodies",
  "POST /v1/request/:id/comments": ["write", null],
  "DELETE /v1/request/:id/comments/:comment": ["write", null],
  "GET /v1/shared-links": "bodies",
  "POST /v1/shared-links": ["write", null],
  "DELETE /v1/shared-links/:id": ["write", null],
  "GET /v1/shared/:token": "open",
  "GET /v1/shared/:token/request/:id": "open",
  "GET /v1/shared/:token/request/:id/assets/:asset": "open",
  "POST /v1/import": ["admin", "records.imported"],
  "POST /v1/log": ["write", null],
  "POST /v1/traces": ["write", null],

  "POST /v1/metrics/query": "figures",
  "POST /v1/user/metrics/query": "figures",
  "POST /v1/session/query": "figures",
  "GET /v1/session/:id/tag": "figures",
  "GET /v1/session/:id/spans": "figures",
  "PUT /v1/session/:id/tag": ["write", null],
  "POST /v1/property/query": "figures",
  "POST /v1/property/:name/search": "figures",
  "POST /v1/property/:name/top-costs/query": "figures",

  "POST /v1/score/query": "figures",
  "GET /v1/request/:id/scores": "bodies",

  "GET /v1/judges": "bodies",
  "GET /v1/judges/:id": "bodies",
  "GET /v1/judges/:id/judgements": "bodies",
  "POST /v1/judges": ["admin", "judge.created"],
  "PUT /v1/judges/:id": ["admin", "judge.changed"],
  "PATCH /v1/judges/:id": ["admin", "judge.changed"],
  "DELETE /v1/judges/:id": ["admin", "judge.removed"],
  "POST /v1/judges/try": ["admin", null],
  "POST /v1/judges/:id/run": ["admin", "judge.ran"],
  "DELETE /v1/judges/:id/run": ["admin", "judge.changed"],

  "GET /v1/reviews": "bodies",
  "GET /v1/reviews/:id": "bodies",
  "GET /v1/reviews/:id/answers": "bodies",
  "POST /v1/reviews": ["write", "review.created"],
  "PUT /v1/reviews/:id": ["write", "review.changed"],
  "PATCH /v1/reviews/:id": ["write", "review.changed"],
  "DELETE /v1/reviews/:id": ["write", "review.removed"],
  "POST /v1/reviews/:id/requests": ["write", "review.changed"],
  "POST /v1/reviews/:id/next": ["write", null],
  "PUT /v1/reviews/:id/answers/:request": ["write", null],
  "DELETE /v1/reviews/:id/answers/:request": ["write", null],

  "GET /v1/datasets": "bodies",
  "POST /v1/datasets": ["write", null],
  "GET /v1/datasets/:id": "bodies",
  "PATCH /v1/datasets/:id": ["write", null],
  "DELETE /v1/datasets/:id": ["write", null],
  "GET /v1/datasets/:id/versions": "bodies",
  "GET /v1/datasets/:id/items": "bodies",
  "POST /v1/datasets/:id/items": ["write", null],
  "PATCH /v1/datasets/:id/items/:item": ["write", null],
  "DELETE /v1/datasets/:id/items": ["write", null],
  "GET /v1/datasets/:id/export": "bodies",
  "GET /v1/datasets/:id/runs": "bodies",
  "POST /v1/datasets/:id/runs": ["gateway", "dataset_run.started"],
  "POST /v1/datasets/:id/runs/estimate": ["bodies", null],
  "GET /v1/datasets/:id/runs/:run": "bodies",
  "GET /v1/datasets/:id/runs/:run/items": "bodies",
  "GET /v1/datasets/:id/runs/:run/export": "bodies",
  "POST /v1/datasets/:id/runs/:run/cancel": ["gateway", "dataset_run.cancelled"],
  "POST /v1/datasets/:id/runs/:run/resume": ["gateway", "dataset_run.resumed"],
  "DELETE /v1/datasets/:id/runs/:run": ["write", "dataset_run.removed"],

  "GET /v1/views": "figures",
  "GET /v1/views/:id": "figures",
  "POST /v1/views": ["figures", null],
  "PATCH /v1/views/:id": ["figures", null],
  "DELETE /v1/views/:id": ["figures", null],

  "GET /v1/dashboards": "figures",
  "GET /v1/dashboards/:id": "figures",
  "POST /v1/dashboards": ["figures", "dashboard.created"],
  "PUT /v1/dashboards/:id": ["figures", "dashboard.changed"],
  "DELETE /v1/dashboards/:id": ["figures", "dashboard.removed"],

  "GET /v1/models": "figures",
  "POST /v1/models/:model/expedite": ["write", null],
  "GET /v1/models/:model/mapping": "figures",
  "PUT /v1/models/:model/mapping": ["admin", "mapping.changed"],
  "POST /v1/models/:model/approve": ["admin", "mapping.approved"],
  "POST /v1/models/:model/rollback": ["admin", "mapping.rolled_back"],
  "GET /v1/models/prices": "figures",
  "GET /v1/models/prices/in-force": "figures",
  "PUT /v1/models/prices": ["admin", "price.changed"],
  "DELETE /v1/models/prices": ["admin", "price.removed"],
  "POST /v1/models/prices/recompute": ["operator", "costs.recomputed"],
  "GET /v1/models/prices/recompute/:id": "operator",

  "GET /v1/credentials": "bodies",
  "GET /v1/credentials/:name": "bodies",
  "POST /v1/credentials": ["admin", "credential.created"],
  "PUT /v1/credentials/:name": ["admin", "credential.changed"],
  "POST /v1/credentials/:name/test": ["admin", "credential.tested"],
  "DELETE /v1/credentials/:name": ["admin", "credential.removed"],
  "GET /v1/routes": "figures",
  "GET /v1/routes/:name": "figures",
  "PUT /v1/routes/:name": ["admin", "route.changed"],
  "DELETE /v1/routes/:name": ["admin", "route.removed"],
  "GET /v1/route/health": "figures",
  "GET /v1/route/models": "figures",
  "POST /v1/route/explain": "figures",
  "POST /v1/playground/chat/completions": [{ user: "bodies", key: "gateway" }, null],
  "POST /v1/playground/responses": [{ user: "bodies", key: "gateway" }, null],
  "POST /v1/playground/messages": [{ user: "bodies", key: "gateway" }, null],

  "GET /v1/cache": "figures",
  "POST /v1/cache/metrics/query": "figures",
  "GET /v1/cache/entries": "figures",
  "DELETE /v1/cache": [{ user: "delete", key: "admin" }, "cache.purged"],
  "GET /v1/storage": "figures",
  "GET /v1/retention": "admin",
  "PUT /v1/retention": ["admin", "retention.changed"],
  "POST /v1/retention/run": ["admin", null],

  "GET /v1/alerts": "figures",
  "GET /v1/alerts/:id": "figures",
  "GET /v1/alerts/:id/history": "figures",
  "GET /v1/alerts/:id/deliveries": "bodies",
  "POST /v1/alerts": [{ user: "admin", key: "write" }, "alert.created"],
  "PUT /v1/alerts/:id": [{ user: "admin", key: "write" }, "alert.changed"],
  "PATCH /v1/alerts/:id": [{ user: "admin", key: "write" }, "alert.changed"],
  "DELETE /v1/alerts/:id": [{ user: "admin", key: "write" }, "alert.removed"],
  "POST /v1/alerts/:id/test": [{ user: "admin", key: "write" }, null],
  "GET /v1/webhooks": "bodies",
  "GET /v1/webhooks/:id": "bodies",
  "GET /v1/webhooks/:id/deliveries": "bodies",
  "POST /v1/webhooks": ["admin", "webhook.created"],
  "PUT /v1/webhooks/:id": ["admin", "webhook.changed"],
  "PATCH /v1/webhooks/:id": ["admin", "webhook.changed"],
  "DELETE /v1/webhooks/:id": ["admin", "webhook.removed"],
  "POST /v1/webhooks/:id/test": ["admin", null],

  "GET /v1/keys": "keys",
  "POST /v1/keys": ["keys", "key.created"],
  "POST /v1/keys/:id/rotate": ["keys", "key.rotated"],
  "PATCH /v1/keys/:id": ["admin", "key.changed"],
  "DELETE /v1/keys/:id": ["keys", "key.revoked"],

  "GET /v1/plugins": "bodies",
  "GET /v1/providers": "figures",
};

/** Actions of the endpoints of Weir's own plugins. */
const PLUGIN_ACTIONS: Readonly<Record<string, Action>> = {
  "POST /v1/rate-limits": "limit.created",
  "PUT /v1/rate-limits/:id": "limit.changed",
  "DELETE /v1/rate-limits/:id": "limit.removed",
  "POST /v1/domains/approval-requests": "domain.requested",
  "POST /v1/domains/:domain/verify": "domain.approved",
  "POST /v1/domains/:domain/approve": "domain.approved",
  "POST /v1/domains/:domain/deny": "domain.denied",
  "POST /v1/domains/:domain/revoke": "domain.revoked",
};

const rows = Object.entries(ACCESS).map(([name, access]) => [name, Array.isArray(access) ? access : [access]] as const);

/** What every endpoint of Weir requires. */
export const NEEDS: Readonly<Record<string, Needs>> = Object.fromEntries(rows.map(([name, [needs]]) => [name, needs]));

/** The action of each endpoint in the audit log; null if it is not logged; endpoints that only read are absent. */
export const ACTION_OF: Readonly<Record<string, Action | null>> = {
  ...Object.fromEntries(rows.flatMap(([name, [, action]]) => (action === undefined ? [] : [[name, action]]))),
  ...PLUGIN_ACTIONS,
};

/** What an endpoint of a plugin requires. It may show anything, so `read` requires access to complete records. */
export const PLUGIN_NEEDS: Readonly<Record<PluginRoute["scope"], Needs>> = {
  figures: "figures",
  read: "bodies",
  write: "write",
  admin: "admin",
};

/** The permission that an endpoint requires of a user or a key; undefined if none. */
export function permissionNeeded(needs: Needs, kind: "user" | "key"): Permission | undefined {
  if (typeof needs === "object") return needs[kind];
  if (needs === "signed") return "bodies";
  return needs === "open" || needs === "anybody known" ? undefined : needs;
}

/** The permission that a caller lacks for an endpoint; undefined if none. A user's key needs what its user would need as well. */
export function permissionLacked(
  needs: Needs,
  { user, key, permissions }: Pick<Caller, "user" | "key" | "permissions">,
): Permission | undefined {
  const own = permissionNeeded(needs, user === undefined ? "key" : "user");
  if (own !== undefined && !permissions.includes(own)) return own;
  const users = permissionNeeded(needs, "user");
  return users === undefined || (key.userPermissions?.includes(users) ?? true) ? undefined : users;
}

/** Permissions of endpoints that only read, unless the table names an action. */
const LOOKS: readonly Permission[] = ["figures", "bodies"];

/** Whether the endpoint changes something or costs money: with a cookie, the request must then come from our own pages. */
export function changes(name: string, needs: Needs): boolean {
  if (name.startsWith("GET ")) return false;
  if (Object.hasOwn(ACTION_OF, name)) return true;
  const permission = permissionNeeded(needs, "user");
  return permission !== undefined && !LOOKS.includes(permission);
}
