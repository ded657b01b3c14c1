import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, copyFile, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { chance } from "../chance.ts";
import { type ApiServer, type Fault, KEY, startApi } from "./api-server.ts";
import { type ApiRecord, makeRecord } from "./records.ts";
import { makeFolder, QUICK, rowsNoted, run } from "./run-in-test.ts";

const RECORDS = Array.from({ length: 3000 }, (_, index) => makeRecord(index));
const RANDOM = chance("moments of kills");
const ALL = ["--start-date", "2026-01-01", "--end-date", "2026-03-31"];
const QUERY = "/v1/request/query-fast";
const FORMATS = ["jsonl", "json", "csv", "parquet"];

/** Records of the day after the period: they must not come into the file, and must not move a page. */
function later(index: number): ApiRecord {
  return { ...makeRecord(100_000 + index), request_created_at: "2026-04-01T00:00:00.000Z" };
}

/** Aborts the export as a signal would, when the question with this number comes in. */
function stopAt(question: number) {
  const controller = new AbortController();
  const fault = (number: number): Fault | undefined => {
    if (number === question) controller.abort("SIGTERM");
    return undefined;
  };
  return { interrupted: controller.signal, fault };
}

/** The files of a folder beside `output`, without `output`. */
async function beside(output: string): Promise<string[]> {
  return (await readdir(dirname(output))).filter((name) => name !== basename(output)).sort();
}

/**
 * Starts the export again and again and kills it each time, `kills` times; then lets it end.
 * @returns how many kills found an export that had noted rows and was not done.
 */
async function killedOften(api: ApiServer, argv: readonly string[], output: string, kills: number): Promise<number> {
  let killed = 0;
  let inTheMiddle = 0;
  for (let start = 0; start < 50; start++) {
    const child = Bun.spawn(
      [process.execPath, `${import.meta.dir}/child.ts`, ...argv, "--output", output, "--resume"],
      {
        env: { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: api.url },
        stderr: "ignore",
      },
    );
    if (killed < kills) {
      // Not before it has noted more than it found: then every kill strikes in the middle.
      const before = await rowsNoted(output);
      while (child.exitCode === null && (await rowsNoted(output)) <= before) await Bun.sleep(1);
      await Bun.sleep(RANDOM.number() * 30);
      child.kill("SIGKILL");
    }
    const status = await child.exited;
    api.insert([later(start)]);
    if (status === 0) return inTheMiddle;
    killed++;
    if ((await rowsNoted(output)) > 0) inTheMiddle++;
  }
  throw new Error("fifty starts were not enough");
}

test.each(FORMATS)("a %s export killed at random moments is byte for byte the unbroken one", async (format) => {
  await using folder = await makeFolder();
  const output = folder.file(`out.${format}`);
  await using api = await startApi({ records: RECORDS, fault: () => ({ kind: "slow" }) });
  const argv = [...ALL, "--format", format, "--include-body"];
  expect(await killedOften(api, argv, output, 4)).toBeGreaterThan(1);

  const whole = await run(api.url, [...argv, "--output", "-"]);
  expect((await readFile(output)).equals(whole.stdout)).toBe(true);
  expect(await beside(output)).toEqual([]);
});

test("a stopped export ends with 128 and the signal's number, and keeps its checkpoint", async () => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  const { interrupted, fault } = stopAt(4);
  await using api = await startApi({ records: RECORDS, fault });
  const { status, stderr } = await run(api.url, [...ALL, "--output", output], { interrupted });
  expect(status).toBe(143);
  expect(stderr).toMatch(/stopped by SIGTERM; continue with --resume/);
  const checkpoint = JSON.parse(await readFile(`${output}.checkpoint`, "utf8")) as { rows: number; length: number };
  expect(checkpoint.rows).toBeGreaterThan(0);
  const kept = (await readFile(output)).subarray(0, checkpoint.length).toString();
  expect(kept.split("\n").length - 1).toBe(checkpoint.rows);
  expect(await readFile(`${output}.checkpoint`, "utf8")).not.toContain(KEY);
});

