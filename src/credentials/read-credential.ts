import { Type } from "@sinclair/typebox";
import { checked } from "../checked.ts";
import { GatewayError } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import type { CredentialForm } from "../plugin-host/contract.ts";
import { CUSTOM } from "../routing/custom.ts";
import type { KnownProvider, SettingForm } from "./form.ts";
import { readLimit } from "./limit.ts";
import type { CredentialTerms, StoredCredential } from "./stored.ts";
import { TERM_NAMES, TERMS_DEFAULT, TERMS_SCHEMA, type TermName } from "./terms.ts";

/** The context in which a credential is checked. */
export interface CredentialRules {
  readonly providers: readonly KnownProvider[];
  /** Whether it is the operator's organization: others cannot share credentials or reach private addresses. */
  readonly operator: boolean;
  /** Why an address may not be called, or undefined. */
  readonly refuseUrl: (url: URL, isPrivate: boolean) => string | undefined;
  /** Reads a secret member; by default the value is the secret itself. @throws GatewayError `invalid_body`. */
  readonly readSecret?: (member: string, value: unknown) => string;
}

/** A checked credential from outside, complete except for its organization and id. */
export interface CredentialOrder {
  /** Undefined: derived from the provider's name. */
  readonly name: string | undefined;
  readonly provider: string;
  readonly terms: CredentialTerms;
  /** Secrets to set, in plain text; null removes one. */
  readonly secrets: Readonly<Record<string, string | null>>;
}

/** Records use `client` for the client's own key. */
const RESERVED = "client";
const SECRET_BYTES_MAX = 16_384;
const NAME = Type.String({
  pattern: `^(?!${RESERVED}$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`,
  expects: `give 1 to 100 letters, digits, ".", "_" or "-", and not "${RESERVED}"`,
});
/** Header names that carry a key, or that belong to the connection or to Weir. */
const HEADERS_REFUSED =
  /^(authorization|proxy-.*|x-api-key|api-key|x-goog-api-key|cookie|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-.*|accept-encoding|expect|gateway-.*|x-amz-.*)$/i;

/**
 * Checks a credential from the API, `weir.toml` or the command line: all members are at the top level, secrets there or in
 * `secrets`. Omitted members stay as in `previous`; null resets one.
 *
 * @throws GatewayError `invalid_body` that names the wrong member. It never contains a secret.
 */
export function readCredential(body: unknown, rules: CredentialRules, previous?: StoredCredential): CredentialOrder {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw wrong("", "give an object");
  const { name, provider, secrets: nested, ...flat } = body as Readonly<Record<string, unknown>>;
  const known = readProvider(provider, rules, previous);
  if (name !== undefined && previous !== undefined && name !== previous.name)
    throw wrong("name", "a credential keeps its name; add another one and remove this one");
  const given = { ...flat, ...nestedSecrets(nested, known.form) };
  refuseUnknown(given, known);
  const terms = readTerms(given, known.form, previous);
  checkTerms(terms, rules);
  const secrets = readSecrets(given, known.form, rules.readSecret ?? readSecret);
  checkNeeds(known, terms, { ...previous?.secrets, ...secrets });
  return {
    name: name === undefined ? previous?.name : checked(NAME, name, "name"),
    provider: known.name,
    terms,
    secrets,
  };
}

