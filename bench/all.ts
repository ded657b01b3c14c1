/**
 * Every benchmark, one after the other; what each prints is kept in `bench/results/<name>.txt`, raw values included.
 *
 * Run: `npm run bench`, or `bun bench/all.ts compare query` for some. Takes about half an hour; the machine should have
 * nothing else to do. Needs nginx and wrk, and some 15 GB in the temporary directory while it runs.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = mkdtempSync(join(tmpdir(), "weir-bench-"));
const [large, million] = [join(directory, "2-million"), join(directory, "1-million")];
const results = join(import.meta.dirname, "results");

/** Name, and its files with their options, in order. */
const BENCHMARKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  compare: [["compare.ts"]],
  streams: [["streams.ts"]],
  stalled: [["stalled.ts"]],
  start: [["start.ts"]],
  kill9: [["kill9.ts"]],
  cache: [["cache.ts"]],
  policies: [["policies.ts"]],
  unified: [["unified.ts"]],
  mapping: [["mapping.ts"]],
  query: [
    ["seed.ts", "--records", "2000000", "--data-dir", large],
    ["query.ts", "--data-dir", large],
    ["query-interference.ts", "--data-dir", large],
  ],
  export: [
    ["seed.ts", "--records", "1000000", "--data-dir", million],
    ["export.ts", "--data-dir", million],
  ],
  "export-kills": [["export-kills.ts"]],
  dashboard: [["dashboard.ts"]],
  nodes: [["nodes.ts"]],
  "gateway-threads": [["gateway-threads.ts"]],
  retention: [["retention.ts"]],
  soon: [["soon.ts"]],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`there is no ${unknown.join(", ")}; there are: ${Object.keys(BENCHMARKS).join(", ")}`);
  process.exit(2);
}
mkdirSync(results, { recursive: true });
const failed: string[] = [];
try {
  const build = spawnSync(process.execPath, [join(import.meta.dirname, "../build/binary.ts")], { stdio: "inherit" });
  if (build.status !== 0) throw new Error("the binary could not be built");
  const names = wanted.length > 0 ? wanted : Object.keys(BENCHMARKS);
  for (const [index, name] of names.entries()) {
    console.log(`\n== ${name} (${index + 1} of ${names.length})`);
    if (!(await run(name, BENCHMARKS[name]!))) failed.push(name);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(failed.length === 0 ? "\nall claims hold" : `\nmissed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @returns whether all of them ended with status 0. */
async function run(name: string, files: readonly (readonly string[])[]): Promise<boolean> {
  const kept = createWriteStream(join(results, `${name}.txt`));
  let held = true;
  for (const [file, ...options] of files) {
    const words = [join(import.meta.dirname, file!), ...options];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    for (const to of [process.stdout, kept]) child.stdout.pipe(to, { end: false });
    const [status] = await once(child, "close");
    held &&= status === 0;
  }
  kept.end();
  return held;
}
