import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { wantedInWords } from "../../checked.ts";
import { GatewayError } from "../../errors.ts";
import type { GatewayHeader } from "../headers/gateway-header.ts";
import { fromWire } from "../headers/headers.ts";

/** Why a try failed: the provider's status, or no response. */
export type Failure = number | "network";

/** What to do when a provider fails, as the client set it. */
export interface RetryPlan {
  /** Maximum calls of each target, including the first. */
  readonly triesMax: number;
  /** Milliseconds before the second call; multiplied by `factor` before each further one, at most `waitMsMax`. */
  readonly waitMs: number;
  readonly factor: number;
  readonly waitMsMax: number;
  readonly fallbacks: readonly Fallback[];
}

const FALLBACKS_MAX = 10;
const TOKEN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

const FALLBACK = Type.Object(
  {
    /** An origin, as in `Gateway-Target-Url`. */
    target: Type.String(),
    /** Path and query that replace the client's. */
    path: Type.Optional(Type.String({ pattern: "^/" })),
    /** Headers that replace the client's; null removes one. */
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: TOKEN }), Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()]), {
        // Without this a name that does not match the pattern could have any value, even one with a line end.
        additionalProperties: false,
      }),
    ),
    /** Members that replace those of the client's JSON body. */
    body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** Failures that lead here: statuses, `4xx`, `5xx`, `network`. Default: 429, 5xx and network. */
    on: Type.Optional(
      Type.Array(
        Type.Union([
          Type.Integer({ minimum: 400, maximum: 599 }),
          Type.Literal("4xx"),
          Type.Literal("5xx"),
          Type.Literal("network"),
        ]),
        { minItems: 1 },
      ),
    ),
  },
  { additionalProperties: false },
);
const FALLBACKS = Type.Array(FALLBACK, { minItems: 1, maxItems: FALLBACKS_MAX });

export type Fallback = Static<typeof FALLBACK>;

/** Ranges of numeric headers; decimals only for the factor. */
const NUMBERS = {
  "retry-num": { fallback: 5, least: 1, most: 20, whole: true },
  "retry-factor": { fallback: 2, least: 1, most: 10, whole: false },
  "retry-min-timeout": { fallback: 1_000, least: 0, most: 300_000, whole: true },
  "retry-max-timeout": { fallback: 10_000, least: 0, most: 300_000, whole: true },
} as const;

/**
 * Reads the `Gateway-Retry-*` headers and `Gateway-Fallbacks`.
 *
 * @returns undefined if the client sets neither.
 * @throws GatewayError `invalid_header` that says what is allowed.
 */
export function readRetryPlan(headers: readonly GatewayHeader[]): RetryPlan | undefined {
  // Most requests set neither: no list is built for them.
  if (!headers.some(isAbout)) return undefined;
  const values = new Map(headers.filter(isAbout).map((header) => [header.setting, header]));
  const number = (setting: keyof typeof NUMBERS) => readNumber(values.get(setting), NUMBERS[setting]);
  const [retries, factor, waitMs, waitMsMax] = [
    number("retry-num"),
    number("retry-factor"),
    number("retry-min-timeout"),
    number("retry-max-timeout"),
  ];
  const fallbacks = readFallbacks(values.get("fallbacks"));
  const enabled = readFlag(values.get("retry-enabled"));
  if (!enabled && fallbacks.length === 0) return undefined;
  return { triesMax: enabled ? retries + 1 : 1, waitMs, factor, waitMsMax, fallbacks };
}

/** Failures worth a retry: too many requests, server errors, no response. */
export function isRetryable(failure: Failure): boolean {
  return failure === "network" || failure === 429 || failure >= 500;
}

/** Whether this failure leads to that fallback. */
export function leadsTo({ on }: Fallback, failure: Failure): boolean {
  if (on === undefined) return isRetryable(failure);
  return on.some((each) => each === failure || (failure !== "network" && each === `${Math.floor(failure / 100)}xx`));
}

function isAbout({ setting }: GatewayHeader): boolean {
  return setting.startsWith("retry-") || setting === "fallbacks";
}

function readFlag(header: GatewayHeader | undefined): boolean {
  if (header === undefined) return false;
  if (!/^(?:true|false)$/i.test(header.value))
    throw new GatewayError("invalid_header", `${header.name} must be "true" or "false"`);
  return header.value.toLowerCase() === "true";
}

function readNumber(header: GatewayHeader | undefined, range: (typeof NUMBERS)[keyof typeof NUMBERS]): number {
  const { fallback, least, most, whole } = range;
  if (header === undefined) return fallback;
  const value = Number(header.value);
  const form = whole ? /^\d{1,9}$/ : /^\d{1,3}(?:\.\d{1,6})?$/;
  if (!form.test(header.value.trim()) || value < least || value > most)
    throw new GatewayError(
      "invalid_header",
      `${header.name} must be a ${whole ? "whole number" : "number"} from ${least} to ${most}`,
    );
  return value;
}

function readFallbacks(header: GatewayHeader | undefined): readonly Fallback[] {
  if (header === undefined) return [];
  const wrong = (what: string) => new GatewayError("invalid_header", `${header.name} ${what}`);
  let value: unknown;
  try {
    value = JSON.parse(fromWire(header.value));
  } catch (cause) {
    throw new GatewayError("invalid_header", `${header.name} must be a JSON list`, { cause });
  }
  const error = Value.Errors(FALLBACKS, value).First();
  // The value is not repeated: it may hold a credential.
  if (error !== undefined) {
    const at = error.path === "" ? "" : ` at ${error.path.slice(1).replaceAll("/", ".")}`;
    throw wrong(`does not fit${at}: ${wantedInWords(error)}`);
  }
  return value as Fallback[];
}
