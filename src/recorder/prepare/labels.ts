import { fromLatin1 } from "../../bodies/headers.ts";
import type { StoredLabels } from "../../engine/storable.ts";
import type { RawHeaders } from "../../spool/frame.ts";

/** What the `Gateway-*` headers of a request say about it. */
export interface Labels extends StoredLabels {
  /** Every other header that says something, by its name in lower case without `gateway-`; of several the last one. */
  readonly settings: ReadonlyMap<string, string>;
}

const PROPERTY = "gateway-property-";
const PROMPT_INPUT = "gateway-prompt-input-";
const NONE: ReadonlySet<string> = new Set();

/**
 * A property's name keeps the spelling of the wire. A header name without any capital has lost its case on the way
 * (HTTP/2 and some clients erase it): the name is then kept in lower case and marked, header by header.
 */
export function readLabels(gateway: RawHeaders): Labels {
  const properties = new NamedValues();
  const inputs = new NamedValues();
  const settings = new Map<string, string>();
  for (let at = 0; at < gateway.length; at += 2) {
    const raw = gateway[at]!;
    const lower = raw.toLowerCase();
    const value = fromLatin1(gateway[at + 1] ?? "");
    const isErased = raw === lower;
    if (lower.startsWith(PROPERTY)) properties.set(fromLatin1(raw.slice(PROPERTY.length)), value, isErased);
    else if (lower.startsWith(PROMPT_INPUT)) inputs.set(fromLatin1(raw.slice(PROMPT_INPUT.length)), value, isErased);
    else if (value !== "") settings.set(lower.slice("gateway-".length), value);
  }
  return {
    properties: properties.values,
    promptInputs: inputs.values,
    erasedProperties: properties.erased ?? NONE,
    erasedInputs: inputs.erased ?? NONE,
    settings,
  };
}

/** Of a name that is given twice the last header counts, with its value and with its case. */
class NamedValues {
  readonly values: Record<string, string> = Object.create(null);
  erased: Set<string> | undefined;

  set(name: string, value: string, isErased: boolean): void {
    if (name === "") return; // refused with 400 by the gateway, but the refusal is recorded too
    this.values[name] = value;
    if (isErased) {
      this.erased ??= new Set();
      this.erased.add(name);
    } else this.erased?.delete(name);
  }
}

const COUNTRY_HEADERS = [
  "cf-ipcountry",
  "x-vercel-ip-country",
  "cloudfront-viewer-country",
  "x-appengine-country",
  "fastly-client-country",
  "x-country-code",
  "x-geo-country",
];

const startOf = (name: string) => (name.length << 8) | name.charCodeAt(0) | 0x20;
/** Length and first letter of each: hardly another header has both. */
const COUNTRY_STARTS = new Set(COUNTRY_HEADERS.map(startOf));

/** ISO country code that a proxy in front of us has told, in capitals; XX and T1 are their words for "unknown". */
export function countryCode(headers: RawHeaders): string | null {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (!COUNTRY_STARTS.has(startOf(name)) || !COUNTRY_HEADERS.includes(name.toLowerCase())) continue;
    const code = (headers[at + 1] ?? "").trim().toUpperCase();
    if (/^[A-Z]{2}$/.test(code) && code !== "XX") return code;
  }
  return null;
}
