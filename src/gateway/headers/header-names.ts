import { isSecretName } from "../../masking/names.ts";
import { type Remembering, repeats } from "../../runtime/http/header-fields.ts";
import type { RawHeaders } from "../../spool/frame.ts";

/** What a header name means to the gateway, as bits; computed once per spelling. */
export const HOP = 1;
export const GATEWAY = 2;
export const HOST = 4;
export const LENGTH = 8;
export const ENCODING = 16;
export const CONNECTION = 32;
export const SECRET = 64;
export const PROTOCOLS = 256;
export const UPGRADE = 512;
export const OWN = 1_024;

/** RFC 9110 §7.6.1; headers named in `Connection` are added. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** It remembers a value in which no credential was found, if its values repeat. */
export interface HeaderName extends Remembering {
  readonly repeats: boolean;
  readonly lower: string;
  readonly bits: number;
  /** `Gateway-…` in the case of the wire, and the part after the prefix in lower case. */
  readonly canonical: string;
  readonly setting: string;
  /** Set for settings without meaning for the gateway itself: only the record, limits and plugins use them. */
  readonly label: Label | undefined;
  /** Set for settings that the gateway acts on; requests are grouped by them. */
  readonly controls: boolean;
}

/** @property name - the client's name of a property or of a prompt input; other labels have no name of their own. */
export interface Label {
  readonly name: string | undefined;
}

/** Maximum number and length of remembered spellings; made-up names must not fill the memory. */
const NAMES_MAX = 5_000;
const NAME_LENGTH_MAX = 128;

/**
 * Headers dropped from a provider that is such a gateway too: the client must see one id, and this gateway's cache and
 * limits.
 */
const SAID_BY_GATEWAY = /^gateway-(?:id|cache|cache-bucket-idx|ratelimit-(?:limit|remaining|reset|policy))$/;

/**
 * Returns a function that classifies header names, once per spelling.
 *
 * @param prefixes - prefixes of the gateway's own headers, lower case.
 */
export function headerNames(prefixes: readonly string[]): (raw: string) => HeaderName {
  const names = new Map<string, HeaderName>();
  return (raw) => {
    let name = names.get(raw);
    if (name === undefined) {
      name = classify(raw, prefixes);
      if (names.size < NAMES_MAX && raw.length <= NAME_LENGTH_MAX) names.set(raw, name);
    }
    return name;
  };
}

/** Classifies the header names of messages without headers of the gateway's own. */
export const headerName = headerNames([]);

function classify(raw: string, prefixes: readonly string[]): HeaderName {
  const lower = raw.toLowerCase();
  const prefix = prefixes.find((one) => lower.startsWith(one));
  if (prefix !== undefined) {
    const rest = raw.slice(prefix.length);
    const isAlias = prefix !== "gateway-";
    // A lower-case name stays lower case: it shows the recorder that the case was lost on the way.
    const own = isAlias ? `${raw === lower ? "gateway-" : "Gateway-"}${rest}` : raw;
    const isTarget = isAlias && rest.toLowerCase() === "openai-api-base";
    const canonical = isTarget ? "Gateway-Target-Url" : own;
    const setting = canonical.slice("gateway-".length).toLowerCase();
    const label = labelOf(setting);
    return { ...NO_VALUE, lower, bits: GATEWAY, canonical, setting, label, controls: controls(setting, label) };
  }
  let bits = 0;
  if (HOP_BY_HOP.has(lower)) bits |= HOP;
  if (lower === "host") bits |= HOST;
  if (lower === "content-length") bits |= LENGTH;
  if (lower === "transfer-encoding") bits |= ENCODING;
  if (lower === "connection") bits |= CONNECTION;
  if (lower === "upgrade") bits |= UPGRADE;
  if (SAID_BY_GATEWAY.test(lower)) bits |= OWN;
  if (lower === "sec-websocket-protocol") bits |= PROTOCOLS;
  else if (isSecretName(raw)) bits |= SECRET;
  const rest = { canonical: "", setting: "", label: undefined, controls: false };
  return { ...NO_VALUE, repeats: repeats(lower), lower, bits, ...rest };
}

const NO_VALUE = { repeats: false, remembered: undefined, differing: 0 };

const LABEL = /^(?:user-id$|(?:node|job|experiment)-id$|property-|prompt-|session-)/;
const NAMED_LABEL = /^(?:property|prompt-input)-/;

function labelOf(setting: string): Label | undefined {
  if (!LABEL.test(setting)) return undefined;
  const prefix = NAMED_LABEL.exec(setting)?.[0];
  return { name: prefix === undefined ? undefined : setting.slice(prefix.length) };
}

/** Keys and ids differ in each request. A label without its required name is refused, so it counts as a setting. */
function controls(setting: string, label: Label | undefined): boolean {
  return label === undefined ? setting !== "auth" && setting !== "request-id" : label.name === "";
}

const CONNECTION_USUAL: ReadonlySet<string> = new Set(["keep-alive", "close", "upgrade", "te"]);
/** These frame the message or say where it goes; `Connection` cannot remove them. */
const NOT_NAMEABLE: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding", "upgrade"]);

/** The other headers that `Connection` declares hop-by-hop; nearly always none. */
export function namedByConnection(raw: RawHeaders, names: readonly HeaderName[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    if ((names[at / 2]!.bits & CONNECTION) === 0) continue;
    for (const token of raw[at + 1]!.toLowerCase().split(",")) {
      const name = token.trim();
      if (name === "" || CONNECTION_USUAL.has(name) || NOT_NAMEABLE.has(name)) continue;
      named ??= new Set();
      named.add(name);
    }
  }
  return named;
}
