import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeFilter } from "../../src/filter/decode.ts";
import { WRITTEN_NAMES } from "../../src/filter/written/names.ts";
import { within } from "../../src/filter/written/period.ts";
import { readWritten } from "../../src/filter/written/read-written.ts";
import { readWrittenSort } from "../../src/filter/written/sort.ts";
import { FILTER_FIELDS } from "../../src/web/filter/fields.ts";
import { assertProperty } from "../chance.ts";

const rmt = (condition: object) => ({ request_response_rmt: condition });
const and = (left: unknown, right: unknown) => ({ left, operator: "and", right });
const or = (left: unknown, right: unknown) => ({ left, operator: "or", right });

const STATUS = rmt({ status: { gte: 400 } });
const MODEL = rmt({ model: { equals: "gpt-4o" } });
const COST = rmt({ cost: { gt: 0.01 } });

test.each<[string, unknown]>([
  ["", "all"],
  ["  ", "all"],
  ["model=gpt-4o", MODEL],
  ["model = gpt-4o", MODEL],
  ["model='gpt-4o'", MODEL],
  ["model=gpt-4o cost>0.01 status>=400", and(MODEL, and(COST, STATUS))],
  ["model=gpt-4o and cost>$0.01", and(MODEL, COST)],
  ["model=gpt-4o or cost>0.01 status>=400", or(MODEL, and(COST, STATUS))],
  ["(model=gpt-4o OR cost>0.01) status>=400", and(or(MODEL, COST), STATUS)],
  ["((status>=400))", STATUS],
  ["user=ann@example.com", rmt({ user_id: { equals: "ann@example.com" } })],
  ['user="with space, comma \\"and\\" (bracket)"', rmt({ user_id: { equals: 'with space, comma "and" (bracket)' } })],
  ["user=null", rmt({ user_id: { equals: null } })],
  ['user="null"', rmt({ user_id: { equals: "null" } })],
  ['user=""', rmt({ user_id: { equals: "" } })],
  ["cost!=null", rmt({ cost: { "not-equals": null } })],
  ["status=429,500", or(rmt({ status: { equals: 429 } }), rmt({ status: { equals: 500 } }))],
  ["status!=429,500", and(rmt({ status: { "not-equals": 429 } }), rmt({ status: { "not-equals": 500 } }))],
  ["model=~gpt-4%", rmt({ model: { ilike: "gpt-4%" } })],
  ["output~sorry", rmt({ output: { contains: "sorry" } })],
  ["output!~sorry", rmt({ output: { "not-contains": "sorry" } })],
  ["request_body~'a b'", rmt({ request_body: { contains: "a b" } })],
  ["latency>2s", rmt({ latency: { gt: 2000 } })],
  ["latency<=1.5m", rmt({ latency: { lte: 90_000 } })],
  ["latency<1.001m", rmt({ latency: { lt: 60_060 } })],
  ["score.sum=0.30000000000000004", rmt({ scores: { sum: { equals: 0.1 + 0.2 } } })],
  ["tokens=9007199254740991", rmt({ total_tokens: { equals: Number.MAX_SAFE_INTEGER } })],
  ["first_token<300ms", rmt({ time_to_first_token: { lt: 300 } })],
  ["cached=true", rmt({ cached: { equals: true } })],
  ["feedback=no", rmt({ "gateway-score-feedback": { equals: false } })],
  ["property.Team=blue", rmt({ properties: { Team: { equals: "blue" } } })],
  ["properties.a.b=c", rmt({ properties: { "a.b": { equals: "c" } } })],
  ['property."My Team"=blue', rmt({ properties: { "My Team": { equals: "blue" } } })],
  ["has_property=Team", rmt({ property_key: { equals: "Team" } })],
  ["score.quality>=0.5", rmt({ scores: { quality: { gte: 0.5 } } })],
  ["value.city=Rome", { values: { city: { equals: "Rome" } } }],
  ["session=s-1", { sessions_request_response_rmt: { session_session_id: { equals: "s-1" } } }],
  ["created>=2026-01-31", rmt({ request_created_at: { gte: "2026-01-31T00:00:00.000Z" } })],
  ["target=https://a.test/x?y=1", rmt({ target_url: { equals: "https://a.test/x?y=1" } })],
])("%s is read", (text, filter) => {
  expect(readWritten(text)).toEqual(filter as never);
  decodeFilter(readWritten(text), "legacy");
});