/** Normalizes a name: case, `-`, `_`, `.` and spaces are ignored. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, "");
}

export function findProvider(providers: readonly KnownProvider[], name: string): KnownProvider | undefined {
  const wanted = fold(name);
  return providers.find((each) => [each.name, ...each.aliases].some((other) => fold(other) === wanted));
}

function readProvider(value: unknown, { providers }: CredentialRules, previous?: StoredCredential): KnownProvider {
  if (value === undefined && previous !== undefined) {
    const same = providers.find(({ name }) => name === previous.provider);
    if (same === undefined) throw wrong("provider", `no provider ${previous.provider} is loaded`);
    return same;
  }
  if (typeof value !== "string") throw wrong("provider", "give a provider's name, such as openai");
  const found = findProvider(providers, value);
  if (found === undefined) {
    const near = nearestName(
      value,
      providers.map(({ name }) => name.toLowerCase()),
    );
    const hint = near === undefined ? "`weir providers list` shows them" : `did you mean ${near}?`;
    // The value is not repeated: it may be a key that was put in the wrong place.
    throw wrong("provider", `there is no such provider; ${hint}`);
  }
  if (previous !== undefined && found.name !== previous.provider)
    throw wrong("provider", "a credential keeps its provider; add another one");
  return found;
}

function nestedSecrets(value: unknown, { secret }: CredentialForm): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrong("secrets", "give an object of secret members");
  const other = Object.keys(value).find((member) => !secret.includes(member));
  if (other !== undefined)
    throw wrong(`secrets.${short(other)}`, `this is not a secret member; known: ${secret.join(", ")}`);
  return value as Record<string, unknown>;
}

function refuseUnknown(given: Readonly<Record<string, unknown>>, { name, form }: KnownProvider): void {
  const own = [...form.secret, ...Object.keys(form.settings ?? {})];
  const members = [...own, ...TERM_NAMES];
  const unknown = Object.keys(given).find((member) => !members.includes(member as TermName));
  if (unknown === undefined) return;
  const near = nearestName(unknown, members);
  const hint = near === undefined ? `; the members of ${name} are ${own.join(", ")}` : `; did you mean "${near}"?`;
  throw wrong(short(unknown), `a credential of ${name} has no such member${hint}`);
}

function readTerms(
  given: Readonly<Record<string, unknown>>,
  form: CredentialForm,
  previous: StoredCredential | undefined,
): CredentialTerms {
  const terms: Record<string, unknown> = { ...TERMS_DEFAULT, ...previous?.terms };
  for (const member of TERM_NAMES) {
    const value = given[member];
    if (value === undefined) continue;
    terms[member] = value === null ? TERMS_DEFAULT[member] : checked(TERMS_SCHEMA.properties[member], value, member);
  }
  const settings: Record<string, string> = { ...previous?.terms.settings };
  for (const [member, setting] of Object.entries(form.settings ?? {})) {
    const value = given[member];
    if (value === null) delete settings[member];
    if (value === undefined || value === null) continue;
    const fitting = typeof value === "string" && value.length <= 1_000 && fitsSetting(value, setting);
    if (!fitting) throw wrong(member, settingExpects(setting));
    settings[member] = value;
  }
  return { ...(terms as unknown as CredentialTerms), settings };
}

function fitsSetting(value: string, { enum: choices, pattern }: SettingForm): boolean {
  if (choices !== undefined) return choices.includes(value);
  return /^[^\p{Cc}\s]+$/u.test(value) && (pattern === undefined || new RegExp(pattern, "u").test(value));
}

function settingExpects({ enum: choices, description = "" }: SettingForm): string {
  if (choices !== undefined) return `give one of ${choices.join(", ")}`;
  return `give a text without spaces${description === "" ? "" : `: ${lower(description)}`}`;
}

function checkTerms(terms: CredentialTerms, rules: CredentialRules): void {
  if (terms.limit !== null) {
    const limit = readLimit(terms.limit);
    if (typeof limit === "string") throw wrong("limit", limit);
  }
  const header = Object.keys(terms.headers).find((each) => HEADERS_REFUSED.test(each));
  if (header !== undefined)
    throw wrong(`headers.${header}`, "a credential cannot set this header; put keys into a secret member");
  if (terms.shared && !rules.operator)
    throw new GatewayError("insufficient_permission", "sharing credentials needs the permission operator", {
      path: "shared",
    });
  if (terms.private && !rules.operator) {
    const message = "opening private addresses needs the permission operator";
    throw new GatewayError("insufficient_permission", message, { path: "private" });
  }
  for (const [member, address] of [
    ["base_url", terms.base_url],
    ["endpoint", terms.settings["endpoint"]],
  ] as const) {
    if (address !== null && address !== undefined) checkAddress(address, member, terms.private, rules);
  }
}

function checkAddress(address: string, member: string, isPrivate: boolean, rules: CredentialRules): void {
  const url = /^https?:\/\/[^/\\]/i.test(address) ? URL.parse(address) : null;
  if (url === null || /[?#\s]/.test(address) || url.username !== "" || url.password !== "")
    throw wrong(member, "give an http(s) address without user, query and fragment");
  const refused = rules.refuseUrl(url, isPrivate);
  if (refused === undefined) return;
  const opens = !isPrivate && rules.refuseUrl(url, true) === undefined;
  throw wrong(member, opens ? `that is a private address; it needs "private": true` : refused);
}

function readSecrets(
  given: Readonly<Record<string, unknown>>,
  form: CredentialForm,
  read: (member: string, value: unknown) => string,
): Record<string, string | null> {
  const secrets: Record<string, string | null> = {};
  for (const member of form.secret) {
    const value = given[member];
    if (value === undefined) continue;
    secrets[member] = value === null ? null : read(member, value);
  }
  return secrets;
}

/**
 * A secret as stored, without the white space that a file or pasting may add around it.
 *
 * @throws GatewayError `invalid_body`, without the secret.
 */
