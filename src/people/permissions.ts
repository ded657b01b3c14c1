/** The permissions in an organization, with the texts for errors, documentation and `GET /v1/me`. */
export const PERMISSIONS = {
  gateway: "send requests",
  figures: "read records without their content, and aggregates, sessions, users and properties",
  bodies: "read the rest of a record: bodies, texts, assets; export with bodies; the playground",
  write: "set properties, scores and feedback, and log",
  delete: "delete records",
  keys: "create, rotate and revoke your own keys",
  admin:
    "administer the organization: keys, members, credentials, routes, limits, prices, mappings, alerts, webhooks, retention",
  operator:
    "operate the deployment: organizations, users, shared credentials, and everything that concerns all organizations",
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

/** The permissions of each scope of a key. Admin keys of the first organization are also operators. */
const SCOPE_PERMISSIONS: Readonly<Record<Scope, readonly Permission[]>> = {
  gateway: ["gateway"],
  figures: ["figures"],
  read: ["figures", "bodies"],
  write: ["write", "delete"],
  admin: ALL.filter((permission) => permission !== "operator"),
};

/** The permission behind a scope: a caller without it cannot give a key the scope. */
const MEANT: Readonly<Record<Scope, Permission>> = {
  gateway: "gateway",
  figures: "figures",
  read: "bodies",
  write: "write",
  admin: "admin",
};

/** The permissions of these scopes, in the order of `PERMISSIONS`. */
export function permissionsOf(scopes: readonly Scope[]): readonly Permission[] {
  const allowed = new Set(scopes.flatMap((scope) => SCOPE_PERMISSIONS[scope]));
  return ALL.filter((permission) => allowed.has(permission));
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });

/** Who has a permission: the scopes of keys, and the weakest role. */
export function holdersOf(permission: Permission): string {
  const role = `the role ${ROLE_NAMES.find((name) => ROLES[name].includes(permission))}`;
  if (permission === "operator") return `an admin key of the first organization, or ${role}`;
  const scopes = SCOPES.filter((scope) => SCOPE_PERMISSIONS[scope].includes(permission));
  return `a key with the scope ${OR.format(scopes)}, or ${role}`;
}

/** The scopes that a caller with these permissions may grant. */
export function scopesWithin(scopes: readonly Scope[], own: readonly Permission[]): readonly Scope[] {
  return scopes.filter((scope) => own.includes(MEANT[scope]));
}

/** The stronger of two roles. */
export function stronger(one: Role, other: Role): Role {
  return ROLE_NAMES.indexOf(one) > ROLE_NAMES.indexOf(other) ? one : other;
}