test.each([
  ["modle=x", 1, 'there is no field "modle"; did you mean "model"?'],
  ["status>=400 modle=x", 13, 'did you mean "model"?'],
  ["status>=abc", 9, "a number such as 400, $0.01 or 2s"],
  ["status~4", 7, '"status" takes != >= <= = > <, not ~'],
  ["model>x", 6, "not >"],
  ["status", 7, '"status" needs an operator'],
  ["status=", 8, "a value belongs behind ="],
  ["status=400,", 12, "a value belongs behind ="],
  ["(status=400", 1, 'this "(" is never closed'],
  ["status=400)", 11, 'this ")" closes nothing'],
  ["user='ann", 6, "this ' is never closed"],
  ["user='ann'b", 11, "a space belongs here"],
  ["status=400 or", 14, 'a condition such as status>=400 belongs here, not "the end"'],
  ["property=x", 9, "needs a name behind a dot"],
  ["property.=x", 10, "needs a name"],
  ["model.x=1", 6, "has no names in it"],
  ["cached=maybe", 8, "true or false"],
  ["cached!=true", 9, "takes != with null alone"],
  ["created>=yesterday", 10, "a time such as"],
  ["status>null", 8, 'not "null"'],
  ["constructor=1", 1, 'there is no field "constructor"'],
  ["🦊=1", 1, "a condition such as"],
  ["(".repeat(200), 101, "brackets deep"],
])("%s is refused at character %i", (text, at, says) => {
  expect(() => readWritten(text)).toThrow(`character ${at} of the filter: `);
  expect(() => readWritten(text)).toThrow(says);
});

test("any text is a filter or a refusal that names a position", () => {
  const pieces = fc.constantFrom(
    "model",
    "status",
    "(",
    ")",
    "=",
    "!=",
    ">=",
    "or",
    " ",
    '"',
    "'",
    "x",
    ",",
    "property.",
    "\\",
  );
  assertProperty(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), (parts) => {
      try {
        decodeFilter(readWritten(parts.join("")), "legacy");
      } catch (error) {
        expect((error as { code?: string }).code).toBe("filter_invalid");
        expect((error as Error).message).toMatch(/character \d+ of the filter/);
      }
    }),
  );
});

test("the dashboard's filter fields have the same names here", () => {
  const others = new Set(["input"]); // the dashboard's name for values; here it is what was said, as in the API
  for (const { id, path } of FILTER_FIELDS) {
    if (!others.has(id)) expect([id, WRITTEN_NAMES.get(id)?.path]).toEqual([id, path as never]);
  }
});

describe("a period", () => {
  const now = Date.parse("2026-02-01T00:00:00Z");

  test.each([
    [{}, MODEL],
    [{ last: "24h" }, and(rmt({ request_created_at: { gte: "2026-01-31T00:00:00.000Z" } }), MODEL)],
    [
      { since: "2026-01-01", until: "2026-01-02" },
      and(
        rmt({ request_created_at: { lt: "2026-01-02T00:00:00.000Z" } }),
        and(rmt({ request_created_at: { gte: "2026-01-01T00:00:00.000Z" } }), MODEL),
      ),
    ],
  ])("%j", (period, filter) => {
    expect(within(period, readWritten("model=gpt-4o"), { nowMs: now })).toEqual(filter as never);
  });

  test("alone is the filter", () => {
    expect(within({ last: "1s" }, "all", { nowMs: now })).toEqual(
      rmt({ request_created_at: { gte: "2026-01-31T23:59:59.000Z" } }),
    );
  });

  test.each([
    [{ last: "soon" }, "last takes a number with s, m, h, d or w, such as 15m"],
    [{ last: "1h", since: "2026-01-01" }, "not both"],
    [{ since: "monday" }, "since takes a day"],
    [{ until: "" }, "until takes a day"],
  ])("%j is refused", (period, says) => {
    expect(() => within(period, "all", { nowMs: now })).toThrow(says);
  });
});

describe("an order", () => {
  test.each<[string, object]>([
    ["cost", { cost: "desc" }],
    ["latency:asc,created", { latency: "asc", created_at: "desc" }],
    ["property.Team:asc", { properties: { Team: "asc" } }],
    ["random", { random: true }],
  ])("%s", (text, sort) => expect(readWrittenSort(text)).toEqual(sort as never));

  test.each([
    ["cots", 'there is no sort key "cots"; did you mean "cost"?'],
    ["cost:up", "a direction is asc or desc"],
    ["properties", 'there is no sort key "properties"'],
    ["", "there is no sort key"],
  ])("%s is refused", (text, says) => expect(() => readWrittenSort(text)).toThrow(says));
});
