/** What a record needs of one list of headers. Values are Latin-1 strings, as in the list. */
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

type Read = (known: KnownHeaders, value: string) => void;

/** By name in lower case. */
const READ: ReadonlyMap<string, Read> = new Map<string, Read>([
  [
    "content-type",
    (known, value) => {
      known.contentType = value;
    },
  ],
  [
    "content-encoding",
    (known, value) => {
      known.contentEncoding = known.contentEncoding === undefined ? value : `${known.contentEncoding}, ${value}`;
    },
  ],
  [
    "referer",
    (known, value) => {
      known.referrer = value;
    },
  ],
  ["cf-ipcountry", readCountry],
  ["x-vercel-ip-country", readCountry],
  ["cloudfront-viewer-country", readCountry],
  ["x-appengine-country", readCountry],
  ["fastly-client-country", readCountry],
  ["x-country-code", readCountry],
  ["x-geo-country", readCountry],
]);

/** Length and first letter of a name in 12 bits: hardly any other header has both. */
const startOf = (length: number, first: number) => ((length << 5) | (first & 0x1f)) & 0xfff;
const STARTS = new Uint8Array(0x1000);
for (const name of READ.keys()) STARTS[startOf(name.length, name.charCodeAt(0))] = 1;

export function nothingKnown(): KnownHeaders {
  return { contentType: undefined, contentEncoding: undefined, referrer: undefined, country: undefined };
}

/** False for nearly every other name. @param first - the code of its first character, in either case. */
export function mayBeKnown(length: number, first: number): boolean {
  return STARTS[startOf(length, first)] === 1;
}

/** How a header with this name is read; undefined if nothing needs it. @param name - in any case. */
export function readerOf(name: string): Read | undefined {
  return READ.get(name.toLowerCase());
}

/** The first header with a code counts. */
function readCountry(known: KnownHeaders, value: string): void {
  const code = value.trim().toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && code !== "XX") known.country ??= code;
}
