import { describe, expect, test } from "bun:test";
import { Writable } from "node:stream";
import { delayMs, PACE } from "../../src/api-client/retry.ts";
import { type Fault, KEY, startApi } from "./api-server.ts";
import { lasting, makeRecord } from "./records.ts";
import { makeFolder, QUICK, run } from "./run-in-test.ts";

const RECORDS = Array.from({ length: 3000 }, (_, index) => makeRecord(index));
const ALL = ["--start-date", "2026-01-01", "--end-date", "2026-12-31"];
const QUERY = "/v1/request/query-fast";

/** The questions from number `from` on fail so, `times` of them. */
function failing(fault: Fault, from = 2, times = 2) {
  return (number: number) => (number >= from && number < from + times ? fault : undefined);
}

function ids(stdout: Buffer): string[] {
  const lines = stdout.toString().split("\n").slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id);
}

const PASSING: [string, Fault][] = [
  ["408", { kind: "status", status: 408 }],
  ["429", { kind: "status", status: 429, headers: { "retry-after": "0" }, body: '{"message":"slow down"}' }],
  ["500", { kind: "status", status: 500, body: "<html>oops" }],
  ["502 from a proxy", { kind: "status", status: 502, body: "<html>bad gateway</html>" }],
  ["503", { kind: "status", status: 503 }],
  ["504", { kind: "status", status: 504, body: '{"data":[],"error":504}' }],
  ["a page of HTML with status 200", { kind: "text", text: "<html>welcome to the hotel" }],
  ["an empty answer", { kind: "text", text: "" }],
  ["JSON that is no envelope", { kind: "text", text: "[]" }],
  ["an envelope without records", { kind: "text", text: '{"data":"none","error":null}' }],
  ["an envelope with something else for records", { kind: "text", text: '{"data":[1,2],"error":null}' }],
  ["an error behind status 200", { kind: "text", text: '{"data":[],"error":500}' }],
  ["a cursor that is none", { kind: "text", text: '{"data":[],"error":null,"next_cursor":7}' }],
  ["no records but a cursor", { kind: "text", text: '{"data":[],"error":null,"next_cursor":"x"}' }],
  ["an answer that breaks off", { kind: "cut" }],
  ["a connection that is reset", { kind: "reset" }],
  ["an answer that comes in drops", { kind: "slow" }],
  ["a page with a hole in its middle", { kind: "hole" }],
  ["a page with fewer records than it had", { kind: "fewer" }],
  ["an end that is none", { kind: "end" }],
];

test.each(PASSING)("an export gets over %s", async (_name, fault) => {
  await using api = await startApi({ records: RECORDS, fault: failing(fault) });
  const { status, stdout, stderr } = await run(api.url, [...ALL, "--output", "-"]);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(ids(stdout)).toEqual(api.records.map(({ request_id }) => request_id));
});

test("a silent service counts as broken after a while", async () => {
  // Few, and so soon there: the limit is for the one response that does not come.
  const records = RECORDS.slice(0, 5);
  await using api = await startApi({ records, fault: failing({ kind: "hang" }, 1, 1) });
  const pace = { ...QUICK, idleMsMax: 500 };
  const { status, stdout } = await run(api.url, [...ALL, "--output", "-"], { pace });
  expect(status).toBe(0);
  expect(ids(stdout).length).toBe(records.length);
});

test("a service where every third response fails gives the same files as one that works", async () => {
  await using folder = await makeFolder();
  await using sound = await startApi({ records: RECORDS });
  const faults = PASSING.map(([, fault]) => fault).filter(({ kind }) => kind !== "fewer" && kind !== "end");
  const fault = (number: number) => (number % 3 === 1 ? faults[Math.floor(number / 3) % faults.length] : undefined);
  await using broken = await startApi({ records: RECORDS, fault });
  for (const format of ["jsonl", "json", "csv", "parquet"]) {
    const argv = [...ALL, "--include-body", "--format", format];
    const there = folder.file(`out.${format}`);
    expect(await run(broken.url, [...argv, "--output", there])).toMatchObject({ status: 0 });
    const { stdout } = await run(sound.url, [...argv, "--output", "-"]);
    expect(Buffer.from(await Bun.file(there).bytes()).equals(stdout)).toBe(true);
  }
});

