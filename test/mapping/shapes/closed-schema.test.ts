import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { closeSchema } from "../../../src/mapping/translate/closed-schema.ts";
import { rewriteSchema } from "../../../src/mapping/translate/schema.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { MODELS, PLAIN, recorder } from "./ai-sdk.ts";
import { hello } from "./ai-sdk-prompts.ts";
import { send } from "./translation.ts";

/** Schemas for Anthropic's structured outputs, which refuse open objects and most limits of values. */

const text = { type: "string" };

test.each<[string, Json, Json, boolean]>([
  [
    "objects are closed, at every depth",
    {
      type: "object",
      properties: { a: { type: "object", properties: {} }, b: { type: ["object", "null"], properties: { c: text } } },
      required: ["a"],
    },
    {
      type: "object",
      properties: {
        a: { type: "object", properties: {}, additionalProperties: false },
        b: { type: ["object", "null"], properties: { c: text }, additionalProperties: false },
      },
      required: ["a"],
      additionalProperties: false,
    },
    false,
  ],
  [
    "in lists, choices and definitions too",
    {
      $ref: "#/$defs/x",
      $defs: { x: { type: "array", items: { type: "object", properties: {} }, minItems: 1 } },
      anyOf: [{ type: "object", properties: {} }],
    },
    {
      $ref: "#/$defs/x",
      $defs: {
        x: { type: "array", items: { type: "object", properties: {}, additionalProperties: false }, minItems: 1 },
      },
      anyOf: [{ type: "object", properties: {}, additionalProperties: false }],
    },
    false,
  ],
  ["oneOf becomes anyOf", { oneOf: [text, { type: "null" }] }, { anyOf: [text, { type: "null" }] }, false],
  [
    "limits become words",
    { type: "integer", description: "Years.", minimum: 0, maximum: 9 },
    { type: "integer", description: 'Years.\nJSON Schema: {"minimum":0,"maximum":9}' },
    true,
  ],
  [
    "formats and patterns that are not supported too",
    { ...text, format: "regex", pattern: "^a" },
    { ...text, description: 'JSON Schema: {"format":"regex","pattern":"^a"}' },
    true,
  ],
  ["known formats stay", { ...text, format: "date-time" }, { ...text, format: "date-time" }, false],
  [
    "members that may be added become words",
    { type: "object", properties: { a: text }, additionalProperties: text },
    {
      type: "object",
      properties: { a: text },
      additionalProperties: false,
      description: 'JSON Schema: {"additionalProperties":{"type":"string"}}',
    },
    true,
  ],
  [
    "an object of any members is lost",
    { type: "array", items: { type: "object" } },
    { type: "array", items: { type: "object", additionalProperties: false } },
    true,
  ],
  ["at the top too", { type: "object" }, { type: "object", additionalProperties: false }, true],
  ["but not one that is always empty", closedObject({}), closedObject({}), false],
  [
    "allOf becomes one object, whose branches do not refuse each other's members",
    {
      allOf: [
        { type: "object", properties: { a: text, c: text }, required: ["a"], description: "Both." },
        { $ref: "#/$defs/b" },
        { allOf: [{ type: "object", properties: { c: { enum: ["x"] } }, required: ["c", "a"] }] },
      ],
      $defs: { b: { type: "object", properties: { b: text }, additionalProperties: false } },
    },
    {
      type: "object",
      properties: { a: text, c: { type: "string", enum: ["x"] }, b: text },
      required: ["a", "c"],
      description: "Both.",
      $defs: { b: closedObject({ b: text }, { type: "object" }) },
      additionalProperties: false,
    },
    false,
  ],
  [
    "at the top a reference in allOf is merged; below it a reference alone stays one",
    {
      description: "Tree.",
      allOf: [{ $ref: "#/$defs/tree" }],
      $defs: { tree: { allOf: [{ properties: { next: { allOf: [{ $ref: "#/$defs/tree" }] } } }] } },
    },
    {
      description: "Tree.",
      properties: { next: { $ref: "#/$defs/tree" } },
      $defs: { tree: closedObject({ next: { $ref: "#/$defs/tree" } }) },
      additionalProperties: false,
    },
    false,
  ],
  [
    "a reference that leads back to itself stays one",
    {
      allOf: [{ $ref: "#/$defs/a" }, { required: ["x"] }],
      $defs: { a: { properties: { x: { allOf: [{ $ref: "#/$defs/a" }, { required: ["y"] }] } } } },
    },
    {
      ...closedObject({ x: { $ref: "#/$defs/a", required: ["y"] } }, { required: ["x"] }),
      $defs: { a: closedObject({ x: { $ref: "#/$defs/a", required: ["y"] } }) },
    },
    false,
  ],
  [
    "what allOf says twice becomes words",
    { properties: { a: text }, allOf: [{ anyOf: [{ required: ["a"] }] }, { anyOf: [{ required: ["b"] }] }, false] },
    {
      ...closedObject({ a: text }),
      anyOf: [{ required: ["a"] }],
      description: 'JSON Schema: {"allOf":[{"anyOf":[{"required":["b"]}]},false]}',
    },
    true,
  ],
  [
    "choices beside members are allowed together",
    { properties: { a: text }, oneOf: [{ properties: { b: text }, required: ["b"] }, { properties: { c: text } }] },
    {
      ...closedObject({ b: text, c: text, a: text }),
      description:
        'JSON Schema: {"oneOf":[{"properties":{"b":{"type":"string"}},"required":["b"]},{"properties":{"c":{"type":"string"}}}]}',
    },
    true,
  ],
  ["a property may be named like a keyword", { properties: { minimum: text } }, closedObject({ minimum: text }), false],
])("%s", (_name, given, schema, approximated) => {
  expect(closeSchema(given)).toEqual({ schema, approximated });
});

