import type { RawHeaders } from "../spool/frame.ts";
import { fromLatin1 } from "./headers.ts";

/** What the `Gateway-*` headers of a request say about it. */
export interface Labels {
  readonly properties: Record<string, string>;
  readonly promptInputs: Record<string, string>;
  /** Names in `properties` and `promptInputs` that reached us without their case. */
  readonly erasedProperties: ReadonlySet<string>;
  readonly erasedInputs: ReadonlySet<string>;
  /** Every other header, by its name in lower case without `gateway-`; the last one where there are several. */
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
  const properties: Record<string, string> = Object.create(null);
  const promptInputs: Record<string, string> = Object.create(null);
  let erasedProperties: Set<string> | undefined;
  let erasedInputs: Set<string> | undefined;
  const settings = new Map<string, string>();
  for (let at = 0; at < gateway.length; at += 2) {
    const raw = gateway[at]!;
    const lower = raw.toLowerCase();
    const value = fromLatin1(gateway[at + 1] ?? "");
    if (lower.startsWith(PROPERTY)) {
      const name = fromLatin1(raw.slice(PROPERTY.length));
      properties[name] = value;
      if (raw === lower) {
        erasedProperties ??= new Set();
        erasedProperties.add(name);
      }
    } else if (lower.startsWith(PROMPT_INPUT)) {
      const name = fromLatin1(raw.slice(PROMPT_INPUT.length));
      promptInputs[name] = value;
      if (raw === lower) {
        erasedInputs ??= new Set();
        erasedInputs.add(name);
      }
    } else settings.set(lower.slice("gateway-".length), value);
  }
  return {
    properties,
    promptInputs,
    erasedProperties: erasedProperties ?? NONE,
    erasedInputs: erasedInputs ?? NONE,
    settings,
  };
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

/** ISO country code that a proxy in front of us has told, in capitals; XX and T1 are their words for "unknown". */
export function countryCode(headers: RawHeaders): string | null {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (name.length < 12 || name.length > 25 || !COUNTRY_HEADERS.includes(name.toLowerCase())) continue;
    const code = (headers[at + 1] ?? "").trim().toUpperCase();
    if (/^[A-Z]{2}$/.test(code) && code !== "XX") return code;
  }
  return null;
}
