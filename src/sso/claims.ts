/** A provider's claims about a user, from the ID token and, if requested, its userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** Limits: groups of a user, and characters of one group. */
const GROUPS_MAX = 10_000;
const GROUP_CHARS_MAX = 1_000;

/** A claim by its name; if there is none with this name, dots lead into objects, as in Keycloak's `realm_access.roles`. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Claims)[step];
  }
  return value;
}

/** From a list, one string, or the members of an object, as in Zitadel's roles. Undefined without a claim about groups. */
export function groupsIn(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const all = typeof value === "string" ? [value] : Array.isArray(value) ? value : namesOf(value);
  return all
    .slice(0, GROUPS_MAX)
    .filter((group): group is string => typeof group === "string" && group !== "" && group.length <= GROUP_CHARS_MAX);
}

function namesOf(value: unknown): readonly string[] {
  return typeof value === "object" ? Object.keys(value as object) : [];
}

/** Entra ID omits groups from the tokens of users in many groups, and marks the omission in one of two ways. */
export function leavesGroupsOut(claims: Claims, groupsClaim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims;
  const isElsewhere = typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim);
  return isElsewhere || hasgroups === true || hasgroups === "true";
}

/** A user whom a provider has authenticated. */
export interface Person {
  /** Never changes at the provider, whereas an e-mail address may. */
  readonly subject: string;
  /** In the stored form of addresses. */
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly claims: Claims;
}
