import { expect, test } from "bun:test";
import { tokenColumns } from "../../src/bodies/token-columns.ts";
import { USAGE_COUNTS } from "../../src/mapping/usage.ts";
import { readLabels } from "../../src/recorder/prepare/labels.ts";
import { toRow } from "../../src/recorder/prepare/row.ts";
import { exchangeOf } from "./exchange-of.ts";

const bytes = (text: string) => Buffer.from(text).toString("latin1");

test("a property keeps the spelling of the wire, and one without any capital is marked", () => {
  const labels = readLabels([
    "Gateway-Property-AppName",
    "x",
    "gateway-property-environment",
    "prod",
    "GATEWAY-PROPERTY-TEAM",
    "a",
    "Gateway-Property-lower",
    "not erased: the prefix has capitals",
  ]);
  expect({ ...labels.properties }).toEqual({
    AppName: "x",
    environment: "prod",
    TEAM: "a",
    lower: "not erased: the prefix has capitals",
  });
  expect([...labels.erasedProperties]).toEqual(["environment"]);
});

test("the last of two equal names wins, prompt inputs follow the same rules, other headers are settings", () => {
  const labels = readLabels([
    "Gateway-Property-A",
    "1",
    "Gateway-Property-A",
    "2",
    "gateway-prompt-input-city",
    bytes("Zürich"),
    "Gateway-User-Id",
    bytes("jö"),
    "GATEWAY-SESSION-ID",
    "s",
  ]);
  expect({ ...labels.properties }).toEqual({ A: "2" });
  expect({ ...labels.promptInputs }).toEqual({ city: "Zürich" });
  expect([...labels.erasedInputs]).toEqual(["city"]);
  expect(Object.fromEntries(labels.settings)).toEqual({ "user-id": "jö", "session-id": "s" });
});

test("an empty value of a property is its value, and of any other header none", () => {
  const labels = readLabels([
    "Gateway-Property-A",
    "",
    "Gateway-Prompt-Input-B",
    "",
    "Gateway-User-Id",
    "u",
    "Gateway-User-Id",
    "",
    "Gateway-Model-Override",
    "",
  ]);
  expect([{ ...labels.properties }, { ...labels.promptInputs }]).toEqual([{ A: "" }, { B: "" }]);
  expect(Object.fromEntries(labels.settings)).toEqual({ "user-id": "u" });
});

test("an empty name is none, and the last of two equal names says whether its case was erased", () => {
  const labels = readLabels([
    "Gateway-Property-",
    "x",
    "gateway-property-team",
    "1",
    "Gateway-Property-team",
    "2",
    "gateway-prompt-input-",
    "y",
  ]);
  expect([{ ...labels.properties }, { ...labels.promptInputs }]).toEqual([{ team: "2" }, {}]);
  expect([...labels.erasedProperties]).toEqual([]);
});

test("names that objects have anyway are names like all others", () => {
  const labels = readLabels(["Gateway-Property-__proto__", "p", "Gateway-Property-constructor", "c"]);
  expect(JSON.stringify(labels.properties)).toBe('{"__proto__":"p","constructor":"c"}');
});

test("names that come again are read as before, however many there are", () => {
  const names = Array.from(
    { length: 400 },
    (_, at) => `${["Property-A", "property-b", "Prompt-Input-C", "D"][at % 4]}${at}`,
  );
  expect(Object.keys(readLabels([`Gateway-Property-${bytes("Größe")}`, "1"]).properties)).toEqual(["Größe"]);
  const gateway = names.flatMap((name, at) => [`Gateway-${name}`, `v${at}`]);
  const [first, again] = [readLabels(gateway), readLabels(gateway)];
  expect(again).toEqual(first);
  expect(again.properties).toMatchObject({ A0: "v0" });
  expect(again.promptInputs).toMatchObject({ C398: "v398" });
  expect(again.settings.get("d399")).toBe("v399");
});

test("bytes of a value that are no UTF-8 become U+FFFD", () => {
  expect(readLabels(["Gateway-User-Id", "a\xff"]).settings.get("user-id")).toBe("a\uFFFD");
});

test.each([
  [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 99 }, 7],
  [{ prompt_tokens: 3, total_tokens: 5 }, 5],
  [{ prompt_tokens: 3, total_tokens: 2 }, 3],
  [{ completion_tokens: 3, total_tokens: -2 }, 3],
  [{ prompt_tokens: 3 }, 3],
  [{ completion_tokens: 4 }, 4],
  [{}, null],
  [undefined, null],
])("the total of %j is %p", (usage, total) => {
  expect(tokenColumns(usage).total_tokens).toBe(total);
});

test("what is no count is null", () => {
  const usage = {
    prompt_tokens: 28.0,
    completion_tokens: -1,
    reasoning_tokens: Number.NaN,
    prompt_audio_tokens: 1e300,
  };
  expect(tokenColumns(usage)).toMatchObject({
    prompt_tokens: 28,
    completion_tokens: null,
    reasoning_tokens: null,
    prompt_audio_tokens: null,
    prompt_cache_read_tokens: null,
  });
});

test("a usage block is stored as sent, unless it is longer than any usage", () => {
  const stored = (usageRaw: unknown) => {
    const findings = { reading: { usageRaw }, cost: { cost: null, source: null }, streamed: false, truncated: false };
    return toRow(exchangeOf({}).exchange, readLabels([]), findings, 0).usage_raw;
  };
  expect(stored({ prompt_tokens: 1 })).toBe('{"prompt_tokens":1}');
  for (const none of [undefined, { prompt_tokens: 1, more: "a".repeat(70_000) }]) expect(stored(none)).toBeNull();
});

test("each count of a usage is in the column of its name", () => {
  const counts = USAGE_COUNTS.map((name, at) => [name, 10 + at] as const);
  const usage = { ...Object.fromEntries(counts), prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const findings = { reading: { usage }, cost: { cost: null, source: null }, streamed: false, truncated: false };
  const { exchange } = exchangeOf({});
  expect(toRow(exchange, readLabels([]), findings, 0)).toMatchObject(usage);
});
