import type { ProviderPlugin } from "../../plugin/contract.ts";
import type { RawHeaders } from "../../spool/frame.ts";

/**
 * What may never reach the spool. Rather too much than too little: a masked name costs a reader some curiosity, a
 * stored credential costs its owner a new one.
 */
export const MASKED = "***";

/** One word of a hyphenated name is enough; plurals of `token` are counts, such as `x-ratelimit-remaining-tokens`. */
const SECRET_WORD =
  /auth|secret|passw|passphrase|pwd|credential|signature|cookie|bearer|jwt|api-?key|private-?key|(?:^|[-_.])(?:key|keys|apikey|token|sig|session|sessionid|sid|pass|pin|otp|csrf|xsrf)(?:$|[-_.])|(?:token|key|secret)$/;
/** Names that the pattern would take, but that say nothing secret. */
const HARMLESS_REQUEST: ReadonlySet<string> = new Set(["sec-websocket-key", "idempotency-key", "x-idempotency-key"]);

const SECRET_RESPONSE =
  /^(?:set-)?cookie2?$|^(?:proxy-)?auth|secret|passw|credential|signature|bearer|jwt|api-?key|(?:^|[-_])(?:token|key)$/;

/** @param name - lower case. */
export function isSecretRequestHeader(name: string): boolean {
  return SECRET_WORD.test(name) && !HARMLESS_REQUEST.has(name);
}

/** Narrower than for requests: the counts of tokens that some providers send as headers have to be readable. */
export function isSecretResponseHeader(name: string): boolean {
  return SECRET_RESPONSE.test(name);
}

/** Headers whose value is an address, so that its query and userinfo are masked. */
export const ADDRESS_HEADERS: ReadonlySet<string> = new Set([
  "referer",
  "origin",
  "location",
  "content-location",
  "link",
  "refresh",
  "operation-location",
  "x-forwarded-uri",
  "x-original-url",
  "x-rewrite-url",
]);

/** A credential by its form, in whichever header it stands. */
const SECRET_VALUE = /^(?:bearer|basic|digest|negotiate|token|apikey|api-key|aws4-hmac-sha256)[ \t]+\S/i;

/** A key by its prefix, whatever it is called: this gateway's, those of providers that mark theirs, and JWTs. */
const KEY_FORM = /^\s*(?:(?:sk|rk|gsk|csk|xai|hf|pplx|nvapi|r8)[-_]|AIza|eyJ)[\w.~+/=-]{16,}\s*$/;

export function maskValue(value: string): string {
  return SECRET_VALUE.test(value) || KEY_FORM.test(value) ? MASKED : value;
}

/** What one provider masks beside the usual, as sets of lower-case names. */
interface ProviderMask {
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
}

const NOTHING: ProviderMask = { headers: new Set(), query: new Set() };
const masks = new WeakMap<ProviderPlugin, ProviderMask>();

export function maskOf(provider: ProviderPlugin | undefined): ProviderMask {
  if (provider?.mask === undefined) return NOTHING;
  let mask = masks.get(provider);
  if (mask === undefined) {
    const lower = (names: readonly string[] = []) => new Set(names.map((name) => name.toLowerCase()));
    mask = { headers: lower(provider.mask.headers), query: lower(provider.mask.query) };
    masks.set(provider, mask);
  }
  return mask;
}

/**
 * Replaces the values of credential parameters in a path with its query, and userinfo in an address inside it. Bytes that
 * no URI has separate parameters as well: nobody knows what stands behind them.
 */
export function maskPath(path: string, query: ReadonlySet<string> = NOTHING.query): string {
  const plain = path.includes("@") ? maskUserinfo(path) : path;
  const start = plain.search(/[?#]|[^\x21-\x7e]/);
  if (start < 0) return plain;
  // Some servers also split at ";", so a credential may hide behind one.
  const parts = plain.slice(start).split(/([?&;#]|[^\x21-\x7e])/);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    const equals = part.indexOf("=");
    if (equals <= 0) continue;
    const name = part.slice(0, equals);
    if (isSecretParameter(name, query) || KEY_FORM.test(part.slice(equals + 1))) parts[at] = `${name}=${MASKED}`;
  }
  return plain.slice(0, start) + parts.join("");
}

/** Masks a whole address: userinfo and the credential parameters of its query. */
export function maskAddress(value: string): string {
  return maskPath(value.replace(/^(\s*(?:https?:)?\/\/)[^/?#]*@/i, `$1${MASKED}@`));
}

function maskUserinfo(path: string): string {
  return path.replace(/(\/\/|%2f%2f)[^/?#@]*@/gi, `$1${MASKED}@`);
}

const SECRET_PARAMETER =
  /auth|secret|passw|credential|signature|jwt|api-?key|(?:^|[-_.[])(?:key|token|sig|pwd|pass|code|sid|session|session-?id|hmac|otp)(?:$|[-_.\]])|^x-(?:amz|goog|ms|oss|cos)-|(?:token|key|secret)$|^awsaccesskeyid$/;

function isSecretParameter(raw: string, query: ReadonlySet<string>): boolean {
  const name = decode(raw);
  if (query.size > 0 && query.has(name.toLowerCase())) return true;
  // `accessToken` is read as `access-token`.
  return SECRET_PARAMETER.test(name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase());
}

function decode(text: string): string {
  return text
    .replace(/\+/g, " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** WebSocket clients in browsers send keys as subprotocols, such as `openai-insecure-api-key.sk-…`. */
export function maskProtocols(value: string): string {
  return value
    .split(",")
    .map((item) => {
      const dot = item.indexOf(".");
      if (dot > 0 && SECRET_WORD.test(item.slice(0, dot).trim().toLowerCase()))
        return `${item.slice(0, dot + 1)}${MASKED}`;
      return item.trim().length > 40 ||
        /^\s*(?:sk|pk|key|ey)[-_A-Z]/.test(item) ||
        SECRET_WORD.test(item.trim().toLowerCase())
        ? ` ${MASKED}`
        : item;
    })
    .join(",");
}

/** A provider's answer as it may be recorded. */
export function maskResponseHeaders(headers: RawHeaders, provider: ReadonlySet<string>): RawHeaders {
  let masked: string[] | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1]!;
    const shown = maskResponseHeader(headers[at]!, value, provider);
    if (shown === value) continue;
    masked ??= [...headers];
    masked[at + 1] = shown;
  }
  return masked ?? headers;
}

/** Whether a response header name needs a look is decided once per spelling. */
const seen = new Map<string, "secret" | "address" | "plain">();
const SEEN_MAX = 5_000;

function maskResponseHeader(rawName: string, value: string, provider: ReadonlySet<string>): string {
  let kind = seen.get(rawName);
  if (kind === undefined) {
    const name = rawName.toLowerCase();
    kind = isSecretResponseHeader(name) ? "secret" : ADDRESS_HEADERS.has(name) ? "address" : "plain";
    if (seen.size < SEEN_MAX) seen.set(rawName, kind);
  }
  if (kind === "secret" || (provider.size > 0 && provider.has(rawName.toLowerCase()))) return MASKED;
  return kind === "address" ? maskAddress(value) : value;
}
