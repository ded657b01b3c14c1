import type { ProviderPlugin } from "../plugin/contract.ts";
import type { RawHeaders } from "../spool/frame.ts";
import {
  ADDRESS_HEADERS,
  isSecretRequestHeader,
  MASKED,
  maskAddress,
  maskOf,
  maskProtocols,
  maskValue,
} from "./secrets.ts";

/** What a header name means to the gateway, as bits; worked out once per spelling. */
const HOP = 1;
const GATEWAY = 2;
const HOST = 4;
const LENGTH = 8;
const ENCODING = 16;
const CONNECTION = 32;
const SECRET = 64;
const ADDRESS = 128;
const PROTOCOLS = 256;
const UPGRADE = 512;
const OWN = 1_024;

/** RFC 9110 §7.6.1; what `Connection` names comes on top. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
]);

interface HeaderName {
  readonly lower: string;
  readonly bits: number;
  /** `Gateway-…` in the case of the wire, and what follows the prefix in lower case. */
  readonly canonical: string;
  readonly setting: string;
}

/** A client's headers, sorted by what the gateway does with them. */
export interface RequestHeaders {
  readonly raw: RawHeaders;
  /** `Gateway-*` headers, aliases already turned into `Gateway-…`, `Gateway-Auth` included. */
  readonly gateway: readonly GatewayHeader[];
  readonly hosts: readonly string[];
  readonly contentLength: number | undefined;
  readonly transferEncoding: string | undefined;
}

export interface GatewayHeader {
  readonly name: string;
  /** What follows `gateway-`, lower case. */
  readonly setting: string;
  readonly value: string;
}

/** Spellings remembered; clients that make names up must not fill the memory. */
const NAMES_MAX = 5_000;

/** Reads and writes anew the headers of requests. */
export class HeaderReader {
  readonly #prefixes: readonly string[];
  readonly #names = new Map<string, HeaderName>();

  /** @param aliases - other prefixes that mean `Gateway`, such as `Acme`. */
  constructor(aliases: readonly string[]) {
    this.#prefixes = ["gateway-", ...aliases.map((alias) => `${alias.replace(/-+$/, "").toLowerCase()}-`)];
  }

  read(raw: RawHeaders): RequestHeaders {
    const nameOf = this.#nameOf;
    const gateway: GatewayHeader[] = [];
    const hosts: string[] = [];
    let contentLength: number | undefined;
    let transferEncoding: string | undefined;
    for (let at = 0; at < raw.length; at += 2) {
      const { bits, canonical, setting } = nameOf(raw[at]!);
      if (bits === 0) continue;
      const value = raw[at + 1]!;
      if ((bits & GATEWAY) !== 0) gateway.push({ name: canonical, setting, value });
      else if ((bits & HOST) !== 0) hosts.push(value);
      else if ((bits & LENGTH) !== 0) contentLength = Number(value);
      else if ((bits & ENCODING) !== 0)
        transferEncoding = transferEncoding === undefined ? value : `${transferEncoding}, ${value}`;
    }
    return { raw, gateway, hosts, contentLength, transferEncoding };
  }

  /** What the provider gets: everything but the gateway's and the connection's own, with `authority` as `Host`. */
  forward({ raw }: RequestHeaders, authority: string, upgrade: boolean): string[] {
    const nameOf = this.#nameOf;
    const named = namedByConnection(raw, nameOf);
    const kept: string[] = [];
    let lengthSeen = false;
    let hostSeen = false;
    for (let at = 0; at < raw.length; at += 2) {
      const rawName = raw[at]!;
      const { bits, lower } = nameOf(rawName);
      if ((bits & (GATEWAY | HOP)) !== 0) {
        // The framing of a chunked body is ours to make anew, the wish for another protocol ours to pass on.
        if ((bits & ENCODING) !== 0) kept.push(rawName, "chunked");
        else if (upgrade && (bits & UPGRADE) !== 0) kept.push("Connection", "Upgrade", rawName, raw[at + 1]!);
      } else if ((bits & HOST) !== 0) {
        kept.push(rawName, authority);
        hostSeen = true;
      } else if ((bits & LENGTH) !== 0) {
        if (!lengthSeen) kept.push(rawName, raw[at + 1]!);
        lengthSeen = true;
      } else if (named === undefined || !named.has(lower)) kept.push(rawName, raw[at + 1]!);
    }
    if (!hostSeen) kept.unshift("Host", authority);
    return kept;
  }

  /** What the spool gets: everything but the gateway's own, credential values replaced. */
  recorded({ raw }: RequestHeaders, provider: ProviderPlugin | undefined): string[] {
    const nameOf = this.#nameOf;
    const mask = maskOf(provider).headers;
    const kept: string[] = [];
    for (let at = 0; at < raw.length; at += 2) {
      const { bits, lower } = nameOf(raw[at]!);
      if ((bits & GATEWAY) !== 0) continue;
      const value = raw[at + 1]!;
      kept.push(raw[at]!, mask.size > 0 && mask.has(lower) ? MASKED : shown(bits, value));
    }
    return kept;
  }

  /** Every header that may hold a credential for the provider, as `name: value`, names in lower case, sorted. */
  credentials({ raw }: RequestHeaders, provider: ProviderPlugin | undefined): string[] {
    const found: string[] = [];
    for (let at = 0; at < raw.length; at += 2) {
      const { bits, lower } = this.#nameOf(raw[at]!);
      if ((bits & GATEWAY) === 0 && this.#isCredential(raw[at]!, raw[at + 1]!, provider))
        found.push(`${lower}: ${raw[at + 1]}`);
    }
    return found.sort();
  }

  /** Raw pairs without those that may hold a credential for `provider`. */
  withoutCredentials(raw: RawHeaders, provider: ProviderPlugin | undefined): string[] {
    return raw.filter((_, at) => {
      const name = at - (at % 2);
      return !this.#isCredential(raw[name]!, raw[name + 1]!, provider);
    });
  }

  #isCredential(raw: string, value: string, provider: ProviderPlugin | undefined): boolean {
    const { bits, lower } = this.#nameOf(raw);
    return (bits & (SECRET | PROTOCOLS)) !== 0 || maskOf(provider).headers.has(lower) || maskValue(value) !== value;
  }

