import { createHash } from "node:crypto";
import { findKey, KEY_LENGTH_MIN } from "./forms.ts";
import { isSecretLabel } from "./names.ts";
import {
  findEncoded,
  findKeys,
  findMembers,
  findParameters,
  findSchemes,
  findUserinfo,
  isSecretBeforeEquals,
  isSecretBeforeQuote,
} from "./rules.ts";
import { MASKED, type Place, Spans } from "./spans.ts";

export { MASKED };

/** Maximum levels of decoding: an address in an address in an address. */
const DECODED_MAX = 4;
const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The value of a header, or any other text, without the credentials in it: keys by their form, `Bearer …` and the like,
 * userinfo of addresses, and the value after a secret name in `name=value` or `"name": "value"`. A part that contains a
 * percent-encoded one is masked completely. A text without credentials is returned unchanged. Takes linear time.
 */
export function maskText(text: string): string {
  return mayHold(text) ? mask(text, "text", NO_NAMES, DECODED_MAX) : text;
}

/**
 * Masks credentials in a path with its query, or in an address.
 *
 * @param names - additional secret parameters, in lower case.
 */
export function maskPath(path: string, names: ReadonlySet<string> = NO_NAMES): string {
  const named = names.size > 0 && path.includes("=");
  return named || mayHold(path) ? mask(path, "path", names, DECODED_MAX) : path;
}

/** The suffix after `***` of a label that is a key, so that requests of one key still group. */
const LABEL_HASH_LENGTH = 8;

/**
 * The value of a label: a user's id, a session's, a property. A value that is itself a key becomes `***` and the beginning
 * of its SHA-256, so that it still groups; keys are too long to be guessed from the hash.
 *
 * @param name - of a property or a prompt's input; other labels have no name that could be secret.
 */
export function maskLabel(value: string, name?: string): string {
  if (name !== undefined && value !== "" && isSecretLabel(name)) return MASKED;
  const masked = maskText(value);
  if (masked === value) return value;
  const key = value.trim();
  if (masked.trim() !== MASKED || findKey(key) !== 0) return masked;
  return MASKED + createHash("sha256").update(key).digest("hex").slice(0, LABEL_HASH_LENGTH);
}

/** Character of a run that may be a key. */
const RUN = 1;
/** Character that, with its neighbours, marks a name, an escape or an address. */
const SPEAKS = 2;
const BLANK = 3;
/** Nothing in it separates: most ids and trace contexts. */
const ONE_RUN = /^[\w.~-]*$/;

const KINDS = new Uint8Array(256);
for (let code = 0; code < 256; code++) {
  const character = String.fromCharCode(code);
  if (/[\w.~-]/.test(character)) KINDS[code] = RUN;
  else if ("=%@\"'\\:/".includes(character)) KINDS[code] = SPEAKS;
  else if (" \t+".includes(character)) KINDS[code] = BLANK; // "+" is a space in a query
}

/** The first two characters of the schemes: most words have others. */
const BEGINS_SCHEME = new Set(["ba", "be", "di", "ne", "to", "ap", "aw", "--"].map((two) => pairOf(two, 0)));
const SCHEME = /^(?:bearer|basic|digest|negotiate|token|api-?key|aws4-hmac-sha256|-----begin)$/i;
/** The scheme that may also begin after other characters of a run. */
const PEM = /^-----begin$/i;
const HYPHEN = 0x2d;

/** Two characters as a number, ignoring the case of letters; "-" is unchanged. */
function pairOf(text: string, at: number): number {
  return ((text.charCodeAt(at) | 0x20) << 8) | (text.charCodeAt(at + 1) | 0x20);
}

/**
 * The quick check that suffices for most texts: could any rule match? It may give false positives, never false negatives.
 */
function mayHold(text: string): boolean {
  if (ONE_RUN.test(text)) return text.length >= KEY_LENGTH_MIN && findKey(text) !== -1;
  let start = 0;
  let hasAuthority = false;
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const kind = KINDS[code];
    if (kind === RUN) continue;
    const run = at - start;
    if (run >= KEY_LENGTH_MIN && findKey(text.slice(start, at)) !== -1) return true;
    if (kind === SPEAKS) {
      if (code === SLASH) hasAuthority ||= text.charCodeAt(at + 1) === SLASH;
      else if (code === AT_SIGN ? hasAuthority : speaks(text, code, at)) return true;
    } else if (kind === BLANK && run >= 5) {
      if (run <= 16 && BEGINS_SCHEME.has(pairOf(text, start)) && SCHEME.test(text.slice(start, at))) return true;
      if (run > 10 && text.charCodeAt(at - 6) === HYPHEN && PEM.test(text.slice(at - 10, at))) return true;
    }
    start = at + 1;
  }
  return length - start >= KEY_LENGTH_MIN && findKey(text.slice(start)) !== -1;
}

const SLASH = 0x2f;
const AT_SIGN = 0x40;
/** Maximum blanks between a member's name and its colon. */
const BLANKS_MAX = 8;

function speaks(text: string, code: number, at: number): boolean {
  switch (code) {
    case 0x3d: // "="
      return isSecretBeforeEquals(text, at);
    case 0x22: // quotes
    case 0x27: {
      let next = at + 1;
      while (next - at <= BLANKS_MAX && isBlank(text.charCodeAt(next))) next++;
      return text.charCodeAt(next) === 0x3a && isSecretBeforeQuote(text, at);
    }
    case 0x3a: // ":"
      return text.charCodeAt(at + 1) === 0x41 && text.charCodeAt(at + 2) === 0x41;
    case 0x5c: // "\\"
      return text.charCodeAt(at + 1) === 0x75 && text.startsWith("00", at + 2);
    case 0x25: // "%"
      return isHex(text.charCodeAt(at + 1)) && isHex(text.charCodeAt(at + 2));
    default:
      return true;
  }
}

/** Characters that `\s` matches, or their form in a query. */
const isBlank = (code: number) => code <= 0x20 || code === 0x2b || code >= 0x80;
const isHex = (code: number) => (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

function mask(text: string, place: Place, names: ReadonlySet<string>, decodings: number): string {
  const spans = new Spans(text, place);
  if (text.includes("@")) findUserinfo(spans);
  if (text.includes("=")) findParameters(spans, names);
  if (text.includes('"') || text.includes("'")) findMembers(spans);
  findKeys(spans);
  findSchemes(spans);
  if (decodings > 0 && /[%+\\]/.test(text))
    findEncoded(spans, (plain) => mayHold(plain) && mask(plain, "text", NO_NAMES, decodings - 1) !== plain);
  return spans.masked();
}
