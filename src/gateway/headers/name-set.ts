/**
 * A few header names, in any case. Only names of a fitting length are converted to lower case: a converted name is a new
 * string, and a request has dozens of names.
 */
export class NameSet {
  readonly #names: ReadonlySet<string>;
  /** One bit for each length. */
  readonly #lengths: number;

  /** @param names - lower case, each shorter than 32 characters. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    this.#lengths = names.reduce((bits, { length }) => bits | (1 << length), 0);
  }

  has(name: string): boolean {
    const { length } = name;
    return length < 32 && (this.#lengths & (1 << length)) !== 0 && this.#names.has(name.toLowerCase());
  }
}