  /** Bound, for it is also handed over, and taken out of loops. */
  readonly #nameOf = (raw: string): HeaderName => {
    let name = this.#names.get(raw);
    if (name === undefined) {
      name = classify(raw, this.#prefixes);
      if (this.#names.size < NAMES_MAX) this.#names.set(raw, name);
    }
    return name;
  };
}

/** Header values cross the parser as Latin-1; what they mean is UTF-8. */
export function fromWire(value: string): string {
  return Buffer.from(value, "latin1").toString("utf8");
}

/**
 * `Gateway-*` headers as they go into the spool: without the key, and with addresses masked, because a refused target
 * may hold a password.
 */
export function recordedGatewayHeaders(headers: readonly GatewayHeader[]): string[] {
  const kept: string[] = [];
  for (const { name, setting, value } of headers) {
    if (setting === "auth") continue;
    if (setting === "target-url") kept.push(name, maskAddress(value));
    else if (setting === "fallbacks")
      kept.push(name, MASKED); // its headers hold keys of other providers
    else if (FREE_TEXT.test(setting) || !isSecretRequestHeader(setting)) kept.push(name, value);
    else kept.push(name, MASKED);
  }
  return kept;
}

/** Settings whose names hold words such as `key` or `session`, and that say nothing secret. */
const FREE_TEXT = /^(?:property-|prompt-|session-|cache-)/;

function shown(bits: number, value: string): string {
  if ((bits & SECRET) !== 0) return MASKED;
  if ((bits & ADDRESS) !== 0) return maskAddress(value);
  if ((bits & PROTOCOLS) !== 0) return maskProtocols(value);
  return maskValue(value);
}

/** Of a provider that is such a gateway too; the client must find one id, and what this one's cache and limits say. */
const SAID_BY_GATEWAY = /^gateway-(?:id|cache|cache-bucket-idx|ratelimit-(?:limit|remaining|reset|policy))$/;

function classify(raw: string, prefixes: readonly string[]): HeaderName {
  const lower = raw.toLowerCase();
  const prefix = prefixes.find((one) => lower.startsWith(one));
  if (prefix !== undefined) {
    const rest = raw.slice(prefix.length);
    const isAlias = prefix !== "gateway-";
    // A name without capitals stays without: that is how the recorder knows that its case was erased on the way.
    const own = isAlias ? `${raw === lower ? "gateway-" : "Gateway-"}${rest}` : raw;
    const isTarget = isAlias && rest.toLowerCase() === "openai-api-base";
    const canonical = isTarget ? "Gateway-Target-Url" : own;
    return { lower, bits: GATEWAY, canonical, setting: canonical.slice("gateway-".length).toLowerCase() };
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
  else if (isSecretRequestHeader(lower)) bits |= SECRET;
  if (ADDRESS_HEADERS.has(lower)) bits |= ADDRESS;
  return { lower, bits, canonical: "", setting: "" };
}

const CONNECTION_USUAL: ReadonlySet<string> = new Set(["keep-alive", "close", "upgrade", "te"]);
/** These frame the message or say where it goes; `Connection` cannot take them away. */
const NOT_NAMEABLE: ReadonlySet<string> = new Set(["host", "content-length", "transfer-encoding", "upgrade"]);

/** The other headers that `Connection` declares to be of this connection only; nearly always none. */
function namedByConnection(raw: RawHeaders, nameOf: (raw: string) => HeaderName): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    if ((nameOf(raw[at]!).bits & CONNECTION) === 0) continue;
    for (const token of raw[at + 1]!.toLowerCase().split(",")) {
      const name = token.trim();
      if (name === "" || CONNECTION_USUAL.has(name) || NOT_NAMEABLE.has(name)) continue;
      named ??= new Set();
      named.add(name);
    }
  }
  return named;
}

/** A provider's headers without those of its connection, and what the relay has to know of them. */
interface ResponseHeaders {
  readonly forward: string[];
  readonly contentLength: number | undefined;
  readonly contentType: string;
}

export function readResponseHeaders(raw: RawHeaders): ResponseHeaders {
  let named: Set<string> | undefined;
  let contentLength: number | undefined;
  let contentType = "";
  const forward: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const { bits, lower } = responseNameOf(raw[at]!);
    if ((bits & (HOP | OWN)) !== 0) {
      if ((bits & CONNECTION) !== 0) named = namedByConnection(raw, responseNameOf);
      continue;
    }
    const value = raw[at + 1]!;
    if ((bits & LENGTH) !== 0) {
      if (contentLength !== undefined) continue;
      contentLength = Number(value);
    } else if (lower === "content-type") contentType = value;
    forward.push(raw[at]!, value);
  }
  if (named === undefined) return { forward, contentLength, contentType };
  const kept = forward.flatMap((name, at) =>
    at % 2 === 1 || named.has(name.toLowerCase()) ? [] : [name, forward[at + 1]!],
  );
  return { forward: kept, contentLength, contentType };
}

const responseNames = new Map<string, HeaderName>();

function responseNameOf(raw: string): HeaderName {
  let name = responseNames.get(raw);
  if (name === undefined) {
    name = classify(raw, []);
    if (responseNames.size < NAMES_MAX) responseNames.set(raw, name);
  }
  return name;
}
