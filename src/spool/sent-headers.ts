import type { HeadersBeside, RawHeaders } from "./frame.ts";

/**
 * A list of headers with references to the pairs that another list has too.
 *
 * @param shown - a value as it may be recorded, undefined to leave it out; called for pairs that the other list does not have.
 */
export function headersBeside(
  headers: RawHeaders,
  others: RawHeaders,
  shown: (name: string, value: string) => string | undefined,
): HeadersBeside {
  const beside: (string | number)[] = [];
  let next = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    const value = headers[at + 1]!;
    // Both lists are mostly in one order.
    let place = next;
    while (place < others.length && (others[place] !== name || others[place + 1] !== value)) place += 2;
    if (place < others.length) {
      beside.push(place / 2);
      next = place + 2;
      continue;
    }
    const own = shown(name, value);
    if (own !== undefined) beside.push(name, own);
  }
  return beside;
}

/** The list itself; undefined if it refers to a pair that the other list does not have, or is none of pairs. */
export function headersFrom(beside: HeadersBeside, others: RawHeaders): RawHeaders | undefined {
  const headers: string[] = [];
  for (let at = 0; at < beside.length; at++) {
    const given = beside[at]!;
    if (typeof given === "string") {
      const value = beside[++at];
      if (typeof value !== "string") return undefined;
      headers.push(given, value);
    } else {
      const [name, value] = [others[given * 2], others[given * 2 + 1]];
      if (name === undefined || value === undefined) return undefined;
      headers.push(name, value);
    }
  }
  return headers;
}
