import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { fileProblem } from "../file-problem.ts";
import { nearestName } from "../nearest.ts";
import { type Rule, readRules } from "./rules.ts";

/** A provider of single sign-on, as configured in `[sso.<name>]`. */
export interface SsoProvider {
  readonly name: string;
  /** As configured: the provider's own spelling may differ by a trailing slash. */
  readonly issuer: string;
  readonly clientId: string;
  /** The location of the secret, `env:NAME` or `file:/path`; null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  /** The button's label. */
  readonly label: string;
  readonly groupsClaim: string;
  /** In lower case; empty for any domain. */
  readonly allowedDomains: readonly string[];
  /** Whether a log-out here also logs out at the provider. */
  readonly endSession: boolean;
  readonly rules: readonly Rule[];
}

const NAME = /^[a-z0-9]([a-z0-9_-]{0,38}[a-z0-9])?$/;
/** Names of other log-in methods. */
const TAKEN: readonly string[] = ["local", "key"];
const REFERENCE = /^(env:[A-Za-z_][A-Za-z0-9_]*|file:\/.*)$/;
const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

const MEMBERS = [
  "issuer",
  "client_id",
  "client_secret",
  "scopes",
  "label",
  "groups_claim",
  "allowed_domains",
  "end_session",
  "rules",
] as const;

/**
 * Reads the tables `[sso.<name>]`, without the secrets that they refer to.
 *
 * @throws GatewayError `config_invalid` that names the table and the member.
 */
export function ssoProviders(config: Pick<Config, "sso" | "public_url" | "public_api_url">): readonly SsoProvider[] {
  const providers = Object.entries(config.sso).map(([name, table]) => inTable(name, () => readProvider(name, table)));
  if (providers.length > 0 && publicOrigin(config) === "")
    throw new GatewayError(
      "config_invalid",
      `[sso.${providers[0]!.name}] needs public_url: the dashboard's address, to which the provider redirects users`,
    );
  return providers;
}

/** The dashboard's public address, without a trailing slash; empty if it is not configured. */
export function publicOrigin({ public_url, public_api_url }: Pick<Config, "public_url" | "public_api_url">): string {
  return (public_url || public_api_url).replace(/\/+$/, "");
}

/** The redirect address to register with the provider. */
export function redirectAddress(config: Pick<Config, "public_url" | "public_api_url">, name: string): string {
  return `${publicOrigin(config)}/v1/login/${name}/callback`;
}

/**
 * The secrets from variables, by the provider's name: threads do not have the environment.
 *
 * @throws GatewayError `config_invalid` if a variable is not set, or a file cannot be read.
 */
export function ssoSecrets(
  providers: readonly SsoProvider[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const provider of providers) {
    const { name, clientSecret } = provider;
    if (clientSecret?.startsWith("file:")) secretOf(provider, {});
    if (!clientSecret?.startsWith("env:")) continue;
    const variable = clientSecret.slice("env:".length);
    const value = env[variable]?.trim() ?? "";
    if (value === "") throw inConfig(name, `client_secret: the variable ${variable} is not set`);
    found[name] = value;
  }
  return found;
}

/** The client's current secret: a file is read each time, so that it can be replaced. @throws GatewayError `config_invalid`. */
export function secretOf(
  { name, clientSecret }: SsoProvider,
  secrets: Readonly<Record<string, string>>,
): string | undefined {
  if (clientSecret === null) return undefined;
  if (!clientSecret.startsWith("file:")) return secrets[name];
  const path = clientSecret.slice("file:".length);
  let why = "the file is empty";
  try {
    const secret = readFileSync(path, "utf8").trim();
    if (secret !== "") return secret;
  } catch (error) {
    why = fileProblem(error);
  }
  throw inConfig(name, `client_secret: ${path}: ${why}`);
}

function readProvider(name: string, table: Readonly<Record<string, unknown>>): SsoProvider {
  if (!NAME.test(name)) throw wrong("name", "lower-case letters, digits, - and _, at most 40 of them");
  if (TAKEN.includes(name)) throw wrong("name", `${name} is the name of another log-in method`);
  const unknown = Object.keys(table).find((member) => !(MEMBERS as readonly string[]).includes(member));
  if (unknown !== undefined) {
    const near = nearestName(unknown, MEMBERS);
    throw wrong(unknown, `there is no such member${near === undefined ? "" : `; did you mean ${near}?`}`);
  }
  const { client_secret, end_session = true } = table;
  if (client_secret !== undefined && (typeof client_secret !== "string" || !REFERENCE.test(client_secret)))
    throw wrong(
      "client_secret",
      "a secret must not be in the configuration file: write env:NAME or file:/path instead",
    );
  if (typeof end_session !== "boolean") throw wrong("end_session", "must be true or false");
  return {
    name,
    issuer: readIssuer(table["issuer"]),
    clientId: readText(table, "client_id"),
    clientSecret: client_secret ?? null,
    scopes: readScopes(table["scopes"]),
    label: readText(table, "label", name),
    groupsClaim: readText(table, "groups_claim", "groups"),
    allowedDomains: readDomains(table["allowed_domains"]),
    endSession: end_session,
    rules: readRules(table["rules"]),
  };
}

/** Common endpoints of Entra ID. Every Microsoft account can log in there, whatever its e-mail address. */
const ANY_TENANT = /^\/(common|organizations|consumers)(\/|$)/i;

function readIssuer(value: unknown): string {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !["https:", "http:"].includes(url.protocol))
    throw wrong("issuer", "must be the provider's address, such as https://login.example.com/realms/main");
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.pathname.includes("/.well-known/"))
    throw wrong("issuer", "must be only the issuer, without query, user or /.well-known/…");
  if (url.protocol === "http:" && !isThisMachine(url.hostname))
    throw wrong("issuer", "must be https: only a provider on this machine may be reached by http");
  if (url.hostname === "login.microsoftonline.com" && ANY_TENANT.test(url.pathname))
    throw wrong("issuer", "must name one tenant: https://login.microsoftonline.com/<tenant id>/v2.0");
  return value as string;
}

export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || (isIP(host) === 4 && /^127\./.test(host))
  );
}

function readText(table: Readonly<Record<string, unknown>>, member: string, fallback?: string): string {
  const value = table[member] ?? fallback;
  if (typeof value === "string" && /\S/.test(value) && value.length <= 1_000) return value;
  throw wrong(member, value === undefined ? "is missing" : "must be a text");
}

/** A text, or a list of texts. */
function readScopes(value: unknown = "openid profile email"): string {
  const scopes = typeof value === "string" ? value.split(/\s+/).filter((scope) => scope !== "") : value;
  if (
    !Array.isArray(scopes) ||
    !scopes.every((scope) => typeof scope === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  )
    throw wrong("scopes", 'must be a text such as "openid profile email"');
  if (!scopes.includes("openid")) throw wrong("scopes", "must hold openid");
  return scopes.join(" ");
}

function readDomains(value: unknown = []): readonly string[] {
  const domains = Array.isArray(value)
    ? value.map((each) => (typeof each === "string" ? each.trim().toLowerCase() : ""))
    : [""];
  if (domains.every((domain) => DOMAIN.test(domain))) return domains;
  throw wrong("allowed_domains", 'must be a list of domains such as ["example.com"]');
}

function inTable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === "config_invalid") throw error;
    throw inConfig(name, error.message);
  }
}

function inConfig(name: string, message: string): GatewayError {
  return new GatewayError("config_invalid", `[sso.${name}] ${message}`);
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}