test.each<[string, Fault, number, number, RegExp]>([
  [
    "a refused filter",
    { kind: "status", status: 400, body: '{"message":"no field","path":"filter.right.right.x"}' },
    0,
    2,
    /400: no field at filter.x\n$/,
  ],
  [
    "a refused cursor",
    { kind: "status", status: 400, body: '{"message":"not of this query","path":"cursor"}' },
    2,
    1,
    /400: not of this query at cursor/,
  ],
  ["a missing scope", { kind: "status", status: 403, body: "{}" }, 0, 1, /403; the key needs the scope/],
  ["another service", { kind: "status", status: 404, body: "<html>" }, 0, 1, /404; is this the address of a Weir API/],
  ["a redirect", { kind: "status", status: 302, headers: { location: "http://127.0.0.1:1/" } }, 0, 1, /302/],
  [
    "a wait that is too long",
    { kind: "status", status: 429, headers: { "retry-after": "86400" } },
    1,
    1,
    /a wait of 86400 s/,
  ],
])("%s ends the export at once", async (_name, fault, from, expected, message) => {
  await using api = await startApi({ records: RECORDS, fault: failing(fault, from, 1000) });
  const { status, stderr } = await run(api.url, [...ALL, "--output", "-"]);
  expect(status).toBe(expected);
  expect(stderr).toMatch(message);
  expect(api.calls.length).toBe(from + 1);
  expect(stderr).not.toContain(KEY);
});

test("a wrong key ends the export at once, leaves no file, and is not shown", async () => {
  await using folder = await makeFolder();
  await using api = await startApi({ records: RECORDS });
  const output = folder.file("out.jsonl");
  const { status, stderr } = await run(api.url, [...ALL, "--output", output], {}, { WEIR_API_KEY: "sk-weir-us-wrong" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/401: no such key; is WEIR_API_KEY/);
  expect(stderr).not.toContain("sk-weir-us-wrong");
  expect(await Bun.file(output).exists()).toBe(false);
});

test("a service that stays away ends the export with status 1 after the last attempt, and it can be resumed", async () => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  let away = true;
  await using api = await startApi({
    records: RECORDS,
    fault: (number) => (away && number > 1 ? { kind: "status", status: 503 } : undefined),
  });
  const first = await run(api.url, [...ALL, "--output", output], { pace: { ...QUICK, attemptsMax: 3 } });
  expect(first.status).toBe(1);
  expect(first.stderr).toMatch(/status 503, after 3 attempts; continue with --resume/);
  expect(api.calls.length).toBe(5);
  away = false;
  expect(await run(api.url, [...ALL, "--output", output, "--resume"])).toMatchObject({ status: 0 });
  expect(ids(Buffer.from(await Bun.file(output).bytes())).length).toBe(RECORDS.length);
});

test("an address without a listener is a failure that names the reason", async () => {
  const { status, stderr } = await run("http://127.0.0.1:1", ["--output", "-"], { pace: { ...QUICK, attemptsMax: 2 } });
  expect(status).toBe(1);
  expect(stderr).toMatch(/the connection to http:\/\/127\.0\.0\.1:\d+ failed \(.*refused.*\), after 2 attempts/i);
});

test("a count that never comes is done without", async () => {
  const fault = (_number: number, path: string): Fault | undefined =>
    path.includes("count") ? { kind: "status", status: 504 } : undefined;
  await using api = await startApi({ records: RECORDS, fault });
  const { status, stdout } = await run(api.url, [...ALL, "--output", "-"]);
  expect(status).toBe(0);
  expect(ids(stdout).length).toBe(RECORDS.length);
});

test("records that are deleted meanwhile are missing without a warning, lost ones with one", async () => {
  const fault = (_number: number, path: string): Fault | undefined => {
    if (path === QUERY) api.remove(({ request_id }) => !request_id.endsWith("7"));
    return undefined;
  };
  await using api = await startApi({ records: RECORDS, fault });
  const deleted = await run(api.url, [...ALL, "--output", "-"]);
  expect(deleted.status).toBe(0);
  expect(ids(deleted.stdout).length).toBe(api.records.length);
  expect(deleted.stderr).not.toContain("warning");

  const empty: Fault = { kind: "text", text: '{"data":[],"error":null,"next_cursor":null}' };
  await using lossy = await startApi({
    records: RECORDS,
    fault: (_number, path) => (path === QUERY ? empty : undefined),
  });
  const lost = await run(lossy.url, [...ALL, "--output", "-", "--quiet"]);
  expect(lost.stderr).toContain("warning: the service counts 3000 records and returned 0");
});