export function readSecret(member: string, value: unknown): string {
  if (typeof value === "object" && member === "service_account") return readSecret(member, JSON.stringify(value));
  if (typeof value !== "string") throw wrong(member, "give a text");
  const text = value.trim();
  if (text === "") throw wrong(member, "it is empty");
  if (Buffer.byteLength(text) > SECRET_BYTES_MAX) throw wrong(member, `it is over ${SECRET_BYTES_MAX} bytes`);
  if (member === "service_account") return checkServiceAccount(text);
  // It goes into a header unchanged.
  if (!/^[\x21-\x7e]+$/.test(text))
    throw wrong(member, "it contains spaces, line ends or characters that cannot be in a key");
  return text;
}

function checkServiceAccount(text: string): string {
  let account: Readonly<Record<string, unknown>> | null = null;
  try {
    account = JSON.parse(text);
  } catch {
    // Reported below; the parser's own message would repeat the text.
  }
  const holds = (member: string) => typeof account?.[member] === "string" && account[member] !== "";
  if (!holds("client_email") || !holds("private_key"))
    throw wrong("service_account", "give the JSON of a service account's key, with client_email and private_key");
  return text;
}

/** @param secrets - the secrets after the change; null means none. */
function checkNeeds(
  { name, form }: KnownProvider,
  terms: CredentialTerms,
  secrets: Readonly<Record<string, unknown>>,
): void {
  const { secret, oneOf = [secret.slice(0, 1)], required = [], baseUrl } = form;
  const has = (member: string) => Boolean(secrets[member] ?? terms.settings[member]);
  const who = name === CUSTOM.name ? "a custom provider" : name;
  const missing = oneOf.map((set) => set.filter((member) => !has(member)));
  if (missing.length > 0 && missing.every((set) => set.length > 0)) {
    // The most complete set determines the missing members.
    const least = missing.reduce((a, b) => (b.length < a.length ? b : a));
    throw wrong(least[0]!, `a credential of ${who} needs ${oneOf.map((set) => set.join(" and ")).join(", or ")}`);
  }
  const setting = required.find((member) => !has(member));
  if (setting !== undefined) {
    const { description = "" } = form.settings?.[setting] ?? {};
    throw wrong(setting, `a credential of ${who} needs it${description === "" ? "" : `: ${lower(description)}`}`);
  }
  if (baseUrl === "required" && terms.base_url === null)
    throw wrong("base_url", `a credential of ${who} needs it: the provider has no address of its own`);
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function short(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", path === "" ? message : `${path}: ${message}`, { path });
}
