import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { KEY, startWeir, type Weir } from "../e2e/weir.ts";
import { run } from "../export/run-in-test.ts";
import { importInto } from "./run-import.ts";

let weir: Weir;
let otherKey: string;
let readKey: string;

beforeAll(async () => {
  weir = await startWeir();
  otherKey = await makeKey({ name: "other", scopes: ["admin"], organization: "other" });
  readKey = await makeKey({ name: "reader", scopes: ["read", "write"] });
}, 300_000);
afterAll(() => weir.stop().then(() => {}));

async function makeKey(order: object): Promise<string> {
  const { data } = await post("/v1/keys", JSON.stringify(order));
  return data.key;
}

async function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  key = KEY,
  type = "application/json",
): Promise<Json> {
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  const response = await fetch(weir.api + path, { method: "POST", headers, body });
  return { status: response.status, ...(await response.json()) };
}

const put = (body: string | Uint8Array<ArrayBuffer>, key = KEY) =>
  post("/v1/import", body, key, "application/x-ndjson");
const idOf = (index: number) => `00000000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;
const record = (index: number, more: object = {}) => ({
  request_id: idOf(index),
  request_created_at: "2026-01-02T03:04:05.006Z",
  response_status: 200,
  ...more,
});
const line = (index: number, more: object = {}) => JSON.stringify(record(index, more));
const shown = async (index: number, key = KEY) => {
  const { data } = await post(
    "/v1/request/query-ids",
    JSON.stringify({ requestIds: [idOf(index)], includeInputs: true }),
    key,
  );
  return data[0];
};

test("a filter finds the cost that an imported record shows", async () => {
  await put(line(60, { cost: 0.1 + 0.2 }));
  const { cost } = await shown(60);
  expect(cost).toBe(0.3);
  const filter = { request_response_rmt: { cost: { equals: cost, gte: cost, lte: cost } } };
  const { data } = await post("/v1/request/query-fast", JSON.stringify({ filter, includeBody: false }));
  expect(data.map((found: Json) => found.request_id)).toEqual([idOf(60)]);
});

test("what the provider received and sent is exported on request, and imported as it was", async () => {
  const sides = { provider_request: { max_tokens: 5, n: 1 }, provider_response: "event: ping\n\n" };
  await put(`${line(70, { request_body: { a: 1 }, ...sides })}\n${line(71, { request_body: { a: 2 } })}`);
  const filter = { request_response_rmt: { request_id: { equals: idOf(70) } } };
  const ask = async (more: object) =>
    (await post("/v1/request/query-fast", JSON.stringify({ filter, ...more }))).data as Json[];
  expect(await ask({ includeProviderBodies: true })).toMatchObject([{ request_body: { a: 1 }, ...sides }]);
  for (const more of [{}, { includeBody: false, includeProviderBodies: true }])
    expect(Object.keys((await ask(more))[0])).not.toContain("provider_request");
  const argv = ["--include-body", "--start-date", "2026-01-01", "--output", "-"];
  const { stdout } = await run(weir.api, argv, {}, { WEIR_API_KEY: KEY });
  const lines = stdout
    .toString()
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Json);
  const found = (id: string) => lines.find(({ request_id }) => request_id === id);
  expect(found(idOf(70))).toMatchObject(sides);
  expect(found(idOf(71))).toMatchObject({ provider_request: null, provider_response: null });
});

test("an id that another organization has is rejected, and its record stays as it is", async () => {
  expect((await put(line(1, { model: "ours", request_body: { a: 1 } }))).data).toEqual({
    imported: 1,
    existing: 0,
    rejected: [],
  });
  const stolen = await put(`${line(1, { model: "theirs", request_body: { b: 2 } })}\n${line(2)}`, otherKey);
  expect(stolen.data).toEqual({
    imported: 1,
    existing: 0,
    rejected: [{ line: 1, id: idOf(1), why: "the id was used before in this deployment" }],
  });
  expect(await shown(1)).toMatchObject({ model: "ours", request_body: { a: 1 } });
  expect(await shown(1, otherKey)).toBeUndefined();
  expect(await shown(2)).toBeUndefined();
  expect((await shown(2, otherKey)).organization_id).not.toBe((await shown(1)).organization_id);
});

test("a record goes into the key's organization, whatever organization it names, and a repeated id counts once", async () => {
  const text = [line(3, { organization_id: "someone" }), line(3, { model: "second" }), "", line(4)].join("\n");
  expect((await put(text)).data).toEqual({ imported: 2, existing: 1, rejected: [] });
  expect(await shown(3)).toMatchObject({ organization_id: (await shown(1)).organization_id, model: null });
});

test.each([
  ["{", "it is not JSON"],
  ["null", "a line is not a JSON object"],
  ["[]", "a line is not a JSON object"],
  ['"text"', "a line is not a JSON object"],
  ["{}", "request_created_at is missing"],
  [line(10, { request_id: "x" }), "request_id is not a UUID"],
  [line(10, { request_id: { toString: "x" } }), "request_id is not a UUID"],
  [line(10, { request_id: `${idOf(10)}\u0000` }), "request_id is not a UUID"],
  [line(10, { request_created_at: 5 }), "request_created_at is not a time in ISO 8601"],
  [line(10, { request_created_at: "yesterday" }), "request_created_at is not a time in ISO 8601"],
  [line(10, { request_created_at: "2026-13-40T00:00:00Z" }), "request_created_at is not a time in ISO 8601"],
  [line(10, { response_status: null }), "the request was in flight when it was exported; export it again"],
  [line(10, { response_status: "200" }), "response_status is not a whole number"],
  [line(10, { cost: "1" }), "cost is not a number from 0 to 1000000"],
  [line(10, { cost: 1_000_001 }), "cost is not a number from 0 to 1000000"],
  [line(10, { cost: null, costUSD: -0.1 }), "costUSD is not a number from 0 to 1000000"],
  [line(10, { prompt_tokens: 1.5 }), "prompt_tokens is not a whole number that is not negative"],
  [line(10, { total_tokens: -1 }), "total_tokens is not a whole number that is not negative"],
  [line(10, { streamed: "yes" }), "streamed is not true or false"],
  [line(10, { model: ["m"] }), "model is not text"],
  [line(10, { properties: ["Team"] }), "properties is not a JSON object"],
  [line(10, { properties: { "": "search" } }), "properties has an empty name"],
  [line(10, { properties: { Team: { a: 1 } } }), "properties.Team is not text"],
  [line(10, { scores: { quality: "high" } }), "scores.quality is not a number"],
  [line(10, { assets: "a" }), "assets is not a list of ids"],
  [line(10).replace("200", "1e999"), "response_status is not a whole number"],
])("%p is rejected, and its neighbours are taken", async (broken, why) => {
  const { status, data } = await put(`${line(1)}\n${broken}\n${line(3)}`);
  expect(status).toBe(200);
  expect(data).toMatchObject({ imported: 0, existing: 2, rejected: [{ line: 2, why }] });
  expect(await shown(10)).toBeUndefined();
});

test("null bytes, lone surrogates and names of the prototype are kept as they can be", async () => {
  const text =
    `{"request_id":"${idOf(20).toUpperCase()}","request_created_at":"2026-01-02 03:04:05+01:00","response_status":418,
    "properties":{"__proto__":"own","constructor":"c","nul":"a\\u0000b","lone":"\\ud800"},"prompt_inputs":{"toString":"t"},
    "request_body":"nul \\u0000 \\ud800","response_body":{"__proto__":{"x":1},"n":1e400}}`.replace(/\n\s*/g, "");
  expect((await put(text)).data).toEqual({ imported: 1, existing: 0, rejected: [] });
  const found = await shown(20);
  expect(found.request_created_at).toBe("2026-01-02T02:04:05.000Z");
  expect(Object.entries(found.properties)).toEqual([
    ["__proto__", "own"],
    ["constructor", "c"],
    ["nul", "a\ufffdb"],
    ["lone", "\ufffd"],
  ]);
  expect(found.prompt_inputs.toString).toBe("t");
  expect(found.request_body).toBe("nul \u0000 \ud800");
  const { stdout } = await run(
    weir.api,
    ["--include-body", "--output", "-", "--start-date", "2026-01-01"],
    {},
    { WEIR_API_KEY: KEY },
  );
  expect(stdout.toString()).toContain('"response_body":{"__proto__":{"x":1},"n":1e400}');
});

test("an imported property is found by a filter, an imported rating has an id", async () => {
  await put(line(21, { properties: { Team: "night" }, feedback_rating: true, cost: 0.25 }));
  const filter = { request_response_rmt: { properties: { Team: { equals: "night" } } } };
  const { data } = await post("/v1/request/query-fast", JSON.stringify({ filter }));
  expect(data).toMatchObject([
    { request_id: idOf(21), feedback_rating: true, feedback_id: expect.stringMatching(/^\d+$/) },
  ]);
});

test.each([
  ["a key without admin", () => put(line(30), readKey), 403],
  ["no UTF-8", () => put(new Uint8Array([0x7b, 0xff])), 400],
  ["a broken array", () => put("[{},"), 400],
  ["too many records", () => put("{}\n".repeat(1_001)), 400],
  ["too many bytes", () => put(" ".repeat(64 * 1024 * 1024 + 2_048)), 413],
  ["nothing", () => put(""), 200],
  ["a JSON array", () => put(`[${line(1)}, ${line(3)}]`), 200],
])("%s gets its status", async (_, call, status) => {
  expect(await call()).toMatchObject({ status });
});

test("depth costs its line only", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const { data } = await put(`${line(31, { request_body: 0 }).replace(":0}", `:${deep}}`)}\n${line(32)}`);
  expect(data.imported + data.rejected.length).toBe(2);
  expect(await shown(32)).toBeDefined();
});

test("the command reports broken lines by their numbers, continues, and ends with 1", async () => {
  const text = `${line(40, { strange: 1 })}\n{broken\n\n[1]\n${line(41, { cost: "much", strange: 2 })}\n${line(42)}`;
  const { status, stderr } = await importInto(weir.api, ["-"], text);
  expect(status).toBe(1);
  expect(stderr.split("\n").slice(0, -1)).toEqual([
    "weir import: stdin:2: not JSON",
    "weir import: stdin:4: not a JSON object",
    `weir import: stdin:5: cost is not a number from 0 to 1000000 (${idOf(41)})`,
    expect.stringMatching(/^weir import: 2 records imported, 0 existed already, 3 not taken, in 0:0\d$/),
    "weir import: left out: strange (2)",
  ]);
});

test.each([
  [[], /name the files/],
  [["-", "-"], /only once/],
  [["x", "--format", "csv"], /there is no option --format/],
  [["x", "--brand", "a b"], /--brand takes a name/],
  [["-", "--resume"], /stdin cannot be resumed/],
  [["x", "--region", "mars"], /--region takes/],
])("%p is bad usage", async (argv, message) => {
  expect(await importInto(weir.api, argv)).toEqual({ status: 2, stderr: expect.stringMatching(message) });
});

test("a file of broken lines has a line for each of the first thousand, and one with the number of the others", async () => {
  const { status, stderr } = await importInto(weir.api, ["-"], "not JSON\n".repeat(1_002));
  const lines = stderr.split("\n").slice(0, -1);
  expect([status, lines.length]).toEqual([1, 1_002]);
  expect(lines[999]).toBe("weir import: stdin:1000: not JSON");
  expect(lines[1000]).toBe("weir import: stdin: 2 more cannot be imported");
});

test("a file that is not there ends with 1, after the others were read", async () => {
  const { status, stderr } = await importInto(weir.api, ["/nowhere/x.jsonl", "-", "--quiet"], line(43));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^weir import: \/nowhere\/x\.jsonl: there is no such file or folder\n$/),
  });
  expect(await shown(43)).toBeDefined();
});

test("on a terminal a broken line is reported under the command's name, with the bar out of its way", async () => {
  const written: string[] = [];
  const stderr = { isTTY: true, columns: 100, write: (text: string) => written.push(text) };
  await importInto(weir.api, ["-"], "not JSON\n", { stderr });
  const [before, message] = written.join("").split("weir import: stdin:1: ");
  expect(before?.endsWith("\r\x1b[2K")).toBe(true);
  expect(message?.startsWith("not JSON\n")).toBe(true);
});
