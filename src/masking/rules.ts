import { findKey, KEY_LENGTH_MIN } from "./forms.ts";
import { isSecretName, isSecretParameter } from "./names.ts";
import { endAt, ends, isEnd, type Spans } from "./spans.ts";

/** Characters that cannot be in the name of a parameter. Brackets and escapes can. */
const ENDS_NAME = ends(" \t&;,?#/=\"'<>(){}|`@", true);
const ENDS_PIECE = ends(" \t,\"'<>&;");
const ENDS_AUTHORITY = ends("/?# \t\"'<>");

/** `//user:password@` */
export function findUserinfo(spans: Spans): void {
  const { text } = spans;
  for (let at = text.indexOf("//"); at !== -1; at = text.indexOf("//", at + 1)) {
    const end = endAt(text, at + 2, ENDS_AUTHORITY);
    const sign = text.slice(at + 2, end).lastIndexOf("@");
    if (sign >= 0) spans.add(at + 2, at + 2 + sign);
    if (end > at + 2) at = end - 1;
  }
}

/** Only the end of longer names is checked. */
const NAME_LENGTH_MAX = 128;

/** The start of the name of the parameter whose `=` is at `at`. */
function parameterStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < NAME_LENGTH_MAX && !isEnd(text.charCodeAt(start - 1), ENDS_NAME)) start--;
  return start;
}

/** Whether the name before the `=` at `at` may be secret. */
export function isSecretBeforeEquals(text: string, at: number): boolean {
  const start = parameterStart(text, at);
  return start < at && isSecretParameter(decode(text.slice(start, at)));
}

/** `name=value` */
export function findParameters(spans: Spans, names: ReadonlySet<string>): void {
  const { text, place } = spans;
  for (let at = text.indexOf("="); at !== -1; at = text.indexOf("=", at + 1)) {
    const start = parameterStart(text, at);
    if (start === at) continue;
    const name = decode(text.slice(start, at));
    const before = start === 0 ? "" : text[start - 1]!;
    const isParameter = place === "path" || "?&#;".includes(before);
    const secret = isParameter && before !== "" ? isSecretParameter(name) : isSecretName(name);
    if (!secret && !(names.size > 0 && names.has(name.toLowerCase()))) continue;
    const from = at + 1;
    const quote = text.charCodeAt(from);
    const isQuoted = place === "text" && (quote === 0x22 || quote === 0x27);
    const close = isQuoted ? text.indexOf(text[from]!, from + 1) : -1;
    const end = isQuoted ? (close === -1 ? text.length : close + 1) : spans.endOf(from);
    // In a text, an equals sign with nothing after it is more likely the end of base64.
    if (end === from && place === "text") continue;
    spans.add(from, end);
    at = Math.max(at, end - 1);
  }
}

/** Whether the name that ends at the quote at `at` is secret. */
export function isSecretBeforeQuote(text: string, at: number): boolean {
  let end = at;
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) end--;
  let start = end;
  while (start > 0 && end - start < NAME_LENGTH_MAX && !isQuote(text.charCodeAt(start - 1))) start--;
  return isSecretName(decode(text.slice(start, end)));
}

const BACKSLASH = 0x5c;
const isQuote = (code: number) => code === 0x22 || code === 0x27;

/**
 * `"name": "value"`, also with escaped quotes. A value that is neither text nor a number is masked with everything after it.
 */
