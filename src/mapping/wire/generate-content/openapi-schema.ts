import type { Json } from "../../../plugin/contract.ts";
import { isObject, type JsonObject, jsonText, listOf, setMember, textOf } from "../../json.ts";

/** A schema as models take it that know OpenAPI's subset alone. */
export interface RewrittenSchema {
  readonly schema: Json;
  /** Whether a rule of the original is now words in a description, or gone. */
  readonly approximated: boolean;
}

/** Levels that are written; what recurs deeper is any value. */
const DEPTH_MAX = 12;
/** Schemas that are written: references inlined twice at each level would double for ever. */
const NODES_MAX = 5_000;

/**
 * Rewrites JSON Schema for models without it: references are inlined, `const` is an `enum`, lists of types are `anyOf` or
 * `nullable`, and a rule that has no member goes into the description.
 */
export function openApiSchema(root: Json): RewrittenSchema {
  const rewriter = new Rewriter(root);
  const schema = rewriter.write(root, 0);
  return { schema, approximated: rewriter.approximated };
}

/** Members that are taken as they are. */
const KEPT: ReadonlySet<string> = new Set([
  "title",
  "description",
  "nullable",
  "required",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
]);
/** Members that say nothing about values. */
const SILENT: ReadonlySet<string> = new Set(["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "$ref"]);
/** Members that the rewriter reads itself. */
const OWN: ReadonlySet<string> = new Set(["type", "properties", "items", "enum", "const", "anyOf", "oneOf", "allOf"]);
const FORMATS: ReadonlySet<string> = new Set(["date-time", "enum", "float", "double", "int32", "int64"]);

class Rewriter {
  approximated = false;
  private nodes = 0;
  private readonly root: Json;

  constructor(root: Json) {
    this.root = root;
  }

  write(given: Json, depth: number): JsonObject {
    const schema = this.resolved(given);
    if (!isObject(schema)) return {};
    if (depth > DEPTH_MAX || ++this.nodes > NODES_MAX) {
      this.approximated = true;
      return { type: "object" };
    }
    const written: JsonObject = {};
    const rules: string[] = [];
    for (const name of Object.keys(schema)) {
      const value = schema[name];
      if (KEPT.has(name) || (name === "format" && FORMATS.has(value))) written[name] = value;
      else if (!OWN.has(name) && !SILENT.has(name)) rules.push(`${name}: ${jsonText(value)}`);
    }
    this.type(written, schema, rules);
    this.choices(written, schema, depth, rules);
    this.children(written, schema, depth);
    if (rules.length > 0) {
      this.approximated = true;
      const said = `(${rules.join("; ")})`;
      written.description = textOf(written.description) === undefined ? said : `${written.description} ${said}`;
    }
    return written;
  }

  /** The schema that a reference leads to, with what stands beside the reference, and parts of `allOf` in one. */
  private resolved(given: Json): Json {
    let schema = given;
    for (let step = 0; step < DEPTH_MAX && isObject(schema) && typeof schema.$ref === "string"; step++) {
      const { $ref, ...beside } = schema;
      const found = this.at($ref);
      if (found === undefined) this.approximated = true;
      schema = { ...(isObject(found) ? found : {}), ...beside };
    }
    if (!isObject(schema) || !Array.isArray(schema.allOf)) return schema;
    const { allOf, ...rest } = schema;
    const merged: JsonObject = {};
    for (const part of [...allOf.slice(0, DEPTH_MAX).map((each) => this.shallow(each)), rest])
      for (const name of Object.keys(part)) merge(merged, name, part[name]);
    return merged;
  }

  private shallow(part: Json): JsonObject {
    const found = isObject(part) && typeof part.$ref === "string" ? this.at(part.$ref) : part;
    return isObject(found) ? found : {};
  }

  private at(reference: string): Json {
    if (reference !== "#" && !reference.startsWith("#/")) return undefined;
    let found: Json = this.root;
    for (const step of reference.slice(2).split("/").filter(Boolean)) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      found =
        (isObject(found) || Array.isArray(found)) && Object.hasOwn(found, name) ? found[name as never] : undefined;
    }
    return found;
  }

  private type(written: JsonObject, { type, const: only, enum: values }: JsonObject, rules: string[]): void {
    const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
    const named = types.filter((each) => each !== "null");
    if (named.length < types.length) written.nullable = true;
    if (named.length === 1) written.type = named[0];
    else if (named.length > 1) written.anyOf = named.map((each) => ({ type: each }));
    const allowed = only === undefined ? values : [only];
    if (!Array.isArray(allowed)) return;
    const texts = allowed.filter((each) => each !== null);
    if (texts.length < allowed.length) written.nullable = true;
    if (texts.every((each) => typeof each === "string")) {
      written.enum = texts;
      written.type ??= "string";
    } else rules.push(`one of ${jsonText(allowed)}`);
  }

  private choices(written: JsonObject, schema: JsonObject, depth: number, rules: string[]): void {
    const given = Array.isArray(schema.anyOf) ? schema.anyOf : listOf(schema.oneOf);
    if (given.length === 0) return;
    if (Array.isArray(schema.anyOf) && Array.isArray(schema.oneOf)) rules.push(`oneOf: ${jsonText(schema.oneOf)}`);
    const isNull = (each: Json) => each?.type === "null";
    if (given.some(isNull)) written.nullable = true;
    written.anyOf = given.filter((each) => !isNull(each)).map((each) => this.write(each, depth + 1));
  }

  private children(written: JsonObject, { properties, items }: JsonObject, depth: number): void {
    if (isObject(properties)) {
      written.type ??= "object";
      written.properties = {};
      for (const name of Object.keys(properties))
        setMember(written.properties, name, this.write(properties[name], depth + 1));
    }
    if (isObject(items)) {
      written.type ??= "array";
      written.items = this.write(items, depth + 1);
    } else if (written.type === "array") written.items = {};
  }
}

function merge(merged: JsonObject, name: string, value: Json): void {
  const known = Object.hasOwn(merged, name) ? merged[name] : undefined;
  if (name === "required" && Array.isArray(known) && Array.isArray(value)) merged[name] = [...known, ...value];
  else if (name === "properties" && isObject(known) && isObject(value)) merged[name] = { ...known, ...value };
  else setMember(merged, name, value);
}
