import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { closeSchema } from "../../../src/mapping/translate/closed-schema.ts";
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
  ["a property may be named like a keyword", { properties: { minimum: text } }, closedObject({ minimum: text }), false],
])("%s", (_name, given, schema, approximated) => {
  expect(closeSchema(given)).toEqual({ schema, approximated });
});

function closedObject(properties: Json): Json {
  return { properties, additionalProperties: false };
}

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