export function findMembers(spans: Spans): void {
  const { text } = spans;
  const member = /["']\s{0,8}:\s{0,8}/g;
  for (let found = member.exec(text); found !== null; found = member.exec(text)) {
    if (!isSecretBeforeQuote(text, found.index)) continue;
    const from = member.lastIndex;
    const opening = /^\\{0,8}(["'])/.exec(text.slice(from, from + 9));
    if (opening !== null) {
      const inside = from + opening[0].length;
      const close = text.indexOf(opening[1]!, inside);
      spans.add(inside, close === -1 ? text.length : withoutEscape(text, inside, close));
    } else if (!/[[{]/.test(text[from] ?? "")) spans.add(from, endAt(text, from, ENDS_MEMBER));
    else {
      spans.add(from, text.length);
      return;
    }
  }
}

const ENDS_MEMBER = ends(",}] \t");

function withoutEscape(text: string, from: number, close: number): number {
  let end = close;
  while (end > from && text[end - 1] === "\\") end--;
  return end;
}

export function findKeys(spans: Spans): void {
  const { text } = spans;
  let end = 0;
  for (const { 0: run, index } of text.matchAll(/[\w.~-]+/g)) {
    if (run.length < KEY_LENGTH_MIN || index < end) continue;
    const key = findKey(run);
    if (key === -1) continue;
    end = spans.endOf(index + key);
    spans.add(index + key, end);
  }
}

/** `Bearer …`, tokens of Telegram's bots, and PEM keys. The first two groups precede the masked part. */
const SCHEME =
  /(?<![\w.~-])(bearer|basic|digest|negotiate|token|apikey|api-key|aws4-hmac-sha256)[ \t]+(?=[^ \t])|(?<=\d{8}):AA(?=[\w-]{33})|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/gi;
/** A challenge, which contains no credential. */
const CHALLENGE = /^(?:realm|error|scope|charset|resource_metadata|authorization_uri)=/i;

export function findSchemes(spans: Spans): void {
  const { text } = spans;
  const first = text.search(/[^ \t]/);
  let end = 0;
  for (const found of text.matchAll(SCHEME)) {
    if (found.index < end) continue;
    const from = found.index + found[0].length;
    const scheme = found[1]?.toLowerCase();
    const isFirst = found.index === first;
    if (found[0] === ":AA") end = spans.endOf(from);
    else if (scheme === undefined || isCredential(scheme, text.slice(from, from + CREDENTIAL_LOOK), isFirst))
      end = text.length;
    else continue;
    // A value that begins with a scheme is masked completely; inside a text, only the rest after the scheme is.
    spans.add(scheme === undefined ? found.index : isFirst ? 0 : from, end);
  }
}

/** Characters after a scheme that decide whether it is a credential. */
const CREDENTIAL_LOOK = 300;

/** Whether the text after a scheme's name is a credential: "Basic plan" and "token usage" are words. */
function isCredential(scheme: string, text: string, isFirst: boolean): boolean {
  const credential = text.slice(0, endAt(text, 0, ENDS_CREDENTIAL));
  if (CHALLENGE.test(credential)) return false;
  if (isFirst && scheme !== "basic" && scheme !== "token" && scheme !== "digest") return true;
  if (scheme === "digest") return /^(?:username|response|nonce|uri|qop|cnonce)=/i.test(credential);
  if (credential.length >= 8 && /\d/.test(credential)) return true;
  if (scheme === "basic" && Buffer.from(credential, "base64").toString("latin1").includes(":")) return true;
  return credential.length >= 20;
}

const ENDS_CREDENTIAL = ends(" \t,;\"'<>");

/** Masks parts completely that contain a credential after decoding. */
export function findEncoded(spans: Spans, holds: (plain: string) => boolean): void {
  const { text, place } = spans;
  let at = 0;
  while (at < text.length) {
    const end = place === "path" ? spans.endOf(at) : endAt(text, at, ENDS_PIECE);
    const piece = text.slice(at, end);
    const equals = piece.indexOf("=");
    const from = equals === -1 ? 0 : equals + 1;
    if (holdsEncoded(piece.slice(from), holds)) spans.add(at + from, end);
    else if (from > 0 && holdsEncoded(piece.slice(0, equals), holds)) spans.add(at, end);
    at = end + 1;
  }
}

function holdsEncoded(part: string, holds: (plain: string) => boolean): boolean {
  if (!/[%+\\]/.test(part)) return false;
  const plain = decode(part);
  return plain !== part && holds(plain);
}

/** Decodes percent-encoding, `+` and JSON's `\u00…`, byte by byte. */
function decode(text: string): string {
  if (!/[%+\\]/.test(text)) return text;
  return text
    .replace(/\+/g, " ")
    .replace(/(?:%|\\u00)([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
