import { MASKED, maskLabel, maskText } from "../../masking/mask.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { readLength } from "../../runtime/http/length.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import { type GatewayHeader, recordedValue } from "./gateway-header.ts";
import {
  ENCODING,
  GATEWAY,
  type HeaderName,
  HOP,
  HOST,
  headerNames,
  type Label,
  LENGTH,
  namedByConnection,
  PROTOCOLS,
  SECRET,
  UPGRADE,
} from "./header-names.ts";
import { maskOf, maskProtocols, maskValue } from "./secrets.ts";
import { LineMemory, type SettingLines } from "./setting-lines.ts";

/** A client's headers, sorted by how the gateway handles them. */
export interface RequestHeaders {
  readonly raw: RawHeaders;
  /** The meaning of each name in `raw`, one per pair. */
  readonly names: readonly HeaderName[];
  /** `Gateway-*` headers, aliases already turned into `Gateway-…`, `Gateway-Auth` included. */
  readonly gateway: readonly GatewayHeader[];
  /** Those of them that the gateway acts on. */
  readonly settings: SettingLines;
  /** Values of `Gateway-Auth`. */
  readonly auth: readonly string[];
  readonly hosts: readonly string[];
  readonly contentLength: number | undefined;
  readonly transferEncoding: string | undefined;
}

/** Reads request headers and writes them for providers and records. */
export class HeaderReader {
  readonly #nameOf: (raw: string) => HeaderName;
  readonly #memory = new LineMemory();

  /** @param aliases - other prefixes that mean `Gateway`, such as `Acme`. */
  constructor(aliases: readonly string[]) {
    const others = aliases.map((alias) => `${alias.replace(/-+$/, "").toLowerCase()}-`);
    this.#nameOf = headerNames(["gateway-", ...others]);
  }

  read(raw: RawHeaders): RequestHeaders {
    const nameOf = this.#nameOf;
    const names: HeaderName[] = [];
    const gateway: GatewayHeader[] = [];
    const auth: string[] = [];
    const hosts: string[] = [];
    let settings = this.#memory.none;
    let contentLength: number | undefined;
    let transferEncoding: string | undefined;
    for (let at = 0; at < raw.length; at += 2) {
      const name = nameOf(raw[at]!);
      names.push(name);
      const { bits, label } = name;
      if (bits === 0) continue;
      const value = raw[at + 1]!;
      if ((bits & GATEWAY) !== 0) {
        const line = label === undefined ? this.#memory.line(name, value) : labelLine(name, label, value);
        gateway.push(line);
        if (name.controls) settings = this.#memory.with(settings, line);
        else if (name.setting === "auth") auth.push(value);
      } else if ((bits & HOST) !== 0) hosts.push(value);
      else if ((bits & LENGTH) !== 0) contentLength = readLength(value) ?? Number(value);
      else if ((bits & ENCODING) !== 0)
        transferEncoding = transferEncoding === undefined ? value : `${transferEncoding}, ${value}`;
    }
    return { raw, names, gateway, settings, auth, hosts, contentLength, transferEncoding };
  }

