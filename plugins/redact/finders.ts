/** Finds one kind of text. */
export interface Finder {
  /** The replacement, in brackets. */
  readonly name: string;
  /** Replaces each match in `text` with the result of `by`. */
  readonly replace: (text: string, by: () => string) => string;
}

/**
 * The operator's expressions run on this many characters at a time, plus the same number before them, to bound their time.
 */
const WINDOW = 16_384;
const OVERLAP = 1_024;

/** Each takes linear time. */
export const FINDERS: Readonly<Record<string, Finder>> = Object.fromEntries(
  [
    finder("email", /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])/gi),
    finder("iban", /(?<![a-z0-9])[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?(?![a-z0-9])/gi, isIban),
    finder("card", /(?<![\d.,-])\d(?:[ -]?\d){11,18}(?![\d])(?![.,-]\d)/g, isCard),
    finder(
      "phone",
      /(?<![\w+]|\d )(?:\+\d{1,3}|00[1-9]\d{0,2})(?:[ ./()-]{0,3}\d){6,13}(?!\d)|(?<![\w.(-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\d-])/g,
    ),
    finder(
      "key",
      /(?<![\w-])(?:(?:sk|rk|pk)[-_](?:[\w-]{0,12}[-_])?[\w-]{16,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|(?:gsk|hf|xai|pplx|nvapi|r8)[-_]\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\w+/=\s]{0,10000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?)/g,
    ),
  ].map((each) => [each.name, each]),
);

function finder(name: string, pattern: RegExp, isOne: (text: string) => boolean = () => true): Finder {
  return { name, replace: (text, by) => text.replace(pattern, (found) => (isOne(found) ? by() : found)) };
}

/** @throws if the expression is invalid, or could take exponential time. */
export function finderOf(name: string, pattern: string): Finder {
  // Nested repetition can take exponential time.
  if (/\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)/.test(pattern))
    throw new Error(`patterns.${name} has nested repetition, which can take exponential time; rewrite it without`);
  const expression = new RegExp(pattern, "g");
  if (expression.test("")) throw new Error(`patterns.${name} matches the empty text`);
  return {
    name,
    replace(text, by) {
      if (text.length <= WINDOW) return text.replace(expression, by);
      return replaceRanges(text, rangesIn(text, expression), by);
    },
  };
}

type Range = readonly [start: number, end: number];

function rangesIn(text: string, expression: RegExp): Range[] {
  const ranges: Range[] = [];
  for (let at = 0; at < text.length; at += WINDOW) {
    const start = Math.max(0, at - OVERLAP);
    for (const found of text.slice(start, at + WINDOW).matchAll(expression)) {
      const from = start + found.index;
      const to = from + found[0].length;
      const last = ranges.at(-1);
      // A match found in two windows counts once, with the greater length.
      if (last === undefined || from >= last[1]) ranges.push([from, to]);
      else ranges[ranges.length - 1] = [Math.min(last[0], from), Math.max(last[1], to)];
    }
  }
  return ranges;
}

function replaceRanges(text: string, ranges: readonly Range[], by: () => string): string {
  let left = "";
  let at = 0;
  for (const [from, to] of ranges) {
    left += text.slice(at, from) + by();
    at = to;
  }
  return left + text.slice(at);
}

/** Luhn's check digit. Source: ISO/IEC 7812-1. */
export function isCard(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  if (digits.length < 12 || digits.length > 19 || /^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const value = at % 2 === 0 ? digit : digit * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** The check digits. Source: ISO 13616, ISO/IEC 7064 MOD 97-10. */
export function isIban(text: string): boolean {
  const plain = text.replaceAll(" ", "").toUpperCase();
  if (plain.length < 15 || plain.length > 34) return false;
  let rest = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
