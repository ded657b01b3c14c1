import type { Json } from "../../plugin-host/contract.ts";
import { defineMember, isObject, type JsonObject, jsonText, setMember } from "../json.ts";

/** Keywords supported by APIs with their own schema language, such as Gemini's. */
const KEPT: ReadonlySet<string> = new Set(
  "type,format,title,description,nullable,enum,minItems,maxItems,required,minProperties,maxProperties,minLength,maxLength,pattern,minimum,maximum,default,propertyOrdering".split(
    ",",
  ),
);

/** Keywords that only describe a schema, or state defaults: dropping them changes no response. */
const SILENT: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$defs",
  "definitions",
  "examples",
]);

/** Maximum nodes of a schema after inlining references, which may be cyclic. */
const NODES_MAX = 5000;

export interface RewrittenSchema {
  readonly schema: Json;
  /** Whether a keyword became part of a description, or a reference was not inlined. */
  readonly approximated: boolean;
}

/**
 * Rewrites a JSON Schema for models that support only a subset: references are inlined, `const` becomes `enum`, a list of
 * types `anyOf` or `nullable`, and the rest goes into the description.
 */
export function rewriteSchema(schema: Json): RewrittenSchema {
  const rewriter = new Rewriter(schema);
  return { schema: rewriter.rewrite(schema, []), approximated: rewriter.approximated };
}

class Rewriter {
  approximated = false;
  #nodes = 0;
  readonly #root: Json;

  constructor(root: Json) {
    this.#root = root;
  }

  /** @param within - enclosing references that are being inlined. */
  rewrite(schema: Json, within: readonly string[]): Json {
    if (!isObject(schema)) return {};
    if (++this.#nodes > NODES_MAX) {
      this.approximated = true;
      return { type: "object" };
    }
    const reference = schema["$ref"];
    if (typeof reference === "string") return this.#referred(reference, schema, within);
    const written: JsonObject = {};
    const leftOver: JsonObject = {};
    for (const [name, value] of Object.entries(schema)) {
      if (name === "properties") written["properties"] = this.#properties(isObject(value) ? value : {}, within);
      else if (name === "items") written["items"] = this.rewrite(value, within);
      else if (name === "anyOf" || name === "oneOf") this.#choices(written, value, within);
      else if (name === "allOf") this.#merge(written, value, within);
      else if (name === "const") this.#values(written, leftOver, [value]);
      else if (name === "enum" && Array.isArray(value)) this.#values(written, leftOver, value);
      else if (name === "type" && Array.isArray(value)) this.#types(written, value);
      else if (KEPT.has(name)) setMember(written, name, value);
      else if (!SILENT.has(name) && !(name === "additionalProperties" && value === false))
        setMember(leftOver, name, value);
    }
    if (Object.keys(leftOver).length === 0) return written;
    this.approximated = true;
    return withRest(written, leftOver);
  }

  #referred(reference: string, schema: JsonObject, within: readonly string[]): Json {
    const target = reference.startsWith("#") ? at(this.#root, reference) : undefined;
    if (!isObject(target) || within.includes(reference)) {
      this.approximated = true;
      return { type: "object", description: `See ${reference}.` };
    }
    const { $ref: _, ...beside } = schema;
    return this.rewrite({ ...target, ...beside }, [...within, reference]);
  }

  #properties(properties: JsonObject, within: readonly string[]): JsonObject {
    const written: JsonObject = {};
    for (const [name, value] of Object.entries(properties)) defineMember(written, name, this.rewrite(value, within));
    return written;
  }

  #list(schemas: Json, within: readonly string[]): Json[] {
    return (Array.isArray(schemas) ? schemas : []).map((schema) => this.rewrite(schema, within));
  }

  /** A choice that includes null becomes nullable. */
  #choices(written: JsonObject, schemas: Json, within: readonly string[]): void {
    const given = Array.isArray(schemas) ? schemas : [];
    const named = given.filter((schema) => schema?.type !== "null");
    if (named.length < given.length) written["nullable"] = true;
    written["anyOf"] = this.#list(named, within);
  }

  /** Only strings can be enumerated. */
  #values(written: JsonObject, leftOver: JsonObject, values: readonly Json[]): void {
    const texts = values.filter((value) => value !== null);
    if (texts.length < values.length) written["nullable"] = true;
    if (texts.every((value) => typeof value === "string")) {
      written["enum"] = texts;
      written["type"] ??= "string";
    } else leftOver["enum"] = values;
  }

  /** Merges the members of all parts; of two with the same name the later one wins. */
  #merge(written: JsonObject, parts: Json, within: readonly string[]): void {
    for (const part of this.#list(parts, within)) {
      const { properties, required, ...rest } = part;
      if (isObject(properties)) written["properties"] = { ...written["properties"], ...properties };
      if (Array.isArray(required)) written["required"] = [...(written["required"] ?? []), ...required];
      Object.assign(written, rest);
    }
  }

  #types(written: JsonObject, types: readonly Json[]): void {
    const named = types.filter((type) => type !== "null");
    if (named.length < types.length) written["nullable"] = true;
    if (named.length === 1) written["type"] = named[0];
    else written["anyOf"] = named.map((type) => ({ type }));
  }
}

/** A schema whose description ends with the keywords that the API does not support. */
export function withRest(written: JsonObject, leftOver: JsonObject): JsonObject {
  const given = written["description"];
  const rest = `JSON Schema: ${jsonText(leftOver)}`;
  return { ...written, description: typeof given === "string" && given !== "" ? `${given}\n${rest}` : rest };
}

/** The value at a JSON pointer such as `#/$defs/city`. */
export function at(root: Json, pointer: string): Json {
  let node = root;
  for (const step of pointer.slice(1).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    node = isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined;
  }
  return node;
}
