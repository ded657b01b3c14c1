import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The repository's root. */
const HERE = join(import.meta.dir, "..");

/** How a test, or a helper of tests, starts a process. */
const STARTS_PROCESS = /["']node:child_process["']|\bBun\.(spawn|spawnSync|\$)|\bimport \{[^}]*\$[^}]*\} from "bun"/;

/** Imports are followed within these folders. Not into `src/`: what the program can start, a test need not start. */
const FOLLOWED = ["test/", "bench/", "build/"];

/** Every test file but those that need a browser, as `test/…/name.test.ts`. */
export function allTests(root = HERE): string[] {
  return filesUnder(root, ".test.ts");
}

export function browserTests(root = HERE): string[] {
  return filesUnder(root, ".browser.ts");
}

/** The tests that start no process, neither themselves nor through a helper. */
export function fastTests(root = HERE): string[] {
  return allTests(root).filter((file) => processStarter(file, root) === undefined);
}

/** The imports from `file` to the first file that starts a process; `undefined` where none does. */
export function processStarter(file: string, root = HERE, seen = new Set<string>()): readonly string[] | undefined {
  if (seen.has(file)) return undefined;
  seen.add(file);
  const text = readFileSync(join(root, file), "utf8");
  if (STARTS_PROCESS.test(text)) return [file];
  for (const imported of importsOf(file, text, root)) {
    const chain = processStarter(imported, root, seen);
    if (chain !== undefined) return [file, ...chain];
  }
  return undefined;
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
