import { type Condition, conditionsOf, type FilterTree } from "../../filter/tree.ts";
import type { Deadline } from "../database/deadline.ts";
import type { BodyPart } from "../packs/placed.ts";
import type { StoredBody } from "../packs/read.ts";

/** Contents whose result is cached during one search. */
const KNOWN_MAX = 50_000;

interface BodyTest {
  readonly key: string;
  readonly part: "request" | "response";
  readonly passes: (text: string) => boolean;
}

/** The body conditions of a filter, without duplicates. */
export class BodyMatcher {
  readonly parts: readonly BodyPart[];
  readonly #tests: readonly BodyTest[];
  /** Tests that shared content passed. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(tree: FilterTree) {
    const tests = new Map<string, BodyTest>();
    for (const condition of conditionsOf(tree)) {
      const { source, value } = condition;
      if (source.from !== "body") continue;
      const key = bodyTestKey(condition);
      if (!tests.has(key)) tests.set(key, { key, part: source.part, passes: containing(String(value)) });
    }
    this.#tests = [...tests.values()];
    this.parts = [...new Set(this.#tests.map(({ part }) => part))];
  }

  /** Keys of the tests that one body passes. Binary bodies pass none. */
  passedBy(body: SearchedBody, deadline: Deadline): readonly string[] {
    const known = body.hash === null ? undefined : this.#known.get(keyOf(body));
    if (known !== undefined) return known;
    const keys: string[] = [];
    const texts = readable(body);
    for (const { key, part, passes } of this.#tests) {
      if (part !== body.part || texts.length === 0) continue;
      deadline.rest();
      if (texts.some(passes)) keys.push(key);
    }
    if (body.hash !== null && this.#known.size < KNOWN_MAX) this.#known.set(keyOf(body), keys);
    return keys;
  }
}

/** A body as a search reads it; `hash` is set when many requests share the content. */
type SearchedBody = Pick<StoredBody, "form" | "hash" | "content"> & { readonly part: BodyPart };

/** The same content may be read as JSON in one body and as text in another. */
const keyOf = ({ part, form, hash }: SearchedBody) => `${part} ${form} ${hash}`;

export function bodyTestKey({ source, value }: Condition): string {
  return `${source.from === "body" ? source.part : ""}:${value}`;
}

/** Ignores case like `contains` on columns: by Unicode simple case folding. */
function containing(wanted: string): (text: string) => boolean {
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
  return (text) => pattern.test(text);
}

/** The body's text as sent and, if JSON escapes hide characters, also with escapes decoded. */
function readable({ form, content }: SearchedBody): readonly string[] {
  if (form === "binary") return [];
  const { buffer, byteOffset, byteLength } = content;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return form === "json" && text.includes("\\") ? [text, unescaped(text)] : [text];
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, letter: string) =>
    code === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
