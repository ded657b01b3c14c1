import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { topLevelMembers, withMembers } from "../../src/unified/top-level.ts";
import { assertProperty } from "../chance.ts";

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("utf8");
const changed = (json: string, set: Record<string, string>, removed: string[] = []) =>
  text(withMembers(Buffer.from(json), set, new Set(removed)));

test.each([
  ['{"model":"a","x":1}', { model: '"b"' }, [], '{"model":"b","x":1}'],
  [
    '{ "x" : [1, {"model":"no"}] ,\n "model" :  "a" }',
    { model: '"b"' },
    [],
    '{ "x" : [1, {"model":"no"}] ,\n "model" :  "b" }',
  ],
  ['{"model":"a","model":"c"}', { model: '"b"' }, [], '{"model":"b","model":"b"}'],
  ['{"mod\\u0065l":"a"}', { model: '"b"' }, [], '{"mod\\u0065l":"b"}'],
  ['{"x":"\\"model\\":"}', { model: '"b"' }, [], '{"x":"\\"model\\":","model":"b"}'],
  ["{}", { model: '"b"' }, [], '{"model":"b"}'],
  ["{ }", { model: '"b"' }, [], '{ "model":"b"}'],
  ['{"a":1,"b":2,"c":3}', {}, ["b"], '{"a":1,"c":3}'],
  ['{"a":1,"b":2}', {}, ["b"], '{"a":1}'],
  ['{"a":1}', {}, ["a"], "{}"],
  ['{"a":1, "b":2 }', { c: "3" }, ["b"], '{"a":1,"c":3}'],
  ['{"a":1,"b":2}', { a: "9" }, ["b"], '{"a":9}'],
] as const)("%s with %p without %p is %s", (json, set, removed, expected) => {
  expect(changed(json, set as Record<string, string>, [...removed])).toBe(expected);
});

test.each(["", "[]", "1", '"x"', "null", "{", '{"a"', '{"a":', '{"a":1', "{a:1}", '{"a":1,}', '{"a" 1}', '{,"a":1}'])(
  "%p is no object",
  (json) => {
    expect(changed(json, { model: '"b"' })).toBeUndefined();
  },
);

describe("any object", () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, null, 2));

  test("has the members that a parser finds", () => {
    assertProperty(
      fc.property(object, (json) => {
        const parsed = JSON.parse(json);
        const found = topLevelMembers(Buffer.from(json))!;
        expect(found.map(({ name }) => name)).toEqual([...new Set(found.map(({ name }) => name))]);
        const values = found.map(({ name, valueStart, end }) => {
          return [name, JSON.parse(Buffer.from(json).toString("utf8", valueStart, end))] as const;
        });
        expect(Object.fromEntries(values)).toEqual(parsed);
      }),
    );
  });

  test("reads as before, except for members that were set or removed", () => {
    assertProperty(
      fc.property(object, fc.nat(), fc.jsonValue(), (json, pick, value) => {
        const parsed = JSON.parse(json);
        const names = Object.keys(parsed);
        const gone = names[pick % (names.length || 1)];
        const expected = { ...parsed, model: value };
        if (gone !== undefined && gone !== "model") delete expected[gone];
        const removed = gone === undefined || gone === "model" ? [] : [gone];
        expect(JSON.parse(changed(json, { model: JSON.stringify(value) }, removed)!)).toEqual(
          JSON.parse(JSON.stringify(expected)),
        );
      }),
    );
  });

  test("no bytes make it throw", () => {
    assertProperty(
      fc.property(fc.uint8Array(), (bytes) => {
        topLevelMembers(bytes);
        topLevelMembers(Buffer.concat([Buffer.from('{"a":'), bytes]));
      }),
    );
  });
});
