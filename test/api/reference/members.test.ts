import { expect, test } from "bun:test";
import { t } from "elysia";
import { type JsonSchema, membersOf } from "../../../src/api/reference/members.ts";

const lines = (schema: object) =>
  membersOf(schema as JsonSchema).map(
    ({ name, type, required, about }) => `${name}${required ? "!" : ""}: ${type}. ${about}`,
  );

test.each([
  [
    "members, bounds and what is missing",
    t.Object({
      name: t.String({ minLength: 1, maxLength: 200, description: "Who." }),
      limit: t.Optional(t.Union([t.Number({ minimum: 0, description: "Rows." }), t.Null()])),
    }),
    ["name!: string. Who. 1 to 200 characters.", "limit: number | null. Rows. At least 0."],
  ],
  [
    "lists and objects, from the outside in",
    t.Object({ channels: t.Array(t.Object({ url: t.String() }), { maxItems: 5 }) }),
    ["channels!: object[]. At most 5 items.", "channels[].url!: string. "],
  ],
  [
    "names that are the caller's",
    t.Object({}, { additionalProperties: t.Union([t.String(), t.Null()]) }),
    ["<name>: string | null. "],
  ],
  [
    "values that are named",
    t.Object({ unit: t.Union([t.Literal("cents"), t.Literal("tokens")]) }),
    [`unit!: "cents" | "tokens". `],
  ],
  ["a body that is anything", t.Unknown(), []],
])("a body is described member by member: %s", (_name, schema, expected) => {
  expect(lines(schema)).toEqual(expected);
});
