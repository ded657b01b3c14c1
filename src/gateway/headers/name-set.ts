/**
 * A few header names, in any case. They are compared where they are: a name in lower case would be a new string, and a request
 * has dozens of names.
 */
export class NameSet {
  readonly #byLength: readonly (readonly string[] | undefined)[];

  /** @param names - lower case, of letters, digits and hyphens. */
  constructor(names: readonly string[]) {
    const longest = Math.max(0, ...names.map(({ length }) => length));
    this.#byLength = Array.from({ length: longest + 1 }, (_, length) => {
      const own = names.filter((name) => name.length === length);
      return own.length === 0 ? undefined : own;
    });
  }

  /** @param name - a header's name: without control characters. */
  has(name: string): boolean {
    const names = this.#byLength[name.length];
    if (names === undefined) return false;
    for (const each of names) if (isSame(each, name)) return true;
    return false;
  }
}

/** The bit that makes a capital a small letter changes no digit and no hyphen. */
const SMALL = 0x20;

function isSame(lower: string, name: string): boolean {
  for (let at = 0; at < lower.length; at++) if ((name.charCodeAt(at) | SMALL) !== lower.charCodeAt(at)) return false;
  return true;
}