test.each(FORMATS)("what was written behind the checkpoint of a %s export is cut off", async (format) => {
  await using folder = await makeFolder();
  const output = folder.file(`out.${format}`);
  const argv = [...ALL, "--format", format, "--limit", "2500"];
  await using api = await startApi({ records: RECORDS });
  const { interrupted, fault } = stopAt(4);
  await using first = await startApi({ records: RECORDS, fault });
  const at = ["--output", output, "--api-url", first.url];
  expect(await run(first.url, [...argv, ...at], { interrupted })).toMatchObject({ status: 143 });

  // More than what is still to come, which would otherwise write over it.
  const torn = "torn,{\u0000 half a record".repeat(100_000);
  await appendFile(format === "parquet" ? `${output}.rows` : output, torn);
  expect(await run(first.url, [...argv, ...at, "--resume"])).toMatchObject({ status: 0 });
  const whole = await run(api.url, [...argv, "--output", "-"]);
  expect((await readFile(output)).equals(whole.stdout)).toBe(true);
});

test("an export killed before its first page has a checkpoint, and no file that looks finished", async () => {
  await using folder = await makeFolder();
  const output = folder.file("out.csv");
  const argv = [...ALL, "--format", "csv", "--output", output];
  const seen: boolean[] = [];
  await using api = await startApi({
    records: RECORDS,
    fault: () => {
      const there = existsSync(output);
      seen.push(!there || existsSync(`${output}.checkpoint`));
      return undefined;
    },
  });
  await writeFile(output, "an older export");
  expect(await run(api.url, [...argv, "--force"])).toMatchObject({ status: 0 });
  expect(seen.slice(3).every(Boolean)).toBe(true);

  const whole = await readFile(output);
  await using first = await startApi({
    records: RECORDS,
    fault: (number) => (number > 2 ? { kind: "hang" } : undefined),
  });
  const controller = new AbortController();
  const at = ["--api-url", first.url, "--force"];
  const begun = run(first.url, [...argv, ...at], { interrupted: controller.signal });
  while (first.calls.length < 4) await Bun.sleep(1);
  controller.abort("SIGHUP");
  expect(await begun).toMatchObject({ status: 129 });
  const checkpoint = await readFile(`${output}.checkpoint`, "utf8");
  await rm(output); // as if the kill had come between the checkpoint and the file
  await writeFile(`${output}.checkpoint`, checkpoint.replaceAll(first.url, api.url));
  expect(await run(api.url, [...argv, "--api-url", api.url, "--resume"])).toMatchObject({ status: 0 });
  expect((await readFile(output)).equals(whole)).toBe(true);
});

test("an export gives way to another one of the same file", async () => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  let isHeld = true;
  const fault = (number: number): Fault | undefined =>
    isHeld && number > 3 ? { kind: "status", status: 503 } : undefined;
  await using api = await startApi({ records: RECORDS, fault });
  const pace = { ...QUICK, attemptsMax: 100_000 };
  const first = run(api.url, [...ALL, "--output", output], { pace });
  const checkpoint = async () => JSON.parse(await readFile(`${output}.checkpoint`, "utf8").catch(() => "{}"));
  while ((await checkpoint()).rows !== 1400) await Bun.sleep(2);
  const others = { ...(await checkpoint()), run: "another" };
  await writeFile(`${output}.checkpoint`, JSON.stringify(others));
  isHeld = false;
  expect(await first).toEqual({
    status: 2,
    stdout: Buffer.of(),
    stderr: expect.stringMatching(/another export has taken .*out\.jsonl over/),
  });
  expect(await checkpoint()).toEqual(others);
  expect(await run(api.url, [...ALL, "--output", output, "--resume"])).toMatchObject({ status: 0 });
  expect((await readFile(output, "utf8")).split("\n").length - 1).toBe(RECORDS.length);
});

test("a resumed export does not read again what it has", async () => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  const { interrupted, fault } = stopAt(4);
  await using api = await startApi({ records: RECORDS, fault });
  await run(api.url, [...ALL, "--output", output], { interrupted });
  const before = api.calls.length;
  await run(api.url, [...ALL, "--output", output, "--resume"]);
  const [next] = api.calls.slice(before);
  expect(next).toMatchObject({ path: QUERY });
  expect(next?.body.cursor).toBeString();
});