function closedObject(properties: Json, more: Json = {}): Json {
  return { ...more, properties, additionalProperties: false };
}

test.each([
  ["closed", (schema: Json) => closeSchema(schema).schema],
  ["rewritten", (schema: Json) => rewriteSchema(schema).schema],
])("a property named __proto__ stays in a %s schema", (_name, write) => {
  const members = '"properties":{"a":{"type":"string"},"__proto__":{"type":"string"}},"required":["__proto__"]';
  for (const given of [`{${members}}`, `{"allOf":[{${members}},{"properties":{"b":{"type":"string"}}}]}`]) {
    const written: Json = JSON.parse(JSON.stringify(write(JSON.parse(given))));
    expect(Object.keys(written.properties)).toContain("__proto__");
    expect(written.required).toEqual(["__proto__"]);
  }
});

test("schemas that grow with each reference are not merged without end", () => {
  const defs = Array.from({ length: 40 }, (_, n) => {
    const next = { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { properties: { own: text } }] };
    return [`d${n}`, { type: "object", properties: { one: next, two: next } }] as const;
  });
  const schema = { allOf: [{ $ref: "#/$defs/d0" }], $defs: Object.fromEntries(defs) };
  expect(JSON.stringify(closeSchema(schema).schema).length).toBeLessThan(2_000_000);
});

test("a closed schema stays as it is, and no value makes it throw", () =>
  assertProperty(
    fc.property(fc.jsonValue(), (value) => {
      const once = closeSchema(value).schema;
      expect(closeSchema(once).schema).toEqual(once);
    }),
  ));

describe("where they are sent", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 }, o: { type: "object", properties: { s: text } } },
    required: ["n"],
  };
  const body = {
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
    response_format: { type: "json_schema", json_schema: { name: "r", schema } },
    tools: [
      { type: "function", function: { name: "f", parameters: schema, strict: true } },
      { type: "function", function: { name: "g", parameters: schema } },
    ],
  };
  const closed = closeSchema(schema).schema;
  const losses = ["approximated tools[0].parameters", "approximated response_format"];

  test("Anthropic: the response's schema and strict tools", () => {
    const sent = send(body, { from: "chat-completions", to: "messages", facts: { jsonSchema: true } });
    expect(sent.body.output_config.format).toEqual({ type: "json_schema", schema: closed });
    expect(sent.body.tools.map(({ input_schema }: Json) => input_schema)).toEqual([closed, schema]);
    expect(sent.losses).toEqual(losses);
  });

  test("Bedrock's converse: the same", () => {
    const sent = send(body, { from: "chat-completions", to: "converse", facts: { jsonSchema: true } });
    expect(JSON.parse(sent.body.outputConfig.textFormat.structure.jsonSchema.schema)).toEqual(closed);
    expect(sent.body.toolConfig.tools.map(({ toolSpec }: Json) => toolSpec.inputSchema.json)).toEqual([closed, schema]);
    expect(sent.losses.toSorted()).toEqual(losses.toSorted());
  });

  test("the AI SDK's own provider closes the same objects and leaves out the same limits", async () => {
    const { seen, fetch } = recorder(PLAIN.messages);
    await MODELS.messages(fetch).doGenerate({
      prompt: [hello],
      responseFormat: { type: "json", schema: schema as never },
      providerOptions: { anthropic: { structuredOutputMode: "outputFormat" } },
    });
    expect(withoutWords(closed)).toEqual(withoutWords(seen.body.output_config.format.schema));
  });
});

const withoutWords = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema, (name, value) => (name === "description" ? undefined : value)));
