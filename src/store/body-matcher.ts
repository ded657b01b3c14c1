import { type Condition, conditionsOf, type FilterTree } from "../filter/tree.ts";
import type { BodyPart, RequestBodies, StoredBody } from "./bodies.ts";
import type { Deadline } from "./deadline.ts";

interface BodyTest {
  readonly key: string;
  readonly part: "request" | "response";
  readonly passes: (text: string) => boolean;
}

/** The tests on bodies in a filter, each once. */
export class BodyMatcher {
  readonly parts: readonly BodyPart[];
  readonly #tests: readonly BodyTest[];

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

  /** Keys of the tests that one request's bodies pass. Binary and missing bodies pass none. */
  passed(bodies: RequestBodies, deadline: Deadline): string[] {
    const texts = { request: readable(bodies.request), response: readable(bodies.response) };
    const keys: string[] = [];
    for (const { key, part, passes } of this.#tests) {
      if (texts[part].length === 0) continue;
      deadline.rest();
      if (texts[part].some(passes)) keys.push(key);
    }
    return keys;
  }
}

export function bodyTestKey({ source, value }: Condition): string {
  return `${source.from === "body" ? source.part : ""}:${value}`;
}

/** Ignores case as `contains` on columns does: by Unicode's simple case folding. */
function containing(wanted: string): (text: string) => boolean {
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
  return (text) => pattern.test(text);
}

/** The body's text as it was sent, and, where JSON escapes hide characters, with them undone. */
function readable(body: StoredBody | undefined): readonly string[] {
  if (body === undefined || body.form === "binary") return [];
  const { buffer, byteOffset, byteLength } = body.content;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return body.form === "json" && text.includes("\\") ? [text, unescaped(text)] : [text];
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, letter: string) =>
    code === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
