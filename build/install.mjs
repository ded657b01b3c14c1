// Prepares a fresh clone; runs with plain Node or Bun, without dependencies. Run by `prestart`, `pretest` and `prebuild`.
//
// Installs if the lock file has changed since the last installation, and ensures that the `bun` package contains the
// program: if a package manager skips install scripts, there is only a placeholder that prints an error.
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

/** Whether this script has installed since the lock file changed. A link to a shared folder is left to its owner. */
function isCurrent() {
  if (existsSync(modules) && lstatSync(modules).isSymbolicLink()) return true;
  return existsSync(mark) && readFileSync(mark, "utf8") === lockHash();
}

/** Hash of the lock file; its modification time would change with every checkout of another branch. */
function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

// Installs without install scripts. Only the script of `bun` is needed, and it runs below if necessary; the script of a
// test's database server fails under npm, which would then omit the server.
function install() {
  // Bun uses the versions of package-lock.json; --no-save keeps it from writing its own lock file.
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
