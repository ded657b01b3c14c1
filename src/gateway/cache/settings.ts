import { GatewayError } from "../../errors.ts";
import type { GatewayHeader } from "../headers/gateway-header.ts";
import { fromWire } from "../headers/headers.ts";

/** A client's cache settings. */
export interface CacheSettings {
  readonly read: boolean;
  readonly save: boolean;
  /** How long a response is kept. */
  readonly keepMs: number;
  /** Responses of this age or older are not used; undefined if the client set no limit. */
  readonly ageMsMax: number | undefined;
  readonly seed: string;
  /** Number of responses kept per request, from 1 to 20. */
  readonly bucketSize: number;
  /** Members of a JSON body that the cache key ignores: names, or paths such as `metadata.trace_id`. */
  readonly ignoredKeys: readonly string[];
}

const DAY_SECONDS = 86_400;
const KEEP_SECONDS_DEFAULT = 7 * DAY_SECONDS;
const KEEP_SECONDS_MAX = 365 * DAY_SECONDS;
const IGNORED_KEYS_MAX = 100;

/**
 * Reads the `Gateway-Cache-*` headers and `Cache-Control`.
 *
 * @param cacheControl - values of the request's `Cache-Control` headers.
 * @returns undefined if the cache is not used.
 * @throws GatewayError `invalid_header` that says what is allowed.
 */
export function readCacheSettings(
  headers: readonly GatewayHeader[],
  cacheControl: readonly string[],
): CacheSettings | undefined {
  const values = new Map<string, string>();
  const ignored: string[] = [];
  for (const { name, setting, value } of headers) {
    if (!setting.startsWith("cache-")) continue;
    if (setting === "cache-ignore-keys") ignored.push(...readNames(name, value));
    else values.set(setting, value.trim());
  }
  const flag = (setting: string) => {
    const value = values.get(setting)?.toLowerCase();
    return value === undefined ? undefined : value === "true";
  };
  const enabled = flag("cache-enabled") ?? false;
  const read = flag("cache-read") ?? enabled;
  const save = flag("cache-save") ?? enabled;
  if (!read && !save) return undefined;
  if (ignored.length > IGNORED_KEYS_MAX)
    throw new GatewayError("invalid_header", `Gateway-Cache-Ignore-Keys takes at most ${IGNORED_KEYS_MAX} names`);
  const wishes = readCacheControl(cacheControl);
  return {
    read: read && !wishes.noCache && !wishes.noStore,
    save: save && !wishes.noStore,
    keepMs: Math.min(wishes.maxAgeSeconds ?? KEEP_SECONDS_DEFAULT, KEEP_SECONDS_MAX) * 1_000,
    ageMsMax: wishes.maxAgeSeconds === undefined ? undefined : wishes.maxAgeSeconds * 1_000,
    seed: values.get("cache-seed") ?? "",
    bucketSize: Number(values.get("cache-bucket-max-size") ?? 1),
    ignoredKeys: ignored,
  };
}

function readNames(header: string, value: string): string[] {
  const names = value.split(",").map((name) => name.trim());
  if (names.includes("")) throw new GatewayError("invalid_header", `${header} must be names separated by commas`);
  return names.map(fromWire);
}

interface Wishes {
  maxAgeSeconds: number | undefined;
  noCache: boolean;
  noStore: boolean;
}

/** This cache ignores other directives. */
function readCacheControl(values: readonly string[]): Wishes {
  const wishes: Wishes = { maxAgeSeconds: undefined, noCache: false, noStore: false };
  for (const directive of values.join(",").split(",")) {
    const [name = "", ...rest] = directive.split("=");
    const kind = name.trim().toLowerCase();
    if (kind === "no-cache") wishes.noCache = true;
    else if (kind === "no-store") wishes.noStore = true;
    else if (kind === "max-age") wishes.maxAgeSeconds = readSeconds(rest.join("=").trim());
  }
  return wishes;
}

function readSeconds(value: string): number {
  const digits = /^"?(\d+)"?$/.exec(value)?.[1];
  if (digits === undefined)
    throw new GatewayError("invalid_header", "Cache-Control: max-age must be a whole number of seconds, 0 or more");
  return Number(digits);
}
