import type { Json } from "../../plugin-host/contract.ts";
import { defineMember, isObject, type JsonObject, setMember } from "../json.ts";
import { ALL, mergeAllOf } from "./all-of.ts";
import { type RewrittenSchema, withRest } from "./schema.ts";

/** Keywords that decoding by a grammar supports, or that only describe. */
const KEPT: ReadonlySet<string> = new Set(
  "$schema,$id,$ref,$anchor,$comment,title,description,default,examples,const,enum,type,required".split(","),
);

const FORMATS: ReadonlySet<Json> = new Set("date-time,time,date,duration,email,hostname,uri,ipv4,ipv6,uuid".split(","));

/** Why a schema that was closed is an approximation. */
export const WHY_CLOSED = "the target refuses open objects and most limits; those rules are words in descriptions";

/** Deeper schemas are sent as they are, and the provider refuses them. */
const DEPTH_MAX = 200;

/** References in `allOf` are merged until a schema has this many nodes. */
const NODES_MAX = 5_000;

const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "allOf"]);

/**
 * Rewrites a JSON Schema for Anthropic's structured outputs and strict tools, which refuse open objects and most limits of
 * numbers, texts and lists. Objects are closed, `allOf` becomes one object, because closed branches would refuse each other's
 * members, `oneOf` becomes `anyOf`, and the rest goes into the description.
 *
 * @param isInput - of a tool: one without known members is meant to be empty.
 */
export function closeSchema(schema: Json, isInput = false): RewrittenSchema {
  const closer = new Closer(schema, isInput);
  return { schema: closer.close(schema, 0), approximated: closer.approximated };
}

class Closer {
  approximated = false;
  #nodes = 0;
  readonly #root: Json;
  readonly #isInput: boolean;
  /** References that are being merged. */
  readonly #within = new Set<string>();

  constructor(root: Json, isInput: boolean) {
    this.#root = root;
    this.#isInput = isInput;
  }

  close(schema: Json, depth: number): Json {
    if (!isObject(schema) || depth > DEPTH_MAX) return schema;
    this.#nodes++;
    const { allOf, ...beside } = schema;
    if (!Array.isArray(allOf)) return this.#closed(schema, depth);
    if (depth > 0 && isOnlyReference(allOf) && beside["properties"] === undefined && beside["$ref"] === undefined)
      return this.#closed({ ...beside, ...allOf[0] }, depth);
    const { schema: merged, references } = mergeAllOf(schema, this.#root, this.#nodes > NODES_MAX ? ALL : this.#within);
    for (const reference of references) this.#within.add(reference);
    const written = this.#closed(merged, depth);
    for (const reference of references) this.#within.delete(reference);
    return written;
  }

  #closed(given: JsonObject, depth: number): Json {
    const choices = membersOfChoices(given);
    const schema = choices === undefined ? given : { ...given, properties: { ...choices, ...given["properties"] } };
    const written: JsonObject = {};
    const leftOver: JsonObject = {};
    for (const [name, value] of Object.entries(schema)) {
      if (MAPS.has(name) && isObject(value)) written[name] = this.#map(value, depth);
      else if ((name === "allOf" && isObjectSchema(schema)) || (choices !== undefined && CHOICES.has(name)))
        setMember(leftOver, name, value);
      else if (LISTS.has(name) && Array.isArray(value))
        written[name] = value.map((each) => this.close(each, depth + 1));
      else if (name === "oneOf" && Array.isArray(value) && schema["anyOf"] === undefined)
        written["anyOf"] = value.map((each) => this.close(each, depth + 1));
      else if (name === "items" && isObject(value)) written[name] = this.close(value, depth + 1);
      else if (KEPT.has(name) || isSupported(name, value)) setMember(written, name, value);
      else if (name !== "additionalProperties" || value !== false) setMember(leftOver, name, value);
    }
    if (isObjectSchema(schema)) {
      written["additionalProperties"] = false;
      // No member is known and none may be added: such an object is always empty.
      const isOpen = !isObject(schema["properties"]) && schema["additionalProperties"] !== false;
      if (isOpen && (depth > 0 || !this.#isInput)) this.approximated = true;
    }
    if (Object.keys(leftOver).length === 0) return written;
    this.approximated = true;
    return withRest(written, leftOver);
  }

  #map(schemas: JsonObject, depth: number): JsonObject {
    const written: JsonObject = {};
    for (const [name, value] of Object.entries(schemas)) defineMember(written, name, this.close(value, depth + 1));
    return written;
  }
}

/** Older generators write a reference with a description beside it in this way. */
const isOnlyReference = (allOf: readonly Json[]): boolean =>
  allOf.length === 1 && isObject(allOf[0]) && Object.keys(allOf[0]).join() === "$ref";

const CHOICES: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

/** Members of an object's choices. If it and its choices were closed, each would refuse the members of the other. */
function membersOfChoices(schema: JsonObject): JsonObject | undefined {
  if (!isObjectSchema(schema)) return undefined;
  const given = [schema["anyOf"], schema["oneOf"]].flatMap((choices) => (Array.isArray(choices) ? choices : []));
  const members = given.map((choice) => choice?.properties).filter(isObject);
  return members.length === 0 ? undefined : Object.assign({}, ...members);
}

const isSupported = (name: string, value: Json): boolean =>
  (name === "format" && FORMATS.has(value)) || (name === "minItems" && (value === 0 || value === 1));

const isObjectSchema = ({ type, properties, $ref }: JsonObject): boolean =>
  $ref === undefined && (type === "object" || (Array.isArray(type) && type.includes("object")) || isObject(properties));