test("an absent end date is the moment at which the export began, also when it is resumed", async () => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  const now = Date.now();
  const recent = RECORDS.map((record, index) => ({
    ...record,
    request_created_at: new Date(now - 60_000_000 + index * 1000).toISOString(),
  }));
  const { interrupted, fault } = stopAt(3);
  await using api = await startApi({ records: recent, fault });
  await run(api.url, ["--output", output], { interrupted });
  const filter = JSON.stringify(api.calls.at(-1)?.body.filter);
  api.insert([{ ...makeRecord(1), request_id: "late", request_created_at: new Date(Date.now() + 1).toISOString() }]);
  expect(await run(api.url, ["--output", output, "--resume"])).toMatchObject({ status: 0 });
  expect(JSON.stringify(api.calls.at(-1)?.body.filter)).toBe(filter);
  expect((await readFile(output, "utf8")).split("\n").length - 1).toBe(recent.length);
});

describe("a checkpoint is bound to the options", () => {
  const TWICE = Array.from({ length: 2 * RECORDS.length }, (_, index) => makeRecord(index));
  const base = [
    ...ALL,
    "--property",
    "Team=day",
    "--filter",
    '{"request_response_rmt":{"model":{"equals":"claude-opus-5"}}}',
  ];
  test.each<[string, string[]]>([
    ["start-date", ["--start-date", "2026-01-02"]],
    ["end-date", ["--end-date", "2026-03-30"]],
    ["limit", ["--limit", "5"]],
    ["order", ["--order", "desc"]],
    ["property", ["--property", "More=1"]],
    ["filter", ["--filter", '{"request_response_rmt":{"model":{"equals":"gpt-4"}}}']],
    ["include-body", ["--include-body"]],
    ["format", ["--format", "json"]],
    ["region", ["--region", "eu"]],
    ["api-url", ["--api-url", "http://127.0.0.1:2"]],
  ])("another --%s is refused and nothing is touched", async (name, change) => {
    await using folder = await makeFolder();
    const output = folder.file("out.jsonl");
    const { interrupted, fault } = stopAt(2);
    await using api = await startApi({ records: TWICE, fault });
    const argv = [...base, "--output", output, "--api-url", api.url];
    expect(await run(api.url, argv, { interrupted })).toMatchObject({ status: 143 });
    const before = await readFile(output);
    const { status, stderr } = await run(api.url, [...argv, ...change, "--resume"]);
    expect(status).toBe(2);
    expect(stderr).toContain(`the stopped export had another --${name};`);
    expect((await readFile(output)).equals(before)).toBe(true);
    expect(await run(api.url, [...argv, "--resume"])).toMatchObject({ status: 0 });
  });
});

