import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The repository's root. */
const HERE = join(import.meta.dir, "..");

/** How a test, or a helper of tests, starts a process. */
const STARTS_PROCESS = /["']node:child_process["']|\bBun\.(spawn|spawnSync|\$)|\bimport \{[^}]*\$[^}]*\} from "bun"/;

/** What belongs to the whole process: a test, or a helper of tests, that sets or measures it has a process of its own. */
const OF_THE_PROCESS =
  /\b(setSystemTime|spyOn|mock\.module|chdir|umask|memoryUsage|heapStats|cpuUsage|resourceUsage|getActiveResourcesInfo|Bun\.gc|process\.(on|once|exit|exitCode)\b|process\.env(\.\w+|\[[^\]]*\]) *=[^=]|delete process\.env|globalThis\.\w+ *=[^=])/;

/** Imports are followed within these folders. Not into `src/`: what the program can start, a test need not start. */
const FOLLOWED = ["test/", "bench/", "build/"];

/** Every test file but those that need a browser, as `test/…/name.test.ts`. */
export function allTests(root = HERE): string[] {
  return filesUnder(root, ".test.ts");
}

export function browserTests(root = HERE): string[] {
  return filesUnder(root, ".browser.ts");
}

/**
 * Tests that start no process and still take over two seconds, on two cores with nothing else to do, with a tenth of
 * each property's runs. `node_modules/.weir-test-timings.json` has what each file took last.
 */
export const LONG_TESTS: readonly string[] = `
  api/access/metrics-attack
  api/cache
  api/changes/changes
  api/dashboard
  api/logins/session
  api/logins/sso
  api/logins/sso-hostile
  api/logins/users
  api/reading
  engine/libsql/column-store/keeper
  engine/libsql/column-store/results
  engine/libsql/trees
  export/faults
  export/formats
  export/progress
  gateway/body-needs
  gateway/cache/files
  gateway/cache/sharing
  gateway/clock
  gateway/relay
  gateway/retry/retries
  gateway/spool-and-drain
  gateway/unified/call/count
  gateway/unified/targets/failure-moments
  gateway/unified/matrix/matrix
  gateway/unified/odd/odd
  gateway/unified/odd/responses
  gateway/unified/quirks/requests
  gateway/unified/same-bytes
  jobs/delivery
  jobs/retention
  jobs/retention-clock
  jobs/services
  mapping/hostile
  mapping/shapes/linear
  masking/mask
  plugin-host/bounded
  plugin-host/hooks
  plugin-host/journal
  plugin-host/reload
  plugin-host/shares
  policies/budgets
  recorder/bounded
  recorder/carry
  recorder/crashed
  recorder/outage
  recorder/unread
  recorder/unreadable
  runtime/strict-server
  runtime/upstream-requests
  serve/vault
  spool/writer
  store/local
  store/packs/pack-store
`
  .trim()
  .split(/\s+/)
  .map((name) => `test/${name}.test.ts`);

/** The tests that start no process, neither themselves nor through a helper, and are soon over. */
export function fastTests(root = HERE): string[] {
  return allTests(root).filter((file) => !LONG_TESTS.includes(file) && processStarter(file, root) === undefined);
}

/**
 * The tests that start no process, and neither set nor measure what belongs to the whole one: they can run in one, one file after
 * the other. Loading and compiling what a test imports costs more than most of them.
 */
export function sharingTests(root = HERE): string[] {
  const sharing = [...fastTests(root), ...LONG_TESTS.filter((file) => LONG_THAT_SHARE.test(file))];
  return allTests(root).filter(
    (file) =>
      sharing.includes(file) && !ALONE.test(file) && importsTo(file, OF_THE_PROCESS, root, new Set()) === undefined,
  );
}

/** Long tests elsewhere measure or limit CPU time. */
const LONG_THAT_SHARE = /^test\/(api|engine|gateway|jobs|policies|serve)\//;

/** The API notes only so many failed log-ins a minute, counted for its process. */
const ALONE = /^test\/api\/logins\/s(so|ession)/;

/** The imports from `file` to the first file that starts a process; `undefined` where none does. */
export function processStarter(file: string, root = HERE): readonly string[] | undefined {
  return importsTo(file, STARTS_PROCESS, root, new Set());
}

/** The imports from `file` to the first file whose text has `what`; `undefined` where none has it. */
function importsTo(file: string, what: RegExp, root: string, seen: Set<string>): readonly string[] | undefined {
  if (seen.has(file)) return undefined;
  seen.add(file);
  const { text, imports } = fileAt(file, root);
  if (what.test(text)) return [file];
  for (const imported of imports) {
    const chain = importsTo(imported, what, root, seen);
    if (chain !== undefined) return [file, ...chain];
  }
  return undefined;
}

interface ReadFile {
  readonly text: string;
  readonly imports: readonly string[];
}

/** Read once: many tests import the same helpers. By their paths. */
const READ = new Map<string, ReadFile>();

function fileAt(file: string, root: string): ReadFile {
  const path = join(root, file);
  const known = READ.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, "utf8");
  const read = { text, imports: importsOf(file, text, root) };
  READ.set(path, read);
  return read;
}

function importsOf(file: string, text: string, root: string): string[] {
  return new Bun.Transpiler({ loader: file.endsWith("x") ? "tsx" : "ts" })
    .scanImports(text)
    .filter(({ path }) => path.startsWith("."))
    .map(({ path }) => relative(root, join(root, dirname(file), path)))
    .filter((path) => FOLLOWED.some((folder) => path.startsWith(folder)) && /\.[cm]?[jt]sx?$/.test(path));
}

function filesUnder(root: string, ending: string): string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => join("test", path))
    .sort();
}
