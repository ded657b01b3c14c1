import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BunPlugin } from "bun";
import { hostTarget, TARGETS, targetFiles } from "./targets.ts";

/**
 * Builds the program with everything it needs into one file: `bun build/binary.ts [--target NAME|all] [--outfile FILE]`.
 *
 * Without a target it builds `dist/weir` for this machine, otherwise `dist/weir-<target>`.
 */
const root = join(import.meta.dir, "..");

/**
 * Modules that are loaded by path: the program behind its entry point, threads and built-ins. Each becomes a separate file
 * inside the binary.
 */
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
    // The program and its threads share most of their code: with a copy of it for each the file would be a third larger, and an
    // idle service would take 19 MB more.
    splitting: true,
    // Halves the time to the first request, from 280 to 140 ms of CPU time. Bytecode is made by this machine's Bun, so
    // binaries for other machines do without it.
    bytecode: target === hostTarget(),
    minify: { whitespace: true, syntax: true, identifiers: false },
    plugins: [rule.plugin],
    compile: {
      target: `${TARGETS[target]!.bun}` as Bun.Build.CompileTarget,
      outfile,
      // A heap that starts small: a request's short-lived memory then stays in the CPU's cache.
      execArgv: ["--smol"],
      // Files in the working directory must not change what the program does.
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
 * libSQL selects its native addon at run time by platform, which a bundler cannot follow. That search is replaced by the
 * target's file, and the replacements are counted: a libSQL version that searches differently must fail the build.
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
