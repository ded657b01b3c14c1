import { fromLatin1 } from "../../bodies/headers.ts";
import type { RawHeaders } from "../../spool/frame.ts";

/** What a record needs of one list of headers. */
export interface KnownHeaders {
  /** The last value; undefined if missing. */
  contentType: string | undefined;
  /** All values, joined as HTTP joins them. */
  contentEncoding: string | undefined;
  /** The last value. */
  referrer: string | undefined;
  /** ISO country code in capitals, as set by a proxy in front of Weir; XX and T1 mean "unknown". */
  country: string | undefined;
}

const READ: Readonly<Record<string, (known: KnownHeaders, value: string) => void>> = {
  "content-type": (known, value) => {
    known.contentType = fromLatin1(value);
  },
  "content-encoding": (known, value) => {
    known.contentEncoding = known.contentEncoding === undefined ? value : `${known.contentEncoding}, ${value}`;
  },
  referer: (known, value) => {
    known.referrer = fromLatin1(value);
  },
  "cf-ipcountry": readCountry,
  "x-vercel-ip-country": readCountry,
  "cloudfront-viewer-country": readCountry,
  "x-appengine-country": readCountry,
  "fastly-client-country": readCountry,
  "x-country-code": readCountry,
  "x-geo-country": readCountry,
};

/** Length and first letter of a name in 12 bits: hardly any other header has both. */
const startOf = (name: string) => ((name.length << 5) | (name.charCodeAt(0) & 0x1f)) & 0xfff;
const STARTS = new Uint8Array(0x1000);
for (const name in READ) STARTS[startOf(name)] = 1;

/** An exchange has four lists at most. */
const KEPT = 4;
const lists: RawHeaders[] = [];
const known: KnownHeaders[] = [];
let next = 0;

/** Reads a list in one pass, and once for all that ask in succession: most of a small record's headers are of no interest. */
export function knownHeaders(headers: RawHeaders): KnownHeaders {
  const at = lists.indexOf(headers);
  if (at !== -1) return known[at]!;
  const found = readHeaders(headers);
  lists[next] = headers;
  known[next] = found;
  next = (next + 1) % KEPT;
  return found;
}

function readHeaders(headers: RawHeaders): KnownHeaders {
  const found = { contentType: undefined, contentEncoding: undefined, referrer: undefined, country: undefined };
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (STARTS[startOf(name)] === 0) continue;
    const lower = name.toLowerCase();
    if (Object.hasOwn(READ, lower)) READ[lower]!(found, headers[at + 1] ?? "");
  }
  return found;
}

/** The first header with a code counts. */
function readCountry(known: KnownHeaders, value: string): void {
  const code = value.trim().toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && code !== "XX") known.country ??= code;
}
