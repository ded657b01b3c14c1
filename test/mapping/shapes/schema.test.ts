import { expect, test } from "bun:test";
import fc from "fast-check";
import { rewriteSchema } from "../../../src/mapping/translate/schema.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";

test.each<[string, Json, Json, boolean]>([
  [
    "what says only what it is goes",
    { $schema: "x", $id: "y", type: "object", additionalProperties: false },
    { type: "object" },
    false,
  ],
  ["const becomes enum", { const: "a" }, { type: "string", enum: ["a"] }, false],
  [
    "values that are no texts are said",
    { type: "integer", enum: [1, 2] },
    { type: "integer", description: 'JSON Schema: {"enum":[1,2]}' },
    true,
  ],
  [
    "a choice or null becomes nullable",
    { anyOf: [{ type: "string" }, { type: "null" }] },
    { nullable: true, anyOf: [{ type: "string" }] },
    false,
  ],
  ["a value or null becomes nullable", { enum: ["a", null] }, { nullable: true, type: "string", enum: ["a"] }, false],
  ["a type or null becomes nullable", { type: ["string", "null"] }, { type: "string", nullable: true }, false],
  [
    "several types become anyOf",
    { type: ["string", "number"] },
    { anyOf: [{ type: "string" }, { type: "number" }] },
    false,
  ],
  ["oneOf becomes anyOf", { oneOf: [{ const: "x" }] }, { anyOf: [{ type: "string", enum: ["x"] }] }, false],
  [
    "allOf is merged",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: {} }, required: ["b"] },
      ],
    },
    { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a", "b"] },
    false,
  ],
  [
    "a reference is put in place",
    { properties: { a: { $ref: "#/$defs/x~1y" } }, $defs: { "x/y": { type: "string" } } },
    { properties: { a: { type: "string" } } },
    false,
  ],
  [
    "a reference to itself stays open, and is said",
    { $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" } } } }, $ref: "#/$defs/n" },
    { type: "object", properties: { next: { type: "object", description: "See #/$defs/n." } } },
    true,
  ],
  [
    "what is left over goes into the description",
    { type: "number", exclusiveMinimum: 0, description: "Size." },
    { type: "number", description: 'Size.\nJSON Schema: {"exclusiveMinimum":0}' },
    true,
  ],
  ["a schema that is none", true, {}, false],
])("%s", (_name, schema, wanted, approximated) => {
  expect(rewriteSchema(schema)).toEqual({ schema: wanted, approximated });
});

test("references that multiply each other end somewhere", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );
  const { schema, approximated } = rewriteSchema({ $defs, $ref: "#/$defs/d0" });
  expect(approximated).toBe(true);
  expect(JSON.stringify(schema).length).toBeLessThan(1_000_000);
});

test("no schema keeps a keyword that the target rejects", () => {
  const keys = fc.constantFrom(
    "type",
    "properties",
    "items",
    "anyOf",
    "allOf",
    "const",
    "$ref",
    "not",
    "if",
    "pattern",
    "enum",
    "__proto__",
  );
  const schemas = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("string", "#", "#/properties/a", null, 1),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(keys, tie("node"), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).node;
  assertProperty(
    fc.property(schemas, (schema) => {
      const found: string[] = [];
      collect(rewriteSchema(schema).schema, found);
      expect(found.filter((key) => ["const", "allOf", "$ref", "not", "if"].includes(key))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

/** Keywords of a schema; names of properties and values of enum are none. */
function collect(schema: Json, found: string[]): void {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  for (const [key, value] of Object.entries<Json>(schema)) {
    found.push(key);
    if (key === "properties" && typeof value === "object" && value !== null)
      for (const each of Object.values<Json>(value)) collect(each, found);
    else if (key === "items") collect(value, found);
    else if (key === "anyOf" && Array.isArray(value)) for (const each of value) collect(each, found);
  }
}
