/**
 * Writes `test/timings.json`, how long each test file took, from the last runs of `npm test` and `npm run test:browser` here:
 * `npm test && npm run test:browser && bun test/timings.ts`. The runner starts the longest files first; on a new
 * clone this file is all that it knows of them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allTests, browserTests, sharingTests } from "./sets.ts";

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
  const sharing = sharingTests();
  const ran: Readonly<Record<TimedRun, readonly string[]>> = {
    apart: allTests().filter((file) => !sharing.includes(file)),
    shared: sharing,
    browser: browserTests(),
  };
  const kept = readTimings(KEPT_TIMINGS);
  const files: Record<string, number> = {};
  for (const run of TIMED_RUNS) {
    // Bun copies there what it knew of other runs' files.
    const last = readTimings(lastTimings(run));
    for (const file of ran[run]) {
      const ms = last[file] ?? kept[file];
      if (ms !== undefined) files[file] = Math.ceil(ms / 100) * 100;
    }
  }
  const sorted = Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(
    join(ROOT, KEPT_TIMINGS),
    `${JSON.stringify({ version: 1, files: sorted } satisfies Timings, undefined, 2)}\n`,
  );
}
