import { GatewayError } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import { storedEmail } from "../people/email.ts";
import { ROLE_NAMES, type Role, stronger } from "../people/permissions.ts";
import { claimAt, type Person } from "./claims.ts";

/** A role in an organization, with its conditions. All given conditions must match. */
export interface Rule {
  readonly group?: string;
  /** In lower case. */
  readonly domain?: string;
  /** In the stored form. */
  readonly email?: string;
  readonly claim?: { readonly name: string; readonly value: string | number | boolean };
  /** By name. */
  readonly organization: string;
  readonly role: Exclude<Role, "operator">;
}

const CONDITIONS = ["group", "domain", "email", "claim"] as const;
const MEMBERS = [...CONDITIONS, "organization", "role"] as const;
const ROLES = ROLE_NAMES.filter((role) => role !== "operator");

/** The result of the rules for a user: by the organization's name, the strongest role of all matching rules. */
export function rolesByRules(rules: readonly Rule[], person: Person): ReadonlyMap<string, Rule["role"]> {
  const roles = new Map<string, Rule["role"]>();
  for (const { organization, role, ...rule } of rules) {
    if (!fits(rule, person)) continue;
    roles.set(organization, stronger(role, roles.get(organization) ?? role) as Rule["role"]);
  }
  return roles;
}

function fits({ group, domain, email, claim }: Omit<Rule, "organization" | "role">, person: Person): boolean {
  if (group !== undefined && !person.groups.includes(group)) return false;
  if (domain !== undefined && !person.email.endsWith(`@${domain}`)) return false;
  if (email !== undefined && person.email !== email) return false;
  if (claim === undefined) return true;
  const value = claimAt(person.claims, claim.name);
  return Array.isArray(value) ? value.includes(claim.value) : value === claim.value;
}

/** @throws GatewayError `invalid_body` that names the rule and the member. */
export function readRules(value: unknown = []): readonly Rule[] {
  if (!Array.isArray(value)) throw wrong("rules", "must be a list of tables");
  return value.map((each, at) => readRule(each, `rules[${at}]`));
}

function readRule(value: unknown, path: string): Rule {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(path, "must be a table");
  const table = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(table).find((member) => !(MEMBERS as readonly string[]).includes(member));
  if (unknown !== undefined) {
    const near = nearestName(unknown, MEMBERS);
    throw wrong(`${path}.${unknown}`, `there is no such member${near === undefined ? "" : `; did you mean ${near}?`}`);
  }
  if (!CONDITIONS.some((member) => table[member] !== undefined))
    throw wrong(path, `needs a condition: ${CONDITIONS.join(", ")}`);
  const text = (member: string): string => {
    const given = table[member];
    if (typeof given === "string" && given !== "") return given;
    throw wrong(`${path}.${member}`, given === undefined ? "is missing" : "must be a text");
  };
  const { claim } = table;
  return {
    ...(table["group"] !== undefined && { group: text("group") }),
    ...(table["domain"] !== undefined && { domain: text("domain").replace(/^@/, "").toLowerCase() }),
    ...(table["email"] !== undefined && { email: readEmail(text("email"), `${path}.email`) }),
    ...(claim !== undefined && { claim: readClaim(claim, `${path}.claim`) }),
    organization: text("organization"),
    role: readRole(text("role"), `${path}.role`),
  };
}

function readEmail(text: string, path: string): string {
  const email = storedEmail(text);
  if (email === undefined) throw wrong(path, "must be an e-mail address such as ada@example.com");
  return email;
}

function readRole(role: string, path: string): Rule["role"] {
  const found = ROLES.find((each) => each === role);
  if (found !== undefined) return found;
  const operator = "operator belongs to a user, not to an organization: weir users create --operator";
  throw wrong(path, role === "operator" ? operator : `must be one of ${ROLES.join(", ")}`);
}

function readClaim(value: unknown, path: string): NonNullable<Rule["claim"]> {
  const { name, value: wanted, ...more } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isPlain = typeof wanted === "string" || typeof wanted === "number" || typeof wanted === "boolean";
  if (typeof name === "string" && name !== "" && isPlain && Object.keys(more).length === 0)
    return { name, value: wanted };
  throw wrong(path, 'must be a table such as { name = "department", value = "research" }');
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}
