import { saysTooLong } from "../mapping/translate/errors.ts";

/** The kind of a failed attempt for routing: a status, or `4xx` and `5xx` for their ranges. */
export interface Failure {
  /** The provider's status; 0 without one. */
  readonly status: number;
  readonly kind: "status" | "network" | "timeout" | "malformed" | "auth" | "context" | "filtered";
  /** For `auth`: whether the credential's money or quota is exhausted, as opposed to invalid. */
  readonly exhausted?: boolean;
  /** The wait that the provider requested, in milliseconds. */
  readonly restMs?: number;
  /** For display and records, without the provider's text, such as `429` or `timeout`. */
  readonly reason: string;
}

/** Failures that lead to a later target that has no list of its own. */
const ON_DEFAULT: readonly (number | string)[] = [404, 408, 429, "5xx", "network", "timeout", "context", "auth"];

/** Whether a failure leads to a target that lists `on`. A response that cannot be read counts as a 502. */
export function leadsTo(on: readonly (number | string)[] | undefined, { status, kind }: Failure): boolean {
  return (on ?? ON_DEFAULT).some((each) => {
    if (typeof each === "number") return kind !== "network" && kind !== "timeout" && each === status;
    if (each === "4xx") return status >= 400 && status < 500;
    if (each === "5xx") return kind === "malformed" || (status >= 500 && status < 600);
    return each === kind;
  });
}

const AUTH = new Set([401, 402, 403]);
const QUOTA =
  /insufficient_quota|billing_(?:error|not_active|hard_limit)|credit balance|exceeded your current quota|quota.{0,20}(?:exhausted|spent)/i;
const FILTERED =
  /content_filter|content_policy|content management policy|safety (?:system|filter)|ResponsibleAIPolicyViolation/i;
/** How many characters of an error's text are searched; the relevant part is at its beginning. */
const LOOKED_AT_MAX = 4_096;

/** @param text - the body's beginning, decoded. */
export function failureOf(status: number, text: string, restMs?: number): Failure {
  const body = text.slice(0, LOOKED_AT_MAX);
  const rest = restMs === undefined ? {} : { restMs };
  const reason = String(status);
  if (AUTH.has(status)) {
    if (status !== 402 && FILTERED.test(body)) return { status, kind: "filtered", reason: `${status} filtered` };
    return { status, kind: "auth", exhausted: status === 402 || QUOTA.test(body), reason, ...rest };
  }
  if (status === 429 && QUOTA.test(body))
    return { status, kind: "auth", exhausted: true, reason: "429 quota", ...rest };
  if (status === 400 && QUOTA.test(body))
    return { status, kind: "auth", exhausted: true, reason: "400 quota", ...rest };
  if (saysTooLong(status, body)) return { status, kind: "context", reason: `${status} context`, ...rest };
  if ((status === 400 || status === 422) && FILTERED.test(body))
    return { status, kind: "filtered", reason: `${status} filtered` };
  return { status, kind: "status", reason, ...rest };
}

/** Headers with a wait, in lower case, with a parser for each that returns milliseconds. */
const RESET_HEADERS: readonly (readonly [string, (value: string, now: number) => number])[] = [
  ["retry-after-ms", (value) => Number(value)],
  ["retry-after", (value, now) => (/^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : untilDate(value, now))],
  ["anthropic-ratelimit-requests-reset", untilDate],
  ["x-ratelimit-reset-requests", duration],
  ["x-ratelimit-reset-tokens", duration],
];

/** A date has letters; the parser would accept "-3" as one. */
function untilDate(value: string, now: number): number {
  return /[a-z]/i.test(value) ? Date.parse(value) - now : Number.NaN;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `1m30.5s`, `250ms` or plain seconds. */
function duration(value: string): number {
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([text]) => text).join("") !== value) return Number.NaN;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0);
}

const REST_MS_MAX = 24 * 3_600_000;

/** The wait that a provider requests, from the first header that has it. @param headers - raw pairs. */
export function restOf(headers: readonly string[], now: number): number | undefined {
  for (const [name, read] of RESET_HEADERS) {
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at]!.toLowerCase() !== name) continue;
      const ms = read(headers[at + 1]!.trim().slice(0, 100), now);
      if (Number.isFinite(ms) && ms >= 0) return Math.min(ms, REST_MS_MAX);
    }
  }
  return undefined;
}
