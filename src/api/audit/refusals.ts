import type { Action } from "../../people/actions.ts";
import { noted } from "../../store/audit/recorded.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import type { ApiContext } from "../context.ts";
import { methodOf } from "../endpoint.ts";

/**
 * The action that each endpoint is for, where it has one in the audit log; null for what changes something that has no
 * entries. Every endpoint that changes something stands here, which a test holds.
 */
export const ACTION_OF: Readonly<Record<string, Action | null>> = {
  "POST /v1/session": "login.failed",
  "DELETE /v1/session": "logout",
  "POST /v1/me/password": "user.changed",
  "DELETE /v1/sessions/:id": "session.ended",
  "POST /v1/invitations": "user.invited",
  "POST /v1/invitations/:token": "user.created",
  "PATCH /v1/members/:id": "member.changed",
  "DELETE /v1/members/:id": "member.removed",
  "PATCH /v1/users/:id": "user.changed",
  "DELETE /v1/users/:id": "user.removed",
  "POST /v1/organizations": "organization.created",
  "PATCH /v1/organizations/:id": "organization.changed",
  "DELETE /v1/organizations/:id": "organization.removed",
  "GET /v1/request/:id/body": "record.bodies_viewed",
  "GET /v1/request/:id/assets/:asset": "record.bodies_viewed",
  "GET /v1/request/:id/headers": "record.bodies_viewed",
  "DELETE /v1/request": "records.deleted",
  "POST /v1/import": "records.imported",
  "PUT /v1/models/:model/mapping": "mapping.changed",
  "POST /v1/models/:model/approve": "mapping.approved",
  "POST /v1/models/:model/rollback": "mapping.rolled_back",
  "PUT /v1/models/prices": "price.changed",
  "DELETE /v1/models/prices": "price.removed",
  "POST /v1/models/prices/recompute": "costs.recomputed",
  "POST /v1/credentials": "credential.created",
  "PUT /v1/credentials/:name": "credential.changed",
  "POST /v1/credentials/:name/test": "credential.tested",
  "DELETE /v1/credentials/:name": "credential.removed",
  "PUT /v1/routes/:name": "route.changed",
  "DELETE /v1/routes/:name": "route.removed",
  "DELETE /v1/cache": "cache.purged",
  "PUT /v1/retention": "retention.changed",
  "POST /v1/alerts": "alert.created",
  "PUT /v1/alerts/:id": "alert.changed",
  "PATCH /v1/alerts/:id": "alert.changed",
  "DELETE /v1/alerts/:id": "alert.removed",
  "POST /v1/webhooks": "webhook.created",
  "PUT /v1/webhooks/:id": "webhook.changed",
  "PATCH /v1/webhooks/:id": "webhook.changed",
  "DELETE /v1/webhooks/:id": "webhook.removed",
  "POST /v1/dashboards": "dashboard.created",
  "PUT /v1/dashboards/:id": "dashboard.changed",
  "DELETE /v1/dashboards/:id": "dashboard.removed",
  "POST /v1/keys": "key.created",
  "POST /v1/keys/:id/rotate": "key.rotated",
  "DELETE /v1/keys/:id": "key.revoked",
  "POST /v1/rate-limits": "limit.created",
  "PUT /v1/rate-limits/:id": "limit.changed",
  "DELETE /v1/rate-limits/:id": "limit.removed",
  "POST /v1/domains/approval-requests": "domain.requested",
  "POST /v1/domains/:domain/verify": "domain.approved",
  "POST /v1/domains/:domain/approve": "domain.approved",
  "POST /v1/domains/:domain/deny": "domain.denied",
  "POST /v1/domains/:domain/revoke": "domain.revoked",
  // The records' own data.
  "PUT /v1/request/property": null,
  "POST /v1/request/score": null,
  "PUT /v1/request/:id/property": null,
  "POST /v1/request/:id/score": null,
  "POST /v1/request/:id/feedback": null,
  "POST /v1/request/:id/comments": null,
  "DELETE /v1/request/:id/comments/:comment": null,
  "POST /v1/log": null,
  "POST /v1/traces": null,
  "PUT /v1/session/:id/tag": null,
  "POST /v1/datasets": null,
  "PATCH /v1/datasets/:id": null,
  "DELETE /v1/datasets/:id": null,
  "POST /v1/datasets/:id/items": null,
  "PATCH /v1/datasets/:id/items/:item": null,
  "DELETE /v1/datasets/:id/items": null,
  "POST /v1/judges": "judge.created",
  "PUT /v1/judges/:id": "judge.changed",
  "PATCH /v1/judges/:id": "judge.changed",
  "DELETE /v1/judges/:id": "judge.removed",
  "POST /v1/judges/try": null,
  "POST /v1/judges/:id/run": "judge.ran",
  "DELETE /v1/judges/:id/run": "judge.changed",
  "POST /v1/reviews": "review.created",
  "PUT /v1/reviews/:id": "review.changed",
  "PATCH /v1/reviews/:id": "review.changed",
  "DELETE /v1/reviews/:id": "review.removed",
  "POST /v1/reviews/:id/requests": "review.changed",
  "POST /v1/reviews/:id/next": null,
  "PUT /v1/reviews/:id/answers/:request": null,
  "DELETE /v1/reviews/:id/answers/:request": null,
  "POST /v1/datasets/:id/runs/estimate": null,
  "POST /v1/datasets/:id/runs": "dataset_run.started",
  "POST /v1/datasets/:id/runs/:run/cancel": "dataset_run.cancelled",
  "POST /v1/datasets/:id/runs/:run/resume": "dataset_run.resumed",
  "DELETE /v1/datasets/:id/runs/:run": "dataset_run.removed",
  // One's own views and links.
  "POST /v1/shared-links": null,
  "DELETE /v1/shared-links/:id": null,
  "POST /v1/views": null,
  "PATCH /v1/views/:id": null,
  "DELETE /v1/views/:id": null,
  // What they start has its entries when it happens.
  "POST /mcp": null,
  "POST /v1/models/:model/expedite": null,
  "POST /v1/retention/run": null,
  "POST /v1/alerts/:id/test": null,
  "POST /v1/webhooks/:id/test": null,
  "POST /v1/playground/chat/completions": null,
  "POST /v1/playground/responses": null,
  "POST /v1/playground/messages": null,
};

/** Repeated equal refusals of a caller within this time share one entry, so that callers cannot fill the log. */
const REPEATED_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Notes requests that were refused for want of a permission. */
export class Refusals {
  readonly #room: ApiContext;
  /** When the last of a kind was noted, the oldest first. */
  readonly #times = new Map<string, number>();

  constructor(room: ApiContext) {
    this.#room = room;
  }

  /** @param path - the endpoint's pattern. */
  async note(request: Request, caller: Caller, path: string): Promise<void> {
    const endpoint = `${methodOf(request)} ${path}`;
    const name = `${caller.actor.id} ${endpoint}`;
    const now = performance.now();
    const last = this.#times.get(name);
    if (last !== undefined && now - last < REPEATED_MS) return;
    this.#times.delete(name);
    this.#times.set(name, now);
    if (this.#times.size > REMEMBERED_MAX) this.#times.delete(this.#times.keys().next().value!);
    const action = (Object.hasOwn(ACTION_OF, endpoint) ? ACTION_OF[endpoint] : undefined) ?? "access.refused";
    const object = { kind: "endpoint", id: endpoint, name: new URL(request.url).pathname };
    const organizationId = caller.organizationId === "" ? null : caller.organizationId;
    const { records } = await this.#room.writer();
    await noted(records, actingOf(caller), { action, organizationId, object }, "refused");
  }
}
