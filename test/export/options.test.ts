import { describe, expect, test } from "bun:test";
import { ExportFailure } from "../../src/api-client/failure.ts";
import { readOptions } from "../../src/export/options.ts";
import { buildFilter, readPeriod } from "../../src/export/period.ts";

const ENV = { WEIR_API_KEY: "sk-weir-us-abc" };
const NOW = Date.parse("2026-05-20T10:20:30.405Z");

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ExportFailure && error.kind === "usage") return error.message;
    throw error;
  }
  return "nothing was refused";
}

test("without options everything has its default", () => {
  expect(readOptions([], ENV)).toEqual({
    startDate: undefined,
    endDate: undefined,
    limit: undefined,
    order: "asc",
    properties: [],
    filter: "all",
    search: undefined,
    includeBody: false,
    format: "jsonl",
    output: "weir-export.jsonl",
    region: "us",
    apiUrl: "http://127.0.0.1:8788",
    apiKey: "sk-weir-us-abc",
    resume: false,
    force: false,
    quiet: false,
  });
});

test.each<[string, string[], Record<string, string>, string]>([
  ["the local port of the other region", ["--region", "eu"], {}, "http://127.0.0.1:8789"],
  [
    "the region's variable",
    [],
    { WEIR_API_URL: "https://weir.test/", WEIR_EU_API_URL: "https://eu" },
    "https://weir.test",
  ],
  ["the other region's variable", ["--region=eu"], { WEIR_EU_API_URL: "https://eu.weir.test" }, "https://eu.weir.test"],
  ["a path of its own", [], { WEIR_API_URL: "https://weir.test/api/" }, "https://weir.test/api"],
  ["the option before the variable", ["--api-url", "http://a:1"], { WEIR_API_URL: "https://b" }, "http://a:1"],
  ["the port that the service is set to", [], { WEIR_API_PORT: "9000" }, "http://127.0.0.1:9000"],
])("the address is %s", (_name, argv, env, apiUrl) => {
  expect(readOptions(argv, { ...ENV, ...env })).toMatchObject({ apiUrl });
});

test.each<[string, string[], RegExp]>([
  ["an option nobody knows", ["--colour"], /^there is no option --colour$/],
  ["an option spelt wrong", ["--limti", "3"], /^there is no option --limti; did you mean --limit\?$/],
  [
    "a value with a dash",
    ["--limit", "-1"],
    /^--limit needs a value; write a value that begins with a dash as --limit=-…$/,
  ],
  ["an argument", ["everything"], /everything/],
  ["an option without its value", ["--limit"], /^--limit needs a value$/],
  ["a format nobody knows", ["--format", "xml"], /--format takes jsonl, json, csv, parquet, not "xml"/],
  ["a region nobody knows", ["--region", "mars"], /--region takes us, eu/],
  ["a search without a word", ["--search", " "], /^--search needs a word$/],
  ["a search from the oldest on", ["--search", "x", "--order", "asc"], /^--search finds the newest records first/],
  ["an order nobody knows", ["--order", "up"], /--order takes asc, desc/],
  ["a limit below zero", ["--limit=-1"], /--limit takes a number/],
  ["a limit that is no number", ["--limit", "1e3"], /--limit takes a number/],
  ["a property without a value", ["--property", "Team"], /--property takes NAME=VALUE/],
  ["a property without a name", ["--property", "=x"], /--property takes NAME=VALUE/],
  ["a filter that is no JSON", ["--filter", "{model}"], /--filter is not JSON/],
  ["a filter that is no tree", ["--filter", "[1]"], /--filter takes a filter tree/],
  ["an address that is none", ["--api-url", "weir.test"], /must start with http/],
  ["an address with a password", ["--api-url", "http://a:b@weir.test"], /must not have a name or password/],
  ["an address with a query", ["--api-url", "http://weir.test/?a=b"], /must not have a query/],
  ["going on and starting over", ["--resume", "--force"], /exclude each other/],
  ["going on with stdout", ["--resume", "--output", "-"], /cannot be resumed/],
  ["an empty file name", ["--output", ""], /--output needs a file name/],
])("%s is bad usage", (_name, argv, message) => {
  expect(messageOf(() => readOptions(argv, ENV))).toMatch(message);
});

test("a key that is missing, blank or broken is bad usage, and is not shown", () => {
  expect(messageOf(() => readOptions([], {}))).toMatch(/no key: set WEIR_API_KEY/);
  expect(messageOf(() => readOptions([], { WEIR_API_KEY: "  " }))).toMatch(/no key/);
  const message = messageOf(() => readOptions([], { WEIR_API_KEY: "sk-secret\nX-Other: 1" }));
  expect(message).toMatch(/characters that cannot be in a key/);
  expect(message).not.toContain("secret");
});

test("a property's value may be empty and may have equals signs", () => {
  const options = readOptions(["--property", "a=", "--property", "b=c=d", "--property", "a b=1"], ENV);
  expect(options).toMatchObject({
    properties: [
      { name: "a", value: "" },
      { name: "b", value: "c=d" },
      { name: "a b", value: "1" },
    ],
  });
});

describe("the period", () => {
  test("is the last thirty days by default", () => {
    expect(readPeriod(undefined, undefined, NOW)).toEqual({
      from: "2026-04-20T10:20:30.405Z",
      to: "2026-05-20T10:20:30.405Z",
    });
  });

  test.each(["2026-02-28", "9999-12-31"])("includes the whole of a last day, %s", (day) => {
    expect(readPeriod(day, day, NOW)).toEqual({ from: `${day}T00:00:00.000Z`, to: `${day}T23:59:59.999Z` });
  });

  test.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"],
    ["2026-01-02T03:04:05.6789Z", "2026-01-02T03:04:05.678Z"],
    ["2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.600Z"],
    ["2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"],
    ["2026-01-02T03:04:05-0730", "2026-01-02T10:34:05.000Z"],
    ["2026-01-02T03:04:05+02", "2026-01-02T01:04:05.000Z"],
    ["2026-01-02T03:04:05", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02T03:04", "2026-01-02T03:04:00.000Z"],
    ["2026-01-02 03:04", "2026-01-02T03:04:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("reads %s as %s", (text, moment) => {
    expect(readPeriod(text, "2030-01-01", NOW).from).toBe(moment);
  });

  test.each([
    "",
    "yesterday",
    "2026-02-30",
    "2026-13-01",
    "2026-1-2",
    "20260102",
    "2026-01-02T25:00:00Z",
    "1767322800",
  ])("refuses %p", (text) => {
    expect(messageOf(() => readPeriod(text, undefined, NOW))).toMatch(/--start-date takes/);
  });

  test("refuses an end before its start", () => {
    expect(messageOf(() => readPeriod("2026-03-02", "2026-03-01", NOW))).toMatch(/before --start-date/);
  });
});

test("the filter has one condition per leaf, joined by and", () => {
  const period = readPeriod("2026-01-01", "2026-01-31", NOW);
  const given = { request_response_rmt: { model: { equals: "m-1" } } };
  expect(buildFilter(period, [{ name: "Team", value: "x" }], given)).toEqual({
    left: { request_response_rmt: { request_created_at: { gte: "2026-01-01T00:00:00.000Z" } } },
    operator: "and",
    right: {
      left: { request_response_rmt: { request_created_at: { lte: "2026-01-31T23:59:59.999Z" } } },
      operator: "and",
      right: {
        left: { request_response_rmt: { properties: { Team: { equals: "x" } } } },
        operator: "and",
        right: given,
      },
    },
  });
});
