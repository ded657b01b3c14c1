import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import { hostTarget, TARGETS, targetFiles } from "./targets.ts";

/**
 * Builds the program with everything it needs into one file: `bun build/binary.ts [--target NAME|all] [--outfile FILE]`.
 *
 * Without a target it builds `dist/weir` for this machine, else `dist/weir-<target>`.
 */
const root = join(import.meta.dir, "..");

/** What is loaded by its path: the program behind its start, threads and built-ins. Each becomes a file of its own inside the binary. */
const STARTED_BY_PATH = [
  "src/cli/run.ts",
  "src/**/worker.ts",
  "src/**/*-worker.ts",
  "providers/*.ts",
  "plugins/*.ts",
  "dist/web/files.js",
];

async function build(target: string, outfile: string): Promise<void> {
  const { interpreter, addon } = targetFiles(target);
  const rule = addonRule(addon);
  const found = STARTED_BY_PATH.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })]).sort();
  const startedMs = performance.now();
  const result = await Bun.build({
    root,
    entrypoints: ["src/main.ts", ...found].map((path) => join(root, path)),
    target: "bun",
    format: "esm",
    // Halves the time to the first request: 280 ms of processor time become 140. It is made by this machine's Bun, so the
    // binaries of other machines go without.
    bytecode: target === hostTarget(),
    minify: { whitespace: true, syntax: true, identifiers: false },
    plugins: [rule.plugin],
    compile: {
      target: `${TARGETS[target]!.bun}` as Bun.Build.CompileTarget,
      outfile,
      // A heap that starts small: what a request needs for a moment is then made in memory that the processor's cache still holds.
      execArgv: ["--smol"],
      // Nothing that lies in the directory it is started from may change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      ...(interpreter === undefined ? { executablePath: process.execPath } : { executablePath: interpreter }),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  if (rule.hits() === 0)
    throw new Error("the rule for libSQL's addon fits nothing any more: look into libsql/index.js");
  const megabytes = Math.round(statSync(outfile).size / 1e6);
  console.log(`${outfile}: ${target}, ${megabytes} MB, ${Math.round(performance.now() - startedMs)} ms`);
}

/**
 * libSQL looks for its native addon by the platform it runs on, which a bundler cannot follow. The whole search is
 * replaced by the one file of the target, and counted: a version that searches in another way must not build.
 */
function addonRule(addon: string): { readonly plugin: BunPlugin; readonly hits: () => number } {
  let hits = 0;
  const plugin: BunPlugin = {
    name: "libsql addon",
    setup(build) {
      build.onLoad({ filter: /[\\/]libsql[\\/](index|promise)\.js$/ }, async ({ path }) => ({
        loader: "js",
        contents: (await Bun.file(path).text())
          .replace(/function requireNative\(\) \{[\s\S]*?\n\}\n/, () => {
            hits++;
            return `function requireNative() { return require(${JSON.stringify(addon)}); }\n`;
          })
          .replace(/^const .* = require\("(@neon-rs\/load|detect-libc)"\);$/gm, ""),
      }));
    },
  };
  return { plugin, hits: () => hits };
}

execFileSync(process.execPath, [join(import.meta.dir, "web.ts")], { stdio: "inherit" });
const { values } = parseArgs({ options: { target: { type: "string" }, outfile: { type: "string" } } });
const wanted = values.target === "all" ? Object.keys(TARGETS) : [values.target ?? hostTarget()];
const unknown = wanted.find((name) => !Object.hasOwn(TARGETS, name));
if (unknown !== undefined) {
  console.error(`there is no target "${unknown}"; there are: ${Object.keys(TARGETS).join(", ")}, all`);
  process.exit(2);
}
mkdirSync(join(root, "dist"), { recursive: true });
for (const target of wanted) {
  const file = values.target === undefined ? "weir" : `weir-${target}`;
  await build(target, values.outfile ?? join(root, "dist", `${file}${target.startsWith("windows") ? ".exe" : ""}`));
}
