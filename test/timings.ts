/**
 * Writes `test/timings.json`, how long each test file took, from the last runs of `npm test` and `npm run test:browser` here:
 * `npm test && npm run test:browser && bun test/timings.ts`. The runner starts the longest files first; on a new
 * clone this file is all that it knows of them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allTests, browserTests } from "./sets.ts";

/** In Bun's format: milliseconds by path. */
interface Timings {
  readonly version: 1;
  readonly files: Readonly<Record<string, number>>;
}

const ROOT = join(import.meta.dir, "..");

/** Runs that write what their files took: two of them at the same time, so each has a file of its own. */
const TIMED_RUNS = ["apart", "shared", "browser"] as const;
export type TimedRun = (typeof TIMED_RUNS)[number];

/** Where Bun writes what the files of a run took; nothing of a checkout changes by running tests. */
export const lastTimings = (run: TimedRun) => `node_modules/.weir-test-timings-${run}.json`;
export const KEPT_TIMINGS = "test/timings.json";

function readTimings(path: string): Timings["files"] {
  const file = join(ROOT, path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Timings).files : {};
}

if (import.meta.main) {
  const known = {
    ...readTimings(KEPT_TIMINGS),
    ...Object.assign({}, ...TIMED_RUNS.map((run) => readTimings(lastTimings(run)))),
  };
  const files: Record<string, number> = {};
  for (const file of [...allTests(), ...browserTests()])
    if (known[file] !== undefined) files[file] = Math.ceil(known[file] / 100) * 100;
  writeFileSync(join(ROOT, KEPT_TIMINGS), `${JSON.stringify({ version: 1, files } satisfies Timings, undefined, 2)}\n`);
}
