import type { Permission } from "../../people/permissions.ts";
import type { PluginRoute } from "../../plugin-host/contract.ts";

/**
 * What a caller needs: a permission; a permission that is another one for service keys, which keep what they could do before
 * there were users; to be known at all; nothing; or a signed address, else `bodies` (the endpoint checks the signature itself).
 */
export type Needs =
  | Permission
  | { readonly user: Permission; readonly key: Permission }
  | "anybody known"
  | "open"
  | "signed";

/** What every endpoint needs. One that is not in here does not start; those of plugins say it in their scope. */
export const NEEDS: Readonly<Record<string, Needs>> = {
  "GET /healthz": "open",
  "GET /v1/health": "open",
  "GET /readyz": "open",
  "GET /metrics": "open",
  "GET /docs": "open",
  "GET /openapi.json": "open",
  "POST /mcp": "anybody known",

  "POST /v1/session": "open",
  "GET /v1/session": "anybody known",
  "DELETE /v1/session": "anybody known",
  "GET /v1/me": "anybody known",
  "POST /v1/me/password": "anybody known",
  "GET /v1/login": "open",
  "GET /v1/login/:name": "open",
  "GET /v1/login/:name/callback": "open",
  "GET /v1/sessions": "anybody known",
  "DELETE /v1/sessions/:id": "anybody known",
  "POST /v1/invitations": "admin",
  "POST /v1/invitations/:token": "open",
  "GET /v1/members": "admin",
  "PATCH /v1/members/:id": "admin",
  "DELETE /v1/members/:id": "admin",
  "GET /v1/users": "operator",
  "PATCH /v1/users/:id": "operator",
  "DELETE /v1/users/:id": "operator",
  "GET /v1/organizations": "operator",
  "POST /v1/organizations": "operator",
  "PATCH /v1/organizations/:id": "operator",
  "DELETE /v1/organizations/:id": "operator",
  "GET /v1/audit": "admin",

  "POST /v1/request/query-fast": "figures",
  "POST /v1/request/query": "figures",
  "POST /v1/request/query-ids": "figures",
  "POST /v1/request/count/query": "figures",
  "POST /v1/request/facets/query": "figures",
  "GET /v1/request/:id": "figures",
  "GET /v1/request/:id/cost": "figures",
  "GET /v1/request/:id/body": "signed",
  "GET /v1/request/:id/assets/:asset": "signed",
  "GET /v1/request/:id/headers": "bodies",
  "PUT /v1/request/property": "write",
  "POST /v1/request/score": "write",
  "PUT /v1/request/:id/property": "write",
  "POST /v1/request/:id/score": "write",
  "POST /v1/request/:id/feedback": "write",
  "DELETE /v1/request": "delete",
  "GET /v1/request/:id/comments": "bodies",
  "POST /v1/request/:id/comments": "write",
  "DELETE /v1/request/:id/comments/:comment": "write",
  "GET /v1/shared-links": "bodies",
  "POST /v1/shared-links": "write",
  "DELETE /v1/shared-links/:id": "write",
  "GET /v1/shared/:token": "open",
  "GET /v1/shared/:token/request/:id": "open",
  "GET /v1/shared/:token/request/:id/assets/:asset": "open",
  "POST /v1/import": "admin",
  "POST /v1/log": "write",
  "POST /v1/traces": "write",

  "POST /v1/metrics/query": "figures",
  "POST /v1/user/metrics/query": "figures",
  "POST /v1/session/query": "figures",
  "GET /v1/session/:id/tag": "figures",
  "GET /v1/session/:id/spans": "figures",
  "PUT /v1/session/:id/tag": "write",
  "POST /v1/property/query": "figures",
  "POST /v1/property/:name/search": "figures",
  "POST /v1/property/:name/top-costs/query": "figures",

  "POST /v1/score/query": "figures",
  "GET /v1/request/:id/scores": "bodies",

  "GET /v1/judges": "bodies",
  "GET /v1/judges/:id": "bodies",
  "GET /v1/judges/:id/judgements": "bodies",
  "POST /v1/judges": "admin",
  "PUT /v1/judges/:id": "admin",
  "PATCH /v1/judges/:id": "admin",
  "DELETE /v1/judges/:id": "admin",
  "POST /v1/judges/try": "admin",
  "POST /v1/judges/:id/run": "admin",
  "DELETE /v1/judges/:id/run": "admin",

  "GET /v1/reviews": "bodies",
  "GET /v1/reviews/:id": "bodies",
  "GET /v1/reviews/:id/answers": "bodies",
  "POST /v1/reviews": "write",
  "PUT /v1/reviews/:id": "write",
  "PATCH /v1/reviews/:id": "write",
  "DELETE /v1/reviews/:id": "write",
  "POST /v1/reviews/:id/requests": "write",
  "POST /v1/reviews/:id/next": "write",
  "PUT /v1/reviews/:id/answers/:request": "write",
  "DELETE /v1/reviews/:id/answers/:request": "write",

  "GET /v1/datasets": "bodies",
  "POST /v1/datasets": "write",
  "GET /v1/datasets/:id": "bodies",
  "PATCH /v1/datasets/:id": "write",
  "DELETE /v1/datasets/:id": "write",
  "GET /v1/datasets/:id/versions": "bodies",
  "GET /v1/datasets/:id/items": "bodies",
  "POST /v1/datasets/:id/items": "write",
  "PATCH /v1/datasets/:id/items/:item": "write",
  "DELETE /v1/datasets/:id/items": "write",
  "GET /v1/datasets/:id/export": "bodies",
  "GET /v1/datasets/:id/runs": "bodies",
  "POST /v1/datasets/:id/runs": "gateway",
  "POST /v1/datasets/:id/runs/estimate": "bodies",
  "GET /v1/datasets/:id/runs/:run": "bodies",
  "GET /v1/datasets/:id/runs/:run/items": "bodies",
  "GET /v1/datasets/:id/runs/:run/export": "bodies",
  "POST /v1/datasets/:id/runs/:run/cancel": "gateway",
  "POST /v1/datasets/:id/runs/:run/resume": "gateway",
  "DELETE /v1/datasets/:id/runs/:run": "write",

  "GET /v1/views": "figures",
  "GET /v1/views/:id": "figures",
  "POST /v1/views": "figures",
  "PATCH /v1/views/:id": "figures",
  "DELETE /v1/views/:id": "figures",

  "GET /v1/dashboards": "figures",
  "GET /v1/dashboards/:id": "figures",
  "POST /v1/dashboards": "figures",
  "PUT /v1/dashboards/:id": "figures",
  "DELETE /v1/dashboards/:id": "figures",

  "GET /v1/models": "figures",
  "POST /v1/models/:model/expedite": "write",
  "GET /v1/models/:model/mapping": "figures",
  "PUT /v1/models/:model/mapping": "admin",
  "POST /v1/models/:model/approve": "admin",
  "POST /v1/models/:model/rollback": "admin",
  "GET /v1/models/prices": "figures",
  "GET /v1/models/prices/in-force": "figures",
  "PUT /v1/models/prices": "admin",
  "DELETE /v1/models/prices": "admin",
  "POST /v1/models/prices/recompute": "operator",
  "GET /v1/models/prices/recompute/:id": "operator",

  "GET /v1/credentials": "bodies",
  "GET /v1/credentials/:name": "bodies",
  "POST /v1/credentials": "admin",
  "PUT /v1/credentials/:name": "admin",
  "POST /v1/credentials/:name/test": "admin",
  "DELETE /v1/credentials/:name": "admin",
  "GET /v1/routes": "figures",
  "GET /v1/routes/:name": "figures",
  "PUT /v1/routes/:name": "admin",
  "DELETE /v1/routes/:name": "admin",
  "GET /v1/route/health": "figures",
  "GET /v1/route/models": "figures",
  "POST /v1/route/explain": "figures",
  "POST /v1/playground/chat/completions": { user: "bodies", key: "gateway" },
  "POST /v1/playground/responses": { user: "bodies", key: "gateway" },
  "POST /v1/playground/messages": { user: "bodies", key: "gateway" },

  "GET /v1/cache": "figures",
  "POST /v1/cache/metrics/query": "figures",
  "GET /v1/cache/entries": "figures",
  "DELETE /v1/cache": { user: "delete", key: "admin" },
  "GET /v1/storage": "figures",
  "GET /v1/retention": "admin",
  "PUT /v1/retention": "admin",
  "POST /v1/retention/run": "admin",

  "GET /v1/alerts": "figures",
  "GET /v1/alerts/:id": "figures",
  "GET /v1/alerts/:id/history": "figures",
  "GET /v1/alerts/:id/deliveries": "bodies",
  "POST /v1/alerts": { user: "admin", key: "write" },
  "PUT /v1/alerts/:id": { user: "admin", key: "write" },
  "PATCH /v1/alerts/:id": { user: "admin", key: "write" },
  "DELETE /v1/alerts/:id": { user: "admin", key: "write" },
  "POST /v1/alerts/:id/test": { user: "admin", key: "write" },
  "GET /v1/webhooks": "bodies",
  "GET /v1/webhooks/:id": "bodies",
  "GET /v1/webhooks/:id/deliveries": "bodies",
  "POST /v1/webhooks": "admin",
  "PUT /v1/webhooks/:id": "admin",
  "PATCH /v1/webhooks/:id": "admin",
  "DELETE /v1/webhooks/:id": "admin",
  "POST /v1/webhooks/:id/test": "admin",

  "GET /v1/keys": "keys",
  "POST /v1/keys": "keys",
  "POST /v1/keys/:id/rotate": "keys",
  "DELETE /v1/keys/:id": "keys",

  "GET /v1/plugins": "bodies",
  "GET /v1/providers": "figures",
};

/** What the endpoint of a plugin needs: what it shows may be anything, so `read` is all of a record. */
export const PLUGIN_NEEDS: Readonly<Record<PluginRoute["scope"], Needs>> = {
  figures: "figures",
  read: "bodies",
  write: "write",
  admin: "admin",
};

/** The permission that an endpoint asks of a user or of a key; undefined where it asks none. */
export function permissionNeeded(needs: Needs, kind: "user" | "key"): Permission | undefined {
  if (typeof needs === "object") return needs[kind];
  if (needs === "signed") return "bodies";
  return needs === "open" || needs === "anybody known" ? undefined : needs;
}

/** Permissions with which somebody changes nothing and spends no money. */
const LOOKS: readonly Permission[] = ["figures", "bodies"];

/** What such an endpoint does changes something or costs money: with a cookie it has to be asked by our own pages. */
export function changes(method: string, needs: Needs): boolean {
  if (method === "GET") return false;
  if (typeof needs === "object") return true;
  const permission = permissionNeeded(needs, "user");
  return permission !== undefined && !LOOKS.includes(permission);
}
