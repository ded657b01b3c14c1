/**
 * Runs tests on all cores: `bun test/run.ts all|long|fast|changed|browser [part of a path…] [--flag of bun test…]`.
 *
 * Ends with Bun's summary, and before it repeats what failed. With `--check`, types and lint are checked beside the
 * tests; what is wrong with them is said last.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { allTests, browserTests, fastTests, processStarter, sharingTests } from "./sets.ts";
import { KEPT_TIMINGS, lastTimings, type TimedRun } from "./timings.ts";

interface TestSet {
  /** Percentage of each property's runs, where `WEIR_TEST_RUNS` says nothing. */
  readonly runs: number;
  readonly files: () => string[];
  /** Words for `bun test` beside the files. */
  readonly words?: () => string[];
  /** Whether tests that can share a process do. */
  readonly shares?: true;
}

/** Of a run that failed and does not say why at its end. */
const LAST_CHARS = 10_000;
/** A limit for what hangs, and no claim: machines that run tests have other work. */
const TIMEOUT_MS = 300_000;
const ROOT = join(import.meta.dir, "..");
const HERE = [process.env["NO_PROXY"] ?? process.env["no_proxy"] ?? [], "127.0.0.1", "localhost", "::1"].flat().join();

const SETS: Readonly<Record<string, TestSet>> = {
  // Each commit's run makes other cases than the one before.
  all: { runs: 50, files: allTests, shares: true },
  // For a night, or before a release.
  long: { runs: 100, files: allTests, shares: true },
  // Tests that start no process and are soon over.
  fast: { runs: 10, files: fastTests, shares: true },
  // Tests whose imports have changed since this branch left main. The program that a test starts is not among its imports.
  changed: { runs: 10, files: allTests, words: () => [`--changed=${branchedFrom("main")}`] },
  browser: { runs: 100, files: browserTests },
};

const [name = "", ...given] = process.argv.slice(2);
// `--` arrives when the runner is started without npm.
const rest = given.filter((word) => word !== "--check" && word !== "--");
const set = Object.hasOwn(SETS, name) ? SETS[name] : undefined;
if (set === undefined) {
  console.error(`usage: bun test/run.ts ${Object.keys(SETS).join("|")} [part of a path…] [--flag of bun test…]`);
  process.exit(2);
}
const flags = rest.filter((word) => word.startsWith("-"));
const parts = rest.filter((word) => !word.startsWith("-"));
const files = set.files().filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
if (files.length === 0) {
  console.error(`no test file has ${parts.join(" or ")} in its path`);
  process.exit(2);
}

const env: Record<string, string | undefined> = {
  ...(set.runs === 100 ? {} : { WEIR_TEST_RUNS: String(set.runs) }),
  // The services that tests start live for seconds: see `OF_RUN` in test/e2e/weir.ts.
  WEIR_TEST_CALM: "1",
  ...process.env,
  // All that tests call is on this machine, and a proxy is not.
  NO_PROXY: HERE,
  no_proxy: HERE,
};
// A commit's run can be repeated, its random cases included; the next commit brings others.
if (env["CI"] === "true" && env["WEIR_TEST_SEED"] === undefined) env["WEIR_TEST_SEED"] = String(seedOfCommit());
// Starts first, because the build of the program leaves a core idle.
const checked = given.includes("--check") ? startCheck() : undefined;
if (env["WEIR_TEST_BINARY"] === undefined && startsMany(files)) env["WEIR_TEST_BINARY"] = await buildBinary();

