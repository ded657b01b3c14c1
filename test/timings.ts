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

/** Where Bun writes what the files of a set took; nothing of a checkout changes by running tests. */
export const lastTimings = (isBrowser: boolean) => `node_modules/.weir-test-timings${isBrowser ? "-browser" : ""}.json`;
export const KEPT_TIMINGS = "test/timings.json";

function readTimings(path: string): Timings["files"] {
  const file = join(ROOT, path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Timings).files : {};
}

if (import.meta.main) {
  const known = {
    ...readTimings(KEPT_TIMINGS),
    ...readTimings(lastTimings(false)),
    ...readTimings(lastTimings(true)),
  };
  const files: Record<string, number> = {};
  for (const file of [...allTests(), ...browserTests()])
    if (known[file] !== undefined) files[file] = Math.ceil(known[file] / 100) * 100;
  writeFileSync(join(ROOT, KEPT_TIMINGS), `${JSON.stringify({ version: 1, files } satisfies Timings, undefined, 2)}\n`);
}
