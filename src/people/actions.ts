/** The actions of audit log entries, a closed list. The API, the documentation and the tests read it. */
export const ACTIONS = {
  "login.done": "somebody logged in",
  "login.failed": "a log-in was refused",
  logout: "somebody logged out",
  "access.refused": "a refused attempt without an action of its own",
  "session.ended": "a log-in was ended by its user or an admin",
  "user.invited": "an invitation was created",
  "invitation.revoked": "an invitation was revoked before it was used",
  "user.created": "a user was created, by command, invitation or single sign-on",
  "user.changed": "a user was renamed, made operator, or has a new password",
  "user.disabled": "a user was disabled or enabled again",
  "user.removed": "a user was removed",
  "member.added": "a user became a member of an organization",
  "member.changed": "a member's role changed",
  "member.removed": "a user is not a member any more",
  "organization.created": "an organization was created",
  "organization.changed": "an organization was renamed, or its limit for keys changed",
  "organization.removed": "an organization was removed with all its data",
  "key.created": "a service key was created",
  "key.changed": "a service key was transferred",
  "key.rotated": "a service key has a new secret",
  "key.revoked": "a service key was revoked",
  "credential.created": "a provider's key was stored",
  "credential.changed": "a credential has a new secret or other terms",
  "credential.removed": "a credential was removed",
  "credential.tested": "a credential was tested at its provider",
  "route.created": "a route was created",
  "route.changed": "a route was replaced",
  "route.removed": "a route was removed",
  "limit.created": "a rate limit was created",
  "limit.changed": "a rate limit was changed",
  "limit.removed": "a rate limit was removed",
  "domain.requested": "the approval of a domain was requested",
  "domain.approved": "a domain was approved, by an admin or by its DNS record",
  "domain.denied": "a domain was denied",
  "domain.revoked": "the approval of a domain was revoked",
  "price.changed": "a custom price was set",
  "price.removed": "a custom price was removed",
  "costs.recomputed": "recorded usage was priced again, by the API",
  "mapping.changed": "a model has a new mapping, from an admin or from the mapper",
  "mapping.approved": "a mapping was approved",
  "mapping.rolled_back": "a model has its previous mapping again, or none",
  "alert.created": "an alert was created",
  "alert.changed": "an alert was changed",
  "alert.removed": "an alert was removed",
  "judge.created": "a judge was created",
  "judge.changed": "a judge was changed, or switched on or off",
  "judge.removed": "a judge was removed",
  "judge.ran": "a judge was started on recorded requests",
  "review.created": "a review was created",
  "review.changed": "a review was changed",
  "review.removed": "a review was removed",
  "webhook.created": "a webhook was created",
  "webhook.changed": "a webhook was changed",
  "webhook.removed": "a webhook was removed",
  "dashboard.created": "a dashboard was created, copied or imported",
  "dashboard.changed": "a dashboard was replaced",
  "dashboard.removed": "a dashboard was removed",
  "dataset_run.started": "a dataset was sent to models",
  "dataset_run.cancelled": "a run of a dataset was cancelled",
  "dataset_run.resumed": "a run of a dataset was resumed",
  "dataset_run.removed": "a run of a dataset was deleted",
  "retention.changed": "the retention of records or bodies was changed",
  "records.deleted": "records were deleted by ids, filter or with their organization",
  "records.exported": "an export of records began",
  "records.imported": "records were imported",
  "record.bodies_viewed": "a person viewed the content of a request: once per record, person and hour",
  "cache.purged": "stored responses were removed from the cache",
  "backup.made": "a backup was created",
  "config.reloaded": "the configuration or its certificates were reloaded",
  "plugin.loaded": "a plugin or provider was loaded or reloaded",
  "plugin.failed": "a plugin or provider could not be loaded: the previous version stays",
} as const satisfies Readonly<Record<string, string>>;

export type Action = keyof typeof ACTIONS;

/** An entry's description of an action, without its actor. */
export interface Act {
  readonly action: Action;
  /** Null if it concerns the deployment. */
  readonly organizationId: string | null;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string };
  /** State before and after; secrets are masked. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export type ActionOutcome = "done" | "refused";