describe("what is there already", () => {
  test.each(["", ".checkpoint", ".rows"])("is not overwritten: FILE%s", async (suffix) => {
    await using folder = await makeFolder();
    await using api = await startApi({ records: RECORDS });
    const output = folder.file("out.parquet");
    await writeFile(`${output}${suffix}`, "precious");
    const argv = [...ALL, "--format", "parquet", "--output", output];
    const { status, stderr } = await run(api.url, argv);
    expect(status).toBe(2);
    expect(stderr).toMatch(/exists; continue with --resume, or replace it with --force/);
    expect(await readFile(`${output}${suffix}`, "utf8")).toBe("precious");
    expect(api.calls.length).toBe(0);

    expect(await run(api.url, [...argv, "--force"])).toMatchObject({ status: 0 });
    expect((await readFile(output)).subarray(0, 4).toString()).toBe("PAR1");
    expect(await beside(output)).toEqual([]);
  });

  test("stays when a forced export gets no first response", async () => {
    await using folder = await makeFolder();
    const output = folder.file("out.jsonl");
    await writeFile(output, "precious");
    await using api = await startApi({ records: RECORDS });
    const argv = [...ALL, "--output", output, "--force"];
    expect(await run(api.url, argv, {}, { WEIR_API_KEY: "sk-wrong" })).toMatchObject({ status: 1 });
    expect(await readFile(output, "utf8")).toBe("precious");
  });

  test("is complete when it has no checkpoint, and --resume leaves it as it is", async () => {
    await using folder = await makeFolder();
    const output = folder.file("out.csv");
    await using api = await startApi({ records: RECORDS });
    const argv = [...ALL, "--format", "csv", "--output", output, "--resume"];
    expect(await run(api.url, argv)).toMatchObject({ status: 0 });
    const before = await readFile(output);
    const { status, stderr } = await run(api.url, argv);
    expect(status).toBe(0);
    expect(stderr).toMatch(/complete: nothing to resume/);
    expect((await readFile(output)).equals(before)).toBe(true);
  });

  test.each<[string, string, RegExp]>([
    ["a folder that does not exist", "no/such/out.jsonl", /there is no folder/],
    ["a folder itself", ".", /is a folder/],
  ])("is not looked for in %s", async (_name, path, message) => {
    await using folder = await makeFolder();
    await using api = await startApi({ records: RECORDS });
    const { status, stderr } = await run(api.url, [...ALL, "--output", folder.file(path), "--force"]);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
    expect(api.calls.length).toBe(0);
  });

  test("is not looked for in a pipe, which nothing can be cut off", async () => {
    await using folder = await makeFolder();
    await using api = await startApi({ records: RECORDS });
    const output = folder.file("pipe");
    Bun.spawnSync(["mkfifo", output]);
    const { status, stderr } = await run(api.url, [...ALL, "--output", output, "--force"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/is not a file; use --output -/)]);
    expect(await beside(output)).toEqual([]);
  });

  test.each<[string, (output: string) => Promise<void>, RegExp]>([
    ["a checkpoint that is no checkpoint", (output) => writeFile(`${output}.checkpoint`, "{}"), /not a checkpoint/],
    ["a checkpoint that is torn", (output) => truncate(`${output}.checkpoint`, 50), /not a checkpoint/],
    ["an output that is gone", (output) => rm(output), /cannot be written/],
    ["an output that is too short", (output) => truncate(output, 10), /shorter than in its checkpoint/],
    ["a folder that is gone", (output) => rm(dirname(output), { recursive: true }), /cannot be written/],
  ])("is not resumed from %s", async (_name, harm, message) => {
    await using folder = await makeFolder();
    const output = folder.file("out.jsonl");
    const { interrupted, fault } = stopAt(4);
    await using api = await startApi({ records: RECORDS, fault });
    await run(api.url, [...ALL, "--output", output], { interrupted });
    await harm(output);
    const { status, stderr } = await run(api.url, [...ALL, "--output", output, "--resume"]);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});

test.each(["downloaded", "finished"])("a parquet export killed when its records were %s is finished", async (phase) => {
  await using folder = await makeFolder();
  const output = folder.file("out.parquet");
  const kept = folder.file("kept");
  await using api = await startApi({ records: RECORDS });
  const argv = [...ALL, "--format", "parquet", "--output", output];
  const { interrupted, fault: stop } = stopAt(6);
  await using first = await startApi({ records: RECORDS, fault: stop });
  const at = ["--api-url", first.url];
  await run(first.url, [...argv, ...at], { interrupted });
  await copyFile(`${output}.checkpoint`, kept);
  expect(await run(first.url, [...argv, ...at, "--resume"])).toMatchObject({ status: 0 });
  const whole = await readFile(output);

  const checkpoint = JSON.parse(await readFile(kept, "utf8")) as Record<string, unknown>;
  const rows = await run(api.url, [...ALL, "--output", "-"]);
  const length = rows.stdout.length;
  await writeFile(
    `${output}.checkpoint`,
    JSON.stringify({ ...checkpoint, phase, cursor: null, rows: RECORDS.length, length }),
  );
  if (phase === "downloaded") {
    await writeFile(`${output}.rows`, rows.stdout);
    await truncate(output, 1000);
  }
  expect(await run(first.url, [...argv, ...at, "--resume"])).toMatchObject({ status: 0 });
  expect((await readFile(output)).equals(whole)).toBe(true);
  expect(await beside(output)).toEqual(["kept"]);
});

test("--limit keeps the first records of the order", async () => {
  await using api = await startApi({ records: RECORDS });
  for (const [order, ordered] of [
    ["asc", api.records],
    ["desc", api.records.toReversed()],
  ] as const) {
    for (const limit of [0, 1, 700]) {
      const { stdout } = await run(api.url, [...ALL, "--order", order, "--limit", String(limit), "--output", "-"]);
      const ids = stdout
        .toString()
        .split("\n")
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as ApiRecord).request_id);
      expect(ids).toEqual(ordered.slice(0, limit).map(({ request_id }) => request_id));
    }
  }
});
