#!/usr/bin/env node
// Runs the command line with the Bun that was installed beside it, so that Node and npm are enough: `npx weir serve`.
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve("bun/package.json"));
const bun = join(folder, "bin/bun.exe");

// npm can be set to skip install scripts; then the file only says so, and the script is run now.
if (!runs()) spawnSync(process.execPath, [join(folder, "install.js")], { cwd: folder, stdio: ["ignore", 2, 2] });
if (!runs()) {
  process.stderr.write("weir: the `bun` package does not run on this machine; use a binary of the release instead\n");
  process.exit(1);
}

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const child = spawn(bun, ["--smol", main, ...process.argv.slice(2)], { stdio: "inherit" });
process.on("SIGTERM", () => child.kill("SIGTERM"));
// A terminal sends these to both processes, and a second SIGINT would end the service without its streams.
for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => process.stdin.isTTY || child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`weir: ${error.message}\n`);
  process.exit(1);
});
child.on("close", (status, signal) => process.exit(status ?? (signal === "SIGKILL" ? 137 : 1)));

function runs() {
  return spawnSync(bun, ["--version"], { stdio: "ignore" }).status === 0;
}