  /** The headers for the provider: all except the gateway's and the connection's own, with `authority` as `Host`. */
  forward({ raw, names }: RequestHeaders, authority: string, upgrade: boolean): string[] {
    const named = namedByConnection(raw, names);
    const kept: string[] = [];
    let lengthSeen = false;
    let hostSeen = false;
    for (let at = 0; at < raw.length; at += 2) {
      const rawName = raw[at]!;
      const { bits, lower } = names[at / 2]!;
      if ((bits & (GATEWAY | HOP)) !== 0) {
        // A chunked body is framed again here; the Upgrade request is passed on.
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

  /**
   * The client's headers for a call paid by another credential: like `forward`, but without framing headers and without
   * anything that may be a credential.
   *
   * @param isWanted - called with each name, in lower case.
   */
  shared({ raw, names }: RequestHeaders, { authority, provider, isWanted }: SharedHeaders): string[] {
    const named = namedByConnection(raw, names);
    const kept: string[] = [];
    let hostSeen = false;
    for (let at = 0; at < raw.length; at += 2) {
      const { bits, lower } = names[at / 2]!;
      if ((bits & (GATEWAY | HOP | LENGTH)) !== 0 || !isWanted(lower)) continue;
      if ((bits & HOST) !== 0) {
        kept.push(raw[at]!, authority);
        hostSeen = true;
      } else if (named === undefined || !named.has(lower)) {
        const value = raw[at + 1]!;
        if (!isCredential(names[at / 2]!, value, provider)) kept.push(raw[at]!, value);
      }
    }
    if (!hostSeen) kept.unshift("Host", authority);
    return kept;
  }

  /** The headers for the spool: all except the gateway's own, with credentials masked. @param mask - further names. */
  recorded({ raw, names }: RequestHeaders, mask: ReadonlySet<string>): string[] {
    const kept: string[] = [];
    for (let at = 0; at < raw.length; at += 2) {
      const { bits, lower } = names[at / 2]!;
      if ((bits & GATEWAY) !== 0) continue;
      const value = raw[at + 1]!;
      kept.push(raw[at]!, mask.size > 0 && mask.has(lower) ? MASKED : shown(names[at / 2]!, value));
    }
    return kept;
  }

  /** Every header that may hold a credential for the provider, as `name: value`, names in lower case, sorted. */
  credentials({ raw }: RequestHeaders, provider: ProviderPlugin | undefined): string[] {
    const found: string[] = [];
    for (let at = 0; at < raw.length; at += 2) {
      const name = this.#nameOf(raw[at]!);
      if ((name.bits & GATEWAY) === 0 && isCredential(name, raw[at + 1]!, provider))
        found.push(`${name.lower}: ${raw[at + 1]}`);
    }
    return found.sort();
  }

  /** Raw pairs without those that may hold a credential for `provider`. */
  withoutCredentials(raw: RawHeaders, provider: ProviderPlugin | undefined): string[] {
    return pairsWhere(raw, (name, value) => !isCredential(this.#nameOf(name), value, provider));
  }
}

interface SharedHeaders {
  /** Value of `Host`. */
  readonly authority: string;
  readonly provider: ProviderPlugin | undefined;
  readonly isWanted: (lower: string) => boolean;
}

function isCredential({ bits, lower }: HeaderName, value: string, provider: ProviderPlugin | undefined): boolean {
  return (bits & (SECRET | PROTOCOLS)) !== 0 || maskOf(provider).headers.has(lower) || maskText(value) !== value;
}

/** All values of a header. @param name - lower case. */
export function valuesOf({ raw, names }: RequestHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < names.length; at++) if (names[at]!.lower === name) values.push(raw[at * 2 + 1]!);
  return values;
}

/** The first value of a header. @param name - lower case. */
export function firstValue({ raw, names }: RequestHeaders, name: string): string | undefined {
  for (let at = 0; at < names.length; at++) if (names[at]!.lower === name) return raw[at * 2 + 1]!;
  return undefined;
}

/** The raw pairs that pass `isWanted`. */
export function pairsWhere(raw: RawHeaders, isWanted: (name: string, value: string) => boolean): string[] {
  const wanted: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    const value = raw[at + 1]!;
    if (isWanted(name, value)) wanted.push(name, value);
  }
  return wanted;
}

/** Replaces header values. @param set - text by name, in any case; null removes the header. */
export function replaceHeaders(raw: RawHeaders, set: Readonly<Record<string, string | null>>): string[] {
  const names = new Set(Object.keys(set).map((name) => name.toLowerCase()));
  const kept = pairsWhere(raw, (name) => !names.has(name.toLowerCase()));
  for (const [name, value] of Object.entries(set)) if (value !== null) kept.push(name, toWire(value));
  return kept;
}

/** Text with the same bytes in Latin-1 and UTF-8, and valid in a header. */
const PLAIN = /^[\x20-\x7e]*$/;

/** The parser delivers header values as Latin-1; this decodes them as UTF-8. */
export function fromWire(value: string): string {
  return PLAIN.test(value) ? value : Buffer.from(value, "latin1").toString("utf8");
}

/** Encodes text as the Latin-1 string whose bytes are its UTF-8. */
export function toWire(text: string): string {
  return PLAIN.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Any text as a header value: control characters, such as line ends, become a space. */
export function toHeaderValue(text: string): string {
  return PLAIN.test(text) ? text : toWire(text.replace(/[\0-\x1f\x7f]+/g, " "));
}

function labelLine({ canonical, setting }: HeaderName, label: Label, value: string): GatewayHeader {
  return { name: canonical, setting, value: maskLabel(value, label.name), isLabel: true, isKept: false };
}

/**
 * `Gateway-*` headers for the spool: without the key, and with addresses masked, because a refused target may hold a
 * password. Labels are masked already.
 */
export function recordedGatewayHeaders(headers: readonly GatewayHeader[]): string[] {
  const kept: string[] = [];
  for (const { name, setting, value, isLabel, isKept } of headers) {
    if (setting !== "auth") kept.push(name, isLabel || isKept ? value : recordedValue(setting, value));
  }
  return kept;
}

function shown(name: HeaderName, value: string): string {
  if ((name.bits & SECRET) !== 0) return MASKED;
  if ((name.bits & PROTOCOLS) !== 0) return maskProtocols(value);
  return maskValue(name, value);
}
