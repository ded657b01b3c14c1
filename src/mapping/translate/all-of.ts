import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../plugin-host/contract.ts";
import { defineMember, isObject, type JsonObject } from "../json.ts";
import { at } from "./schema.ts";

/** Maximum branches that are merged into one schema; others stay. */
const BRANCHES_MAX = 200;

interface MergedSchema {
  readonly schema: JsonObject;
  /** References whose schemas were merged. */
  readonly references: readonly string[];
}

/**
 * Merges the branches of a schema's `allOf` into it. What cannot be merged, such as a reference in `within` or a second value of
 * a keyword, stays in `allOf`.
 *
 * @param within - enclosing references that have been merged; `ALL` if none may be merged any more.
 */
export function mergeAllOf(schema: JsonObject, root: Json, within: Pick<ReadonlySet<string>, "has">): MergedSchema {
  const merge = new Merge(root, within);
  merge.add(schema, NONE);
  return merge.result();
}

export const ALL: Pick<ReadonlySet<string>, "has"> = { has: () => true };

const NONE: ReadonlySet<string> = new Set();

class Merge {
  readonly #root: Json;
  readonly #within: Pick<ReadonlySet<string>, "has">;
  readonly #schema: JsonObject = {};
  readonly #references = new Set<string>();
  readonly #left: Json[] = [];
  #branches = 0;

  constructor(root: Json, within: Pick<ReadonlySet<string>, "has">) {
    this.#root = root;
    this.#within = within;
  }

  /** @param path - references that lead to this branch. */
  add(branch: Json, path: ReadonlySet<string>): void {
    if (branch === true) return;
    if (!isObject(branch) || ++this.#branches > BRANCHES_MAX) {
      this.#left.push(branch);
      return;
    }
    const { allOf, $ref, ...own } = branch;
    const target = typeof $ref === "string" ? this.#target($ref, path) : undefined;
    if ($ref !== undefined && target === undefined) {
      this.#left.push({ $ref });
    } else if (target !== undefined) {
      this.#references.add($ref);
      this.add(target, new Set([...path, $ref]));
    }
    const rest: JsonObject = {};
    for (const [name, value] of Object.entries(own)) if (!this.#take(name, value)) defineMember(rest, name, value);
    if (Object.keys(rest).length > 0) this.#left.push(rest);
    if (Array.isArray(allOf)) for (const each of allOf) this.add(each, path);
    else if (allOf !== undefined) this.#left.push({ allOf });
  }

  result(): MergedSchema {
    const schema = this.#schema;
    const left = this.#left;
    const only = left.length === 1 ? left[0] : undefined;
    // A single reference needs no `allOf`.
    if (isObject(only) && only["$ref"] !== undefined && !("properties" in schema)) Object.assign(schema, only);
    else if (left.length > 0) schema["allOf"] = left;
    return { schema, references: [...this.#references] };
  }

  #target(reference: string, path: ReadonlySet<string>): JsonObject | undefined {
    if (!reference.startsWith("#/") || this.#within.has(reference) || path.has(reference)) return undefined;
    const target = at(this.#root, reference);
    return isObject(target) ? target : undefined;
  }

  /** @returns false if the keyword has another value already. */
  #take(name: string, value: Json): boolean {
    const schema = this.#schema;
    const known = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (known === undefined) defineMember(schema, name, value);
    else if (name === "properties" && isObject(known) && isObject(value)) schema[name] = joined(known, value);
    else if (name === "required" && Array.isArray(known) && Array.isArray(value))
      schema[name] = [...new Set([...known, ...value])];
    else return WORDS.has(name) || isDeepStrictEqual(known, value);
    return true;
  }
}

/** Keywords that only describe: the first one stays. */
const WORDS: ReadonlySet<string> = new Set("title,description,default,examples,$comment,$id,$schema".split(","));

/** A member of both must be as both say. */
function joined(one: JsonObject, other: JsonObject): JsonObject {
  const properties: JsonObject = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = Object.hasOwn(one, name) ? one[name] : undefined;
    const isNew = known === undefined || isDeepStrictEqual(known, value);
    defineMember(properties, name, isNew ? value : { allOf: [known, value] });
  }
  return properties;
}
