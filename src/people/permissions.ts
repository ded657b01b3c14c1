/** What somebody may do in an organization, in the words of errors, documentation and `GET /v1/me`. */
export const PERMISSIONS = {
  gateway: "send requests",
  figures: "read records without what was said in them, and aggregates, sessions, users and properties",
  bodies: "read the rest of a record: bodies, texts, assets; export with bodies; the playground",
  write: "set properties, scores and feedback, and log",
  delete: "delete records",
  keys: "make, rotate and revoke keys of one's own",
  admin:
    "administer the organization: keys, members, credentials, routes, limits, prices, mappings, alerts, webhooks, retention",
  operator: "operate the deployment: organizations, users, shared credentials, and what concerns every organization",
} as const satisfies Readonly<Record<string, string>>;

export type Permission = keyof typeof PERMISSIONS;

const ALL = Object.keys(PERMISSIONS) as Permission[];

/** From weakest to strongest. */
export const ROLE_NAMES = ["viewer", "analyst", "developer", "admin", "operator"] as const;
export type Role = (typeof ROLE_NAMES)[number];

const ANALYST: readonly Permission[] = ["figures", "bodies", "write"];
const DEVELOPER: readonly Permission[] = [...ANALYST, "gateway", "keys"];

/** `operator` is a property of a user and counts in every organization; the others belong to a membership. */
export const ROLES: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ["figures"],
  analyst: ANALYST,
  developer: DEVELOPER,
  admin: [...DEVELOPER, "delete", "admin"],
  operator: ALL,
};

export const SCOPES = ["gateway", "figures", "read", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key may do by each of its scopes. Admin keys of the first organization are operators besides. */
export const SCOPE_PERMISSIONS: Readonly<Record<Scope, readonly Permission[]>> = {
  gateway: ["gateway"],
  figures: ["figures"],
  read: ["figures", "bodies"],
  write: ["write", "delete"],
  admin: ALL.filter((permission) => permission !== "operator"),
};

/** The permission that a scope stands for: who lacks it cannot give a key the scope. */
const MEANT: Readonly<Record<Scope, Permission>> = {
  gateway: "gateway",
  figures: "figures",
  read: "bodies",
  write: "write",
  admin: "admin",
};

/** What these scopes allow, in the order of `PERMISSIONS`. */
export function permissionsOf(scopes: readonly Scope[]): readonly Permission[] {
  const allowed = new Set(scopes.flatMap((scope) => SCOPE_PERMISSIONS[scope]));
  return ALL.filter((permission) => allowed.has(permission));
}

/** Those of the scopes that somebody with these permissions may give away. */
export function scopesWithin(scopes: readonly Scope[], own: readonly Permission[]): readonly Scope[] {
  return scopes.filter((scope) => own.includes(MEANT[scope]));
}

/** The stronger of two roles. */
export function stronger(one: Role, other: Role): Role {
  return ROLE_NAMES.indexOf(one) > ROLE_NAMES.indexOf(other) ? one : other;
}
