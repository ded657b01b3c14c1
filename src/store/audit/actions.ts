/** What somebody can do to people, keys and organizations, under the names of an audit log. */
export const ACTIONS = {
  "login.done": "somebody logged in",
  "login.failed": "a log-in was refused",
  logout: "somebody logged out",
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
} as const satisfies Readonly<Record<string, string>>;

export type Action = keyof typeof ACTIONS;
