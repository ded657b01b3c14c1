/** What entries of the audit log say was done. The API, the documentation and the tests read this list; it is closed. */
export const ACTIONS = {
  "login.done": "somebody logged in",
  "login.failed": "a log-in was refused",
  logout: "somebody logged out",
  "access.refused": "somebody asked for what they may not do, and what has no action of its own",
  "session.ended": "a log-in was ended by its user or an admin",
  "user.invited": "an invitation was made",
  "user.created": "a user was made, by command, invitation or single sign-on",
  "user.changed": "a user was renamed, made operator, or has a new password",
  "user.disabled": "a user was disabled or enabled again",
  "user.removed": "a user was removed",
  "member.added": "a user became a member of an organization",
  "member.changed": "a member's role changed",
  "member.removed": "a user is no member any more",
  "organization.created": "an organization was made",
  "organization.changed": "an organization was renamed, or its bound of keys changed",
  "organization.removed": "an organization was removed with all it had",
  "key.created": "a service key was made",
  "key.changed": "a service key was handed over",
  "key.rotated": "a service key has a new secret",
  "key.revoked": "a service key was revoked",
  "credential.created": "a provider's key was stored",
  "credential.changed": "a credential has a new secret or other terms",
  "credential.removed": "a credential was removed",
  "credential.tested": "a credential was tried at its provider",
  "route.created": "a route was made",
  "route.changed": "a route was replaced",
  "route.removed": "a route was removed",
  "limit.created": "a rate limit was made",
  "limit.changed": "a rate limit was changed",
  "limit.removed": "a rate limit was removed",
  "domain.requested": "somebody asked for the approval of a domain",
  "domain.approved": "a domain was approved, by an admin or by its DNS record",
  "domain.denied": "a domain was denied",
  "domain.revoked": "the approval of a domain was taken back",
  "price.changed": "an own price was set",
  "price.removed": "an own price was removed",
  "costs.recomputed": "recorded usage was priced again, by the API",
  "mapping.changed": "a model has a new mapping, from an admin or from the mapper",
  "mapping.approved": "a mapping was approved",
  "mapping.rolled_back": "a model has the mapping before again, or none",
  "alert.created": "an alert was made",
  "alert.changed": "an alert was changed",
  "alert.removed": "an alert was removed",
  "judge.created": "a judge was made",
  "judge.changed": "a judge was changed, or switched on or off",
  "judge.removed": "a judge was removed",
  "judge.ran": "a judge was ordered to judge recorded requests",
  "review.created": "a review was made",
  "review.changed": "a review was changed",
  "review.removed": "a review was removed",
  "webhook.created": "a webhook was made",
  "webhook.changed": "a webhook was changed",
  "webhook.removed": "a webhook was removed",
  "dashboard.created": "a dashboard was made, copied or imported",
  "dashboard.changed": "a dashboard was replaced",
  "dashboard.removed": "a dashboard was removed",
  "dataset_run.started": "a dataset was sent to models",
  "dataset_run.cancelled": "a run of a dataset was cancelled",
  "dataset_run.resumed": "a run of a dataset went on",
  "dataset_run.removed": "a run of a dataset was deleted",
  "retention.changed": "how long records or bodies are kept was changed",
  "records.deleted": "records were deleted by ids, filter or with their organization",
  "records.exported": "an export of records began",
  "records.imported": "records were imported",
  "record.bodies_viewed": "a person looked at what was said in a request: once for a record, person and hour",
  "cache.purged": "stored responses were removed from the cache",
  "backup.made": "a backup was made",
  "config.reloaded": "the configuration or its certificates were read again",
  "plugin.loaded": "a plugin or provider was loaded, or loaded again",
  "plugin.failed": "a plugin or provider could not be loaded: the version before stays",
} as const satisfies Readonly<Record<string, string>>;

export type Action = keyof typeof ACTIONS;

/** What an entry says of an act beside who did it. */
export interface Act {
  readonly action: Action;
  /** Null where it concerns the deployment. */
  readonly organizationId: string | null;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string };
  /** What was and what is; secrets in it are masked. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export type Outcome = "done" | "refused";
