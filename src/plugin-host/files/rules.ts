import { nearestName } from "../../nearest.ts";

/** Returns the error of a member's value, or undefined if it is valid. */
export type Rule = (value: unknown) => string | undefined;

export interface Member {
  readonly rule: Rule;
  readonly required?: true;
}

export const text =
  (fits: RegExp, allowed: string): Rule =>
  (value) =>
    typeof value === "string" && fits.test(value) ? undefined : `must be ${allowed}`;

export const aFunction: Rule = (value) => (typeof value === "function" ? undefined : "must be a function");

export const listOf =
  (fits: (entry: unknown) => boolean, allowed: string): Rule =>
  (value) => {
    if (!Array.isArray(value)) return `must be a list, each entry ${allowed}`;
    const wrong = value.findIndex((entry) => !fits(entry));
    return wrong === -1 ? undefined : `entry ${wrong + 1} must be ${allowed}, not ${shown(value[wrong])}`;
  };

const isTexts = (value: unknown) =>
  isRecord(value) &&
  Object.entries(value).every(([name, text]) => name === name.toLowerCase() && typeof text === "string");

export const headers: Rule = (value) =>
  isTexts(value) ? undefined : "must be an object of lower-case names and texts";

/** @param what - the plural of its entries. */
export const eachOf =
  (rule: Rule, what: string): Rule =>
  (value) => {
    if (!Array.isArray(value)) return `must be a list of ${what}`;
    for (const [at, entry] of value.entries()) {
      const wrong = rule(entry);
      if (wrong !== undefined) return `entry ${at + 1}${joined(wrong)}`;
    }
    return undefined;
  };

/** @param what - the subject of the error about a member that there is not. */
export const object =
  (members: Readonly<Record<string, Member>>, what: string): Rule =>
  (value) =>
    isRecord(value) ? inside(wrongMember(value, members, what)) : "must be an object";

/** Marks an error of a member within a member: a colon stands before it. */
const inside = (wrong: string | undefined) => wrong && `: ${wrong}`;

const joined = (wrong: string) => (wrong.startsWith(":") ? wrong : ` ${wrong}`);

/** One of the names of a table. */
export const oneOf =
  (names: Readonly<Record<string, unknown>>, what: string): Rule =>
  (value) => {
    if (typeof value === "string" && Object.hasOwn(names, value)) return undefined;
    const near = nearestName(String(value), Object.keys(names));
    return `must be ${what}, not ${shown(value)}${near === undefined ? "" : `; did you mean "${near}"?`}`;
  };

/** Names the member that is unknown, missing or wrong; undefined if all are valid. */
export function wrongMember(
  value: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, Member>>,
  what: string,
): string | undefined {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(members, name)) continue;
    const near = nearestName(name, Object.keys(members));
    return `${what} has no member "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
  }
  for (const [name, { rule, required }] of Object.entries(members)) {
    if (value[name] === undefined) {
      if (required) return `the member "${name}" is missing`;
      continue;
    }
    const wrong = rule(value[name]);
    if (wrong !== undefined) return `the member "${name}"${joined(wrong)}`;
  }
  return undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
