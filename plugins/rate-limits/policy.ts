import { SlidingSpan, type Span } from "./span.ts";

/** What is counted: requests, US cents, or all tokens. */
export type Unit = "request" | "cents" | "tokens";

export interface Policy {
  /** The key of its counts; equal policies have the same key. */
  readonly id: string;
  readonly quota: number;
  readonly span: Span;
  readonly unit: Unit;
  /** `user` or the name of a property, to count separately by its value; null to count all together. */
  readonly segment: string | null;
  /** As clients see it in `gateway-ratelimit-policy`. */
  readonly text: string;
  /** Its name in messages. */
  readonly name: string;
}

export const WINDOW_SECONDS_MAX = 31_536_000;
export const QUOTA_MAX = 1e15;
const POLICIES_MAX = 20;
const UNITS: readonly Unit[] = ["request", "cents", "tokens"];
const PARAMETERS: Readonly<Record<string, string>> = { w: "window", u: "unit", s: "segment" };

/**
 * Reads `Gateway-RateLimit-Policy`: `<quota>;w=<seconds>[;u=request|cents|tokens][;s=user|<property>]`, several policies are
 * separated by commas, parameters may be in any order.
 *
 * @returns the policies without duplicates, or a sentence that describes the error.
 */
export function readPolicies(header: string): readonly Policy[] | string {
  const policies = new Map<string, Policy>();
  const texts = header.split(",");
  if (texts.length > POLICIES_MAX) return `there are ${texts.length} policies; at most ${POLICIES_MAX} are read`;
  for (const text of texts) {
    const policy = readPolicy(text.trim());
    if (typeof policy === "string") return policy;
    policies.set(policy.id, policy);
  }
  return [...policies.values()];
}

function readPolicy(text: string): Policy | string {
  if (text === "") return "a policy is empty; it looks like 100;w=60";
  const wrong = (why: string) => `in "${text.slice(0, 100)}" ${why}`;
  const [quotaText = "", ...parameters] = text.split(";").map((part) => part.trim());
  const given: Record<string, string> = {};
  for (const parameter of parameters) {
    const at = parameter.indexOf("=");
    const name = (at < 0 ? parameter : parameter.slice(0, at)).trim();
    const value = at < 0 ? "" : parameter.slice(at + 1).trim();
    if (!Object.hasOwn(PARAMETERS, name)) return wrong(`"${name}" is not a parameter; there are w, u and s`);
    if (Object.hasOwn(given, name)) return wrong(`the ${PARAMETERS[name]} "${name}" is given twice`);
    if (value === "") return wrong(`the ${PARAMETERS[name]} "${name}" has no value`);
    given[name] = value;
  }
  const { w, u = "request", s = null } = given;
  if (!isUnit(u)) return wrong(`the unit must be ${UNITS.join(", ")}, not "${u}"`);
  if (!(u === "cents" ? /^\d{1,15}(\.\d{1,6})?$/ : /^\d{1,15}$/).test(quotaText)) {
    return wrong(
      `the quota must be a whole number${u === "cents" ? " or a decimal one" : ""} of up to 15 digits, not "${quotaText}"`,
    );
  }
  if (w === undefined) return wrong("the window is missing: add w=<seconds>");
  if (!/^\d{1,8}$/.test(w) || Number(w) < 1 || Number(w) > WINDOW_SECONDS_MAX) {
    return wrong(`the window must be from 1 to ${WINDOW_SECONDS_MAX} seconds, not "${w}"`);
  }
  if (s !== null && !isSegment(s)) return wrong(`the segment "${s}" is not a property name`);
  const quota = Number(quotaText);
  const terms = { quota, unit: u, segment: s };
  // Policies from headers are distinguished by their text.
  return {
    ...terms,
    id: textOf({ ...terms, window: `w=${Number(w)}` }),
    span: new SlidingSpan(Number(w) * 1_000),
    text,
    name: text,
  };
}

interface PolicyText {
  readonly quota: number;
  /** Its parameters, such as `w=60`. */
  readonly window: string;
  readonly unit: Unit;
  readonly segment: string | null;
}

export const textOf = ({ quota, window, unit, segment }: PolicyText): string =>
  `${quota};${window};u=${unit}${segment === null ? "" : `;s=${segment}`}`;

export function isUnit(value: unknown): value is Unit {
  return UNITS.includes(value as Unit);
}

/** `user`, or the name of a property that a header can carry. */
export function isSegment(name: unknown): boolean {
  return typeof name === "string" && /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name);
}
