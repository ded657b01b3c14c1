import { expect, test } from "bun:test";
import fc from "fast-check";
import { maskBody } from "../../src/record/mask-body.ts";
import { assertProperty } from "../chance.ts";

const KEY = `sk-plntd${"kX9q".repeat(6)}`;
const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded; charset=utf-8";

const CASES: readonly (readonly [what: string, type: string | null, body: string, masked: string])[] = [
  ["a member by its name", JSON_TYPE, '{"model":"m","api_key":"plain"}', '{"model":"m","api_key":"***"}'],
  ["names in any form", null, '{"apiKey":"a","Password":"b"}', '{"apiKey":"***","Password":"***"}'],
  ["an escaped name", null, '{"api\\u005fkey":"a"}', '{"api\\u005fkey":"***"}'],
  [
    "values that are no text",
    null,
    '{"token":123,"auth":{"a":1},"secret":["x"]}',
    '{"token":"***","auth":"***","secret":"***"}',
  ],
  ["a key under any name", null, `{"extra":"${KEY}","n":1}`, '{"extra":"***","n":1}'],
  [
    "space and long numbers stay",
    null,
    ' { "a" : 12345678901234567890 , "token" : "x" } ',
    ' { "a" : 12345678901234567890 , "token" : "***" } ',
  ],
  [
    "a key in an error",
    null,
    `{"error":{"message":"wrong key ${KEY}","code":1},"a":1}`,
    '{"error":{"message":"wrong key ***","code":1},"a":1}',
  ],
  ["a name below the top level", null, '{"a":[{"b":{"api_key":"x","n":1}}]}', '{"a":[{"b":{"api_key":"***","n":1}}]}'],
  [
    "names in a body that is a list",
    null,
    '[{"api_key":"a"}, {"clientSecret" : 5}]',
    '[{"api_key":"***"}, {"clientSecret" : "***"}]',
  ],
  [
    "the headers of a tool's server",
    null,
    `{"tools":[{"type":"mcp","headers":{"Authorization":"Bearer abc","X-A":"${KEY}"},"passwords":["a", "b"]}]}`,
    '{"tools":[{"type":"mcp","headers":{"Authorization":"***","X-A":"***"},"passwords":"***"}]}',
  ],
  ["a form", FORM, JSON.stringify("model=m&api_key=plain&n=1"), JSON.stringify("model=m&api_key=***&n=1")],
  ["the first field of a form", FORM, JSON.stringify("token=plain"), JSON.stringify("token=***")],
  [
    "a form in parts",
    "multipart/form-data; boundary=b",
    JSON.stringify(
      '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\nplain\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--',
    ),
    JSON.stringify(
      '--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n***\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--',
    ),
  ],
];

for (const [what, type, body, masked] of CASES)
  test(`masked: ${what}`, () => expect(maskBody(body, type)).toBe(masked));

const KEPT: readonly (readonly [string | null, string])[] = [
  [JSON_TYPE, '{"max_tokens":5,"prompt_cache_key":"a","model":"gpt-4o-mini","messages":[{"content":"my password"}]}'],
  [JSON_TYPE, '{"auth":true,"token":null,"secret":"","key":[],"pass":{}}'],
  [JSON_TYPE, `{"messages":[{"content":"${KEY}"}],"prompt":"is ${KEY} a key?"}`],
  [JSON_TYPE, "{}"],
  [JSON_TYPE, "null"],
  [null, '{"a":{"api_key":"","password":null,"secret":[],"cookies":false}}'],
  [null, '{"choices":[{"logprobs":{"content":[{"token":"a","key":"b","session":"c"}]}}]}'],
  [
    null,
    '{"tools":[{"parameters":{"properties":{"password":{"type":"string"},"api_key":[{"a":1}]},"required":["password"]}}]}',
  ],
  [null, `{"m":[{"content":[{"type":"text","text":"${KEY}"}]}],"x":["${KEY}"],"y":{"z":["api_key",":"]}}`],
  ["text/plain", '"api_key=plain"'],
  [null, '"api_key=plain"'],
  [FORM, '"model=m&max_tokens=5"'],
];

for (const [type, body] of KEPT)
  test(`kept: ${body.slice(0, 60)} ${type}`, () => expect(maskBody(body, type)).toBe(body));

/** The rule below the top level, read out loud. */
function deepMasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepMasked);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => {
    const isPlain = ["string", "number"].includes(typeof each) && each !== "";
    const isList =
      Array.isArray(each) && each.length > 0 && each.every((one) => typeof one !== "object" || one === null);
    return [name, name === "api_key" && (isPlain || isList) ? "***" : deepMasked(each)];
  });
  return Object.fromEntries(members);
}

const NAMED = fc.oneof(fc.string(), fc.constantFrom("api_key", "token"));
/** JSON with such names at any depth. */
const { json: anyJson } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue({ maxDepth: 0 }),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(NAMED, tie("json"), { maxKeys: 4 }),
  ),
}));

test("whatever the object, what is masked is JSON of the same members, and nothing else differs", () => {
  assertProperty(
    fc.property(fc.dictionary(NAMED, anyJson), (object) => {
      const masked = JSON.parse(maskBody(JSON.stringify(object, undefined, 1), JSON_TYPE));
      expect(Object.keys(masked)).toEqual(Object.keys(JSON.parse(JSON.stringify(object))));
      for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(object))))
        if (masked[name] !== "***" && name !== "error") expect(masked[name]).toEqual(deepMasked(value));
    }),
  );
});
