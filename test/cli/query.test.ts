import { afterAll, beforeAll, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { openApi, type TestApi } from "../api/open.ts";
import { idOf, insert } from "../filter/world.ts";
import { commandLine } from "./terminal.ts";

const NOW = Date.now();
const COUNT = 30;
let it: TestApi;

beforeAll(async () => {
  it = await openApi();
  await insert(
    it.store,
    Array.from({ length: COUNT }, (_, n) => ({
      columns: {
        request_id: idOf(n),
        organization_id: it.organization,
        request_created_at: NOW - (COUNT - n) * 3_600_000,
        model: n % 2 === 0 ? "m-even" : "m-odd",
        user_id: n === 1 ? 'quoted "name", with a comma' : `user-${n % 4}`,
        cost: n === 0 ? null : n / 1000,
        delay_ms: n * 100,
        response_status: n % 10 === 0 ? 500 : 200,
        input: `What is ${n}?`.repeat(20),
      },
      properties: [{ name: "Tier", value: n % 3 === 0 ? "gold" : "silver" }],
      inputs: [],
      scores: n === 4 ? { quality: 0.5 } : {},
      requestBody: JSON.stringify({ question: `What is ${n}?` }),
      responseBody: "{}",
    })),
  );
});
afterAll(() => it[Symbol.asyncDispose]());

const terminal = (columns?: number, env: Record<string, string> = {}) =>
  commandLine({ WEIR_API_URL: it.origin, WEIR_API_KEY: it.keys.read, ...env }, columns);
const run = (...words: string[]) => terminal().run("query", ...words);
const linesOf = (text: string) => text.trimEnd().split("\n");

test("prints the newest requests as a table, and says that there are more", async () => {
  const { status, out, err } = await run();
  expect(status).toBe(0);
  const lines = linesOf(out);
  expect(lines[0]).toMatch(/^TIME +STATUS +MODEL +LATENCY +TOKENS +COST +USER +INPUT +ID$/);
  expect(lines).toHaveLength(21);
  expect(lines[1]).toMatch(/ 200 +m-odd +2900 ms +\$0\.029 +user-1 +What is 29/);
  expect(lines[1]).toContain(idOf(29));
  expect(err).toBe("there are more than these 20: --limit shows up to 10000, weir export takes all\n");
});

test.each([60, 80, 120])("its table fits a terminal of %i columns", async (columns) => {
  const { out } = await terminal(columns, { NO_COLOR: "1" }).run("query", "--limit", "3");
  for (const line of linesOf(out)) expect(line.length).toBeLessThanOrEqual(columns);
});

test("finds by words, in several arguments too, within a time, in an order", async () => {
  const words = ["status>=500", "property.Tier=gold", "--last", "2d", "--sort", "cost:asc", "--columns", "id,cost"];
  expect(linesOf((await run(...words, "--format", "jsonl")).out).map((line) => JSON.parse(line))).toEqual([
    { request_id: idOf(0), cost: null },
  ]);
  const dear = await run("cost>=0.028 or score.quality>0", "--sort", "latency", "--columns", "latency,score.quality");
  expect(linesOf(dear.out).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ["LATENCY", "QUALITY"],
    ["2900 ms"],
    ["2800 ms"],
    ["400 ms", "0.5"],
  ]);
  expect((await run("model=m-even", "--last", "3h", "--count")).out).toBe("1\n");
});

test("takes the API's JSON as a filter", async () => {
  const filter = { request_response_rmt: { status: { gte: 500 } } };
  expect((await run(JSON.stringify(filter), "--count")).out).toBe("3\n");
  expect((await run("all", "--count")).out).toBe(`${COUNT}\n`);
});

test("prints whole records as JSON, with bodies on request", async () => {
  const [record] = JSON.parse((await run("--json", "--limit", "1")).out);
  expect(record).toMatchObject({ request_id: idOf(29), properties: { Tier: "silver" } });
  expect(record).not.toHaveProperty("request_body");
  const [withBody] = JSON.parse((await run("--json", "--limit", "1", "--include-body")).out);
  expect(withBody.request_body).toEqual({ question: "What is 29?" });
});

test("prints CSV that a reader of CSV reads", async () => {
  const columns = "id,user,property.Tier,score.quality,cost";
  const { out } = await run("cost<=0.004", "--format", "csv", "--columns", columns, "--sort", "created:asc");
  expect(parse(out, { columns: true })).toEqual([
    row(1, 'quoted "name", with a comma', "silver", ""),
    row(2, "user-2", "silver", ""),
    row(3, "user-3", "gold", ""),
    row(4, "user-0", "silver", "0.5"),
  ]);
});

const row = (n: number, user: string, tier: string, quality: string) => ({
  ...{ request_id: idOf(n), request_user_id: user, "property:Tier": tier },
  ...{ "score:quality": quality, cost: String(n / 1000) },
});

test("asks for page after page, up to the limit", async () => {
  const { out, err } = await run("--limit", "25", "--format", "jsonl", "--columns", "id");
  expect(linesOf(out).map((line) => JSON.parse(line).request_id)).toEqual(
    Array.from({ length: 25 }, (_, n) => idOf(29 - n)),
  );
  expect(err).toBe("");
  expect(await run("model=nothing")).toEqual({ status: 0, out: "", err: "no requests\n" });
});

test.each<[string[], string]>([
  [["modle=x"], 'weir: character 1 of the filter: there is no field "modle"; did you mean "model"?\n'],
  [['{"request_response_rmt":{"modle":{"equals":"x"}}}'], "(filter.request_response_rmt.modle)"],
  [["{oops"], "the filter is not JSON"],
  [["--sort", "cots"], 'did you mean "cost"?'],
  [["--columns", "id,xtatus"], 'there is no column "xtatus"; did you mean "status"?'],
  [["--columns", "zzzzzzzz"], "known: time, created, id"],
  [["--format", "xml"], "--format takes table, json, jsonl, csv, not xml"],
  [["--limit", "10001"], "--limit takes a number up to 10000, not 10001"],
  [["--limit", "-1"], "--limit needs a value"],
  [["--last", "soon"], "--last takes a number with s, m, h, d or w"],
  [["--count", "--search", "x"], "leave --search out"],
  [["--search", "x", "--sort", "cost"], "sort"],
])("query %j is bad usage", async (words, says) => {
  const { status, out, err } = await run(...words);
  expect([status, out]).toEqual([2, ""]);
  expect(err).toContain(says);
  expect(linesOf(err)).toHaveLength(1);
});

test("needs a key that may look", async () => {
  expect(await terminal(80, { WEIR_API_KEY: "" }).run("query")).toMatchObject({ status: 2 });
  const refused = await terminal(80, { WEIR_API_KEY: it.keys.gateway }).run("query");
  expect(refused).toMatchObject({ status: 1, out: "" });
  expect(refused.err).toContain("permission");
});
