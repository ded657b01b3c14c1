import { skipSpace, stringEnd } from "./scan.ts";

/**
 * JSON in a normalized form that keeps only its meaning: members sorted by name, no white space, one spelling of a string.
 */
interface Canonical {
  readonly text: string;
  /** The value of a top-level member `model`, if it is text. */
  readonly model: string | undefined;
  /** The top-level members as in the text, in its order; undefined if it is not an object. */
  readonly members: readonly Member[] | undefined;
}

interface Member {
  readonly name: string;
  readonly text: string;
}

const DEPTH_MAX = 500;

/**
 * Converts JSON to canonical form.
 *
 * `JSON.parse` and back would merge numbers beyond 2^53, duplicate members and `__proto__`, so that two different bodies
 * could become equal. Here a number keeps its spelling and no member is lost.
 *
 * @param ignored - members to omit: top-level names, or paths such as `metadata.trace_id`.
 * @returns undefined if `text` is not JSON, or nested more than 500 levels deep.
 */
export function canonicalJson(text: string, ignored: readonly string[] = []): Canonical | undefined {
  const reader = new Reader(text, new Set(ignored));
  try {
    return { text: reader.whole(), model: reader.model, members: reader.members };
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

class NotJson extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const CONTROL = /[\x00-\x1f]/;

class Reader {
  readonly #text: string;
  readonly #ignored: ReadonlySet<string>;
  #at = 0;
  model: string | undefined;
  members: Member[] | undefined;

  constructor(text: string, ignored: ReadonlySet<string>) {
    this.#text = text;
    this.#ignored = ignored;
  }

  whole(): string {
    const value = this.#value("", 0);
    if (this.#next() !== "") throw new NotJson();
    return value;
  }

  /** @param path - of the value, for example `metadata.trace_id`; only maintained if something is ignored. */
  #value(path: string, depth: number): string {
    if (depth > DEPTH_MAX) throw new NotJson();
    const first = this.#next();
    if (first === '"') return this.#string();
    if (first === "{") return this.#object(path, depth);
    if (first === "[") return this.#array(path, depth);
    return this.#match(first === "t" || first === "f" || first === "n" ? WORD : NUMBER);
  }

  #object(path: string, depth: number): string {
    const members: [name: string, value: string][] = [];
    this.#at++;
    if (depth === 0) this.members = [];
    if (this.#next() === "}") {
      this.#at++;
      return "{}";
    }
    for (;;) {
      if (this.#next() !== '"') throw new NotJson();
      const start = this.#at;
      const name = this.#string();
      this.#take(":");
      const inside = this.#ignored.size === 0 ? "" : memberPath(path, name);
      const value = this.#value(inside, depth + 1);
      if (depth === 0) this.members?.push({ name: JSON.parse(name), text: this.#text.slice(start, this.#at) });
      if (depth === 0 && name === '"model"' && value.startsWith('"')) this.model = JSON.parse(value) as string;
      if (this.#ignored.size === 0 || !this.#ignored.has(inside)) members.push([name, value]);
      if (this.#next() === "}") break;
      this.#take(",");
    }
    this.#at++;
    // Stable: duplicate members keep their order.
    members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${members.map(([name, value]) => `${name}:${value}`).join(",")}}`;
  }

  #array(path: string, depth: number): string {
    const items: string[] = [];
    this.#at++;
    if (this.#next() === "]") {
      this.#at++;
      return "[]";
    }
    for (;;) {
      items.push(this.#value(path, depth + 1));
      if (this.#next() === "]") break;
      this.#take(",");
    }
    this.#at++;
    return `[${items.join(",")}]`;
  }

  /** With its quotation marks; escapes as `JSON.stringify` writes them. */
  #string(): string {
    const start = this.#at;
    const end = stringEnd(this.#text, start);
    if (end === -1) throw new NotJson();
    this.#at = end;
    const spelt = this.#text.slice(start, end);
    if (CONTROL.test(spelt)) throw new NotJson();
    if (!spelt.includes("\\")) return spelt;
    try {
      return JSON.stringify(JSON.parse(spelt));
    } catch {
      throw new NotJson();
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new NotJson();
    this.#at += found.length;
    return found;
  }

  #take(character: string): void {
    if (this.#next() !== character) throw new NotJson();
    this.#at++;
  }

  /** The character after white space, or "" at the end. */
  #next(): string {
    this.#at = skipSpace(this.#text, this.#at);
    return this.#text.charAt(this.#at);
  }
}

function memberPath(path: string, spelt: string): string {
  const name = JSON.parse(spelt) as string;
  return path === "" ? name : `${path}.${name}`;
}
