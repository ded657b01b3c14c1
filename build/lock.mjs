// Completes package-lock.json: `node build/lock.mjs`, after a dependency has changed.
//
// A registry may lack the packages of some platforms, and npm omits them from the lock file; `npm ci` then refuses the file
// on every platform. Their versions are still known: the packages that depend on them name exact versions.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const path = join(dirname(dirname(fileURLToPath(import.meta.url))), "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
const systems = {
  darwin: "darwin",
  linux: "linux",
  win32: "win32",
  windows: "win32",
  android: "android",
  freebsd: "freebsd",
};
const processors = { arm64: "arm64", aarch64: "arm64", x64: "x64", arm: "arm", ia32: "ia32" };

const added = [];
for (const wanting of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(wanting.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined || !/^\d+\.\d+\.\d+/.test(version)) continue;
    const words = name.split(/[/-]/);
    const os = words.map((word) => systems[word]).find((system) => system !== undefined);
    const cpu = words.map((word) => processors[word]).find((processor) => processor !== undefined);
    if (os === undefined || cpu === undefined) continue;
    lock.packages[key] = { version, cpu: [cpu], ...(wanting.dev ? { dev: true } : {}), optional: true, os: [os] };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stderr.write(`${added.length} added${added.length === 0 ? "" : `: ${added.join(", ")}`}\n`);