test("a page too large for its memory limit is requested with fewer records", async () => {
  const large = { ...makeRecord(0), request_body: "x".repeat(1_500_000) };
  const records = Array.from({ length: 24 }, (_, index) => ({ ...large, ...{ request_id: `id-${index + 10}` } }));
  await using api = await startApi({ records });
  const { status, stdout } = await run(api.url, [...ALL, "--include-body", "--output", "-"]);
  expect(status).toBe(0);
  expect(ids(stdout)).toEqual(records.map(({ request_id }) => request_id));
  const limits = api.calls.filter(({ path }) => path === QUERY).map(({ body }) => body.limit);
  expect(limits.slice(0, 3)).toEqual([200, 25, 3]);
  expect(Math.max(...limits.slice(3).map(Number))).toBeLessThan(3);
});

test("pages come with the key, the sort and no bodies, and grow to what fits", async () => {
  const records = RECORDS.map(({ request_id, request_created_at, properties }) => ({
    request_id,
    request_created_at,
    properties,
  }));
  await using api = await startApi({ records });
  await run(api.url, [...ALL, "--order", "desc", "--output", "-", "--limit", "2999"]);
  const questions = api.calls.filter(({ path }) => path === QUERY);
  for (const { body, authorization } of questions) {
    expect(body).toMatchObject({ sort: { created_at: "desc" }, includeBody: false });
    expect(authorization).toBe(`Bearer ${KEY}`);
  }
  expect(questions.map(({ body }) => body.limit)).toEqual([200, 400, 800, 1599]);
});

test("a page is on its way while the one before is written", async () => {
  const { promise: secondCall, resolve } = Promise.withResolvers<void>();
  await using api = await startApi({
    records: RECORDS,
    fault: (number) => {
      if (number === 2) resolve();
      return undefined;
    },
  });
  const stdout = new Writable({
    write(_chunk, _encoding, done) {
      void secondCall.then(() => done());
    },
  });
  expect(await run(api.url, [...ALL, "--output", "-"], { stdout })).toMatchObject({ status: 0 });
});

test("a stop does not wait for the reader of stdout", async () => {
  await using api = await startApi({ records: RECORDS });
  const stop = new AbortController();
  const stdout = new Writable({ highWaterMark: 1, write: () => stop.abort("SIGTERM") });
  expect(await run(api.url, [...ALL, "--output", "-"], { stdout, interrupted: stop.signal })).toMatchObject({
    status: 143,
    stderr: expect.stringMatching(/^weir export: stopped by SIGTERM\n$/),
  });
});

describe("waiting", () => {
  test("doubles up to its bound, half of it by chance, and is never shorter than Retry-After", () => {
    for (let attempt = 1; attempt < 12; attempt++) {
      const full = Math.min(15_000, 500 * 2 ** (attempt - 1));
      const waits = Array.from({ length: 50 }, () => delayMs(PACE, attempt, undefined));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(full / 2);
      expect(Math.max(...waits)).toBeLessThanOrEqual(full);
      expect(new Set(waits).size).toBeGreaterThan(10);
      expect(delayMs(PACE, attempt, 40_000)).toBe(40_000);
    }
  });

  test("Retry-After is waited out", async () => {
    const fault: Fault = { kind: "status", status: 429, headers: { "retry-after": "1" } };
    await using api = await startApi({ records: [makeRecord(0)], fault: failing(fault, 1, 1) });
    const begun = performance.now();
    expect(await run(api.url, [...ALL, "--output", "-"])).toMatchObject({ status: 0 });
    expect(performance.now() - begun).toBeGreaterThan(990);
  });
});

test("stdout has what the file has", async () => {
  await using folder = await makeFolder();
  await using api = await startApi({ records: RECORDS });
  const output = folder.file("out.jsonl");
  await run(api.url, [...ALL, "--output", output]);
  const { stdout } = await run(api.url, [...ALL, "--output", "-"]);
  expect(Buffer.from(await Bun.file(output).bytes()).equals(stdout)).toBe(true);
  expect(JSON.parse(stdout.toString().split("\n")[0] ?? "")).toEqual(lasting(api.records[0] ?? makeRecord(0), false));
});