const isBrowser = name === "browser";
// A worker's browser is killed with it, and leaves its profile.
if (isBrowser) {
  const folder = mkdtempSync(join(tmpdir(), "weir-browsers-"));
  env["TMPDIR"] = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
const words = [
  "test",
  "--no-orphans",
  `--timeout=${TIMEOUT_MS}`,
  "--update-timings",
  ...(set.words?.() ?? []),
  ...flags,
];
// A part is run to look at it closely: each of its files in a process of its own.
const mayShare = new Set(set.shares === true && rest.length === 0 ? sharingTests() : []);
const shared = new Set(files.filter((file) => mayShare.has(file)));
const apart = files.filter((file) => !shared.has(file));
const cores = availableParallelism();
// Tests wait for programs, limits of time and retries half of their time, those in a browser for its pages: further workers
// use the cores meanwhile, and so do the tests that share a process, which hardly wait.
const runs: Promise<Result>[] = [];
if (apart.length > 0) runs.push(runFiles(apart, { kind: isBrowser ? "browser" : "apart", workers: cores + 2 }));
if (shared.size > 0) runs.push(runFiles([...shared], { kind: "shared", workers: cores, after: runs[0] }));
const results = await Promise.all(runs);
const check = await checked;
if (results.length > 1) sayTogether(results);
if (check !== undefined && check.status !== 0) console.error(`${check.output}\nThe check of types and style failed.`);
// Not `exit()`: what a pipe has not taken yet is still to be written.
process.exitCode = results.find(({ status }) => status !== 0)?.status ?? check?.status ?? 0;

interface Result {
  readonly status: number;
  readonly output: string;
}

interface Running {
  readonly kind: TimedRun;
  readonly workers: number;
  /** What this one writes is shown when that one has ended. */
  readonly after?: Promise<unknown> | undefined;
}

/** Runs Bun's test runner over `testFiles`, and shows what it writes. */
async function runFiles(testFiles: readonly string[], { kind, workers, after }: Running): Promise<Result> {
  const how = [
    `--parallel=${workers}`,
    // Files of a whole run in a browser share their worker's modules, and with them its browser.
    ...(kind === "shared" || (kind === "browser" && rest.length === 0) ? ["--no-isolate"] : []),
    // Started longest first, as far as earlier runs here have shown, or one whose timings are kept.
    ...[lastTimings(kind), KEPT_TIMINGS].map((path) => `--timings=${path}`),
  ];
  const child = spawn(process.execPath, [...words, ...how, ...testFiles.map((file) => `./${file}`)], {
    cwd: ROOT,
    stdio: ["inherit", "inherit", "pipe"],
    env: { ...(process.stderr.isTTY ? { FORCE_COLOR: "1" } : {}), ...env },
  });
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      isStopped = true;
      child.kill(signal);
    });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    if (after === undefined) process.stderr.write(chunk);
  });
  const [status] = (await once(child, "close")) as [number | null];
  if (isStopped) process.exit(status || 1);
  await after;
  if (after !== undefined) process.stderr.write(output);
  return { status: status ?? 1, output: Bun.stripANSI(output) };
}

/** Bun's summaries as one; before it what failed is repeated if the run that failed was not the last one. */
function sayTogether(results: readonly Result[]): void {
  for (const { status, output } of results.slice(0, -1))
    if (status !== 0) console.error(output.match(/^\d+ tests? failed:$[\s\S]*/m)?.[0] ?? output.slice(-LAST_CHARS));
  const countOf = (output: string, word: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const sumOf = (word: string) => results.reduce((sum, { output }) => sum + countOf(output, word), 0);
  for (const word of ["pass", "skip", "todo", "fail"])
    if (word === "pass" || word === "fail" || sumOf(word) > 0) console.error(` ${sumOf(word)} ${word}`);
}

/** Types and style. TypeScript's own collector takes half of the CPU time where it runs as often as by default. */
function startCheck(): Promise<{ readonly status: number; readonly output: string }> {
  const check = spawn(process.execPath, ["run", "--silent", "check"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { GOGC: "300", ...process.env },
  });
  let output = "";
  for (const stream of [check.stdout, check.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve) => {
    check.on("error", (error) => resolve({ status: 1, output: error.message }));
    check.on("close", (status) => resolve({ status: status ?? 1, output }));
  });
}

/** From the first digits of the commit's id. */
function seedOfCommit(): number {
  const { stdout } = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return Number.parseInt(stdout.trim().slice(0, 7) || "0", 16);
}

/** Whether so many tests start the program that its build costs less than their starts from source. */
function startsMany(files: readonly string[]): boolean {
  return files.filter((file) => processStarter(file) !== undefined).length >= 10;
}

/** Builds the program: it starts with a quarter of the CPU time that its source takes. */
async function buildBinary(): Promise<string> {
  const path = join(ROOT, "dist/test/weir");
  const build = spawn(process.execPath, ["build/binary.ts", "--outfile", path], { cwd: ROOT, stdio: "inherit" });
  const [status] = await once(build, "close");
  if (status !== 0) process.exit(1);
  return path;
}

/** The commit where HEAD left `branch`; HEAD itself where there is no such branch. */
function branchedFrom(branch: string): string {
  const { status, stdout } = spawnSync("git", ["merge-base", branch, "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : "HEAD";
}
