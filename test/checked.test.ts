import { expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { checked } from "../src/checked.ts";

test.each<[TSchema, unknown, string]>([
  [Type.Number({ exclusiveMinimum: 0 }), -1, "give more than 0"],
  [Type.Number({ exclusiveMaximum: 5 }), 5, "give less than 5"],
  [Type.Number({ multipleOf: 1 }), 1.5, "give a whole number"],
  [Type.Number({ multipleOf: 5 }), 6, "give a multiple of 5"],
  [Type.String({ pattern: "^a$" }), "b", "give text that matches ^a$"],
  [Type.Null(), 1, "give null"],
  [Type.Union([Type.Number(), Type.Null()]), "x", "give a number or null"],
  [Type.Union([Type.Literal("a"), Type.Null()]), "x", 'give "a" or null'],
  [Type.Union([Type.Literal("a"), Type.Literal("b")]), "x", 'give one of "a", "b"'],
  [Type.Union([Type.String(), Type.Array(Type.String()), Type.Object({})]), 1, "give text or a list or an object"],
])("what %j asks for is said in words", (schema, value, words) => {
  expect(() => checked(schema, value)).toThrow(new Error(words));
});
