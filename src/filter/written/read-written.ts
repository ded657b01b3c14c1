import { GatewayError } from "../../errors.ts";
import { OPERATORS } from "../operators.ts";
import { hint, quote } from "../spelling.ts";
import { type Named, WRITTEN_NAMES } from "./names.ts";
import { LOOKS_LIKE, readValue, type WrittenValue } from "./read-value.ts";

const WRITTEN_CHARS_MAX = 20_000;
const DEPTH_MAX = 100;

/** A node of the API's filter grammar. */
export type FilterNode = "all" | { readonly [member: string]: unknown };

/** Written operators, longest first, with the grammar's names. `~` ignores case. */
const SIGNS: readonly (readonly [sign: string, operator: string])[] = [
  ["!=", "not-equals"],
  ["!~", "not-contains"],
  ["=~", "ilike"],
  [">=", "gte"],
  ["<=", "lte"],
  ["=", "equals"],
  ["~", "contains"],
  [">", "gt"],
  ["<", "lt"],
];

const NAME = /[A-Za-z_][\w-]*/y;
/** A name inside a field, such as a property's. It may contain dots. */
const INNER_NAME = /[^\s()"'=!~<>,]+/y;
const BARE_VALUE = /[^\s(),"']+/y;
const SPACE = /\s*/y;

/**
 * Reads a filter in words: `model=gpt-4o cost>0.01 (status>=500 or property.Team=blue)`.
 *
 * Adjacent conditions must all hold; `or` binds weaker. Comma-separated values: one of them.
 *
 * @returns a filter in the API's form; "all" for empty text.
 * @throws GatewayError `filter_invalid`, whose message names the position.
 */
export function readWritten(text: string): FilterNode {
  if (text.length > WRITTEN_CHARS_MAX)
    throw new GatewayError("filter_invalid", `a filter in words has at most ${WRITTEN_CHARS_MAX} characters`);
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): FilterNode {
    this.#take(SPACE);
    if (this.#isAtEnd()) return "all";
    const node = this.#either();
    if (!this.#isAtEnd()) throw this.#wrong('this ")" closes nothing');
    return node;
  }

  #either(): FilterNode {
    const arms = [this.#all()];
    while (this.#takeWord("or")) arms.push(this.#all());
    return joined(arms, "or");
  }

  #all(): FilterNode {
    const terms = [this.#term()];
    for (;;) {
      const isJoined = this.#takeWord("and");
      if (!isJoined && (this.#isAtEnd() || this.#text[this.#at] === ")" || this.#isAhead("or"))) break;
      terms.push(this.#term());
    }
    return joined(terms, "and");
  }

  #term(): FilterNode {
    if (this.#text[this.#at] !== "(") return this.#condition();
    const opened = this.#at;
    if (++this.#depth > DEPTH_MAX) throw this.#wrong(`a filter is at most ${DEPTH_MAX} brackets deep`);
    this.#step(1);
    const node = this.#either();
    if (this.#text[this.#at] !== ")") throw this.#wrong('this "(" is never closed', opened);
    this.#step(1);
    this.#depth--;
    return node;
  }

  #condition(): FilterNode {
    const began = this.#at;
    const { named, inner } = this.#subject();
    this.#take(SPACE);
    const signAt = this.#at;
    const [sign, operator] = SIGNS.find(([each]) => this.#text.startsWith(each, signAt)) ?? [];
    const { kind } = named.field;
    const possible = SIGNS.filter(([, each]) => Object.hasOwn(OPERATORS[kind], each)).map(([each]) => each);
    const subject = this.#text.slice(began, signAt).trim();
    if (sign === undefined || operator === undefined) {
      const search = "; words that were said are looked for with search";
      throw this.#wrong(`${quote(subject)} needs an operator: ${possible.join(" ")}${search}`, signAt);
    }
    if (!possible.includes(sign))
      throw this.#wrong(`${quote(subject)} takes ${possible.join(" ")}, not ${sign}`, signAt);
    this.#step(sign.length);
    const conditions = this.#values(sign).map(({ at, value }) => {
      const read = value.text === "null" && !value.quoted ? null : readValue(kind, value);
      const isFitting = read === null ? operator === "equals" || operator === "not-equals" : read !== undefined;
      if (!isFitting) throw this.#wrong(`${quote(subject)} takes ${LOOKS_LIKE[kind]}, not ${quote(value.text)}`, at);
      if (read !== null && operator === "not-equals" && (kind === "boolean" || kind === "timestamp"))
        throw this.#wrong(`${quote(subject)} takes != with null alone`, at);
      return leaf(named.path, inner, { [operator]: read });
    });
    return joined(conditions, operator.startsWith("not-") ? "and" : "or");
  }

  /** The field, and the name inside it if it is an object. */
  #subject(): { named: Named; inner: string | undefined } {
    const at = this.#at;
    const name = this.#take(NAME);
    if (name === "") throw this.#wrong(`a condition such as status>=400 belongs here, not ${quote(this.#ahead())}`);
    const named = WRITTEN_NAMES.get(name);
    if (named === undefined)
      throw this.#wrong(`there is no field ${quote(name)}; ${hint(name, [...WRITTEN_NAMES.keys()])}`, at);
    const hasDot = this.#text[this.#at] === ".";
    if (named.field.named === undefined) {
      if (hasDot) throw this.#wrong(`"${name}" has no names in it`);
      return { named, inner: undefined };
    }
    if (!hasDot) throw this.#wrong(`"${name}" needs a name behind a dot, such as ${name}.Team`);
    this.#at++;
    const isQuoted = this.#isQuote();
    const inner = isQuoted ? this.#quoted() : this.#take(INNER_NAME);
    if (inner === "") throw this.#wrong(`"${name}." needs a name`);
    return { named, inner };
  }

  /** At least one value, and further ones after commas. */
  #values(sign: string): { at: number; value: WrittenValue }[] {
    const values: { at: number; value: WrittenValue }[] = [];
    do {
      if (values.length > 0) this.#step(1);
      const at = this.#at;
      const quoted = this.#isQuote();
      const text = quoted ? this.#quoted() : this.#take(BARE_VALUE);
      if (text === "" && !quoted) throw this.#wrong(`a value belongs behind ${sign}; "" is the empty text`, at);
      values.push({ at, value: { text, quoted } });
    } while (this.#text[this.#at] === ",");
    const rest = this.#text[this.#at];
    if (rest !== undefined && rest !== ")" && !/\s/.test(rest)) throw this.#wrong("a space belongs here");
    this.#take(SPACE);
    return values;
  }

  /** Text in quotes of either kind; a backslash escapes the next character. */
  #quoted(): string {
    const opened = this.#at;
    const mark = this.#text[opened]!;
    let result = "";
    for (this.#at++; !this.#isAtEnd() && this.#text[this.#at] !== mark; this.#at++) {
      if (this.#text[this.#at] === "\\") this.#at++;
      result += this.#text[this.#at] ?? "";
    }
    if (this.#isAtEnd()) throw this.#wrong(`this ${mark} is never closed`, opened);
    this.#at++;
    return result;
  }

  #isQuote(): boolean {
    return this.#text[this.#at] === '"' || this.#text[this.#at] === "'";
  }

  #isAhead(word: "and" | "or"): boolean {
    const after = this.#text[this.#at + word.length];
    const found = this.#text.slice(this.#at, this.#at + word.length).toLowerCase() === word;
    return found && (after === undefined || /[\s(]/.test(after));
  }

  #takeWord(word: "and" | "or"): boolean {
    if (!this.#isAhead(word)) return false;
    this.#step(word.length);
    return true;
  }

  /** Skips some characters and the white space after them. */
  #step(characters: number): void {
    this.#at += characters;
    this.#take(SPACE);
  }

  #take(form: RegExp): string {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #ahead(): string {
    return /^\S*/.exec(this.#text.slice(this.#at, this.#at + 80))?.[0] || "the end";
  }

  #wrong(message: string, at = this.#at): GatewayError {
    return new GatewayError("filter_invalid", `character ${at + 1} of the filter: ${message}`);
  }
}

function leaf([group, field]: Named["path"], inner: string | undefined, condition: object): FilterNode {
  const named = inner === undefined ? condition : { [inner]: condition };
  return { [group]: field === undefined ? named : { [field]: named } };
}

function joined(nodes: readonly FilterNode[], operator: "and" | "or"): FilterNode {
  return nodes.reduceRight((right, left) => ({ left, operator, right }));
}
