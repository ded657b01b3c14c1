// Makes a fresh clone ready to run: plain Node or Bun, no dependencies. Run by `prestart`, `pretest` and `prebuild`.
//
// Installs when that has not been done since the lock file changed, and makes sure that the `bun` package holds a
// program: package managers may be set to skip install scripts, and then a file is in its place that only says so.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const mark = join(modules, ".weir-installed");
const isBun = process.versions.bun !== undefined;
const windows = process.platform === "win32";

if (!isCurrent()) install();
if (!bunRuns()) finishBun();

/** Whether this script has installed since the lock file changed. A link to a shared folder is its owner's business. */
function isCurrent() {
  if (existsSync(modules) && lstatSync(modules).isSymbolicLink()) return true;
  return existsSync(mark) && readFileSync(mark, "utf8") === lockHash();
}

/** Of what is to be installed; not its time of change, which every checkout of another branch sets. */
function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

// Without install scripts: none is needed but the one of `bun`, which is run below where it must, and the one of a test's
// database server fails under npm, which then leaves the server out.
function install() {
  // Bun takes the versions of package-lock.json; --no-save keeps it from writing a lock file of its own.
  if (runs("npm", ["--version"])) run("npm", ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--loglevel=error"]);
  else run(isBun ? process.execPath : "bun", ["install", "--no-save", "--silent"]);
  writeFileSync(mark, lockHash());
}

function bunRuns() {
  return runs(join(modules, "bun/bin/bun.exe"), ["--version"]);
}

function finishBun() {
  run(process.execPath, [join(modules, "bun/install.js")], join(modules, "bun"));
  if (!bunRuns()) fail("the `bun` package does not run on this machine; install Bun 1.4 and use `bun run start`");
}

function runs(command, args) {
  return spawnSync(command, args, { stdio: "ignore", shell: windows }).status === 0;
}

function run(command, args, cwd = root) {
  process.stderr.write(`> ${command} ${args.join(" ")}\n`);
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2], shell: windows });
  if (status !== 0) fail(`\`${command} ${args.join(" ")}\` failed${error === undefined ? "" : `: ${error.message}`}`);
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
