import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A platform for which a binary can be built, with the packages of its interpreter and its libSQL addon. */
export interface Target {
  readonly bun: string;
  readonly libsql: string;
}

/** By the names that `--target` accepts. There is no libSQL addon for windows-arm64. */
export const TARGETS: Readonly<Record<string, Target>> = {
  "linux-x64": { bun: "bun-linux-x64", libsql: "linux-x64-gnu" },
  "linux-x64-baseline": { bun: "bun-linux-x64-baseline", libsql: "linux-x64-gnu" },
  "linux-x64-musl": { bun: "bun-linux-x64-musl", libsql: "linux-x64-musl" },
  "linux-arm64": { bun: "bun-linux-aarch64", libsql: "linux-arm64-gnu" },
  "linux-arm64-musl": { bun: "bun-linux-aarch64-musl", libsql: "linux-arm64-musl" },
  "darwin-arm64": { bun: "bun-darwin-aarch64", libsql: "darwin-arm64" },
  "darwin-x64": { bun: "bun-darwin-x64", libsql: "darwin-x64" },
  "windows-x64": { bun: "bun-windows-x64", libsql: "win32-x64-msvc" },
};

const root = join(import.meta.dir, "..");

/** The target for this machine. */
export function hostTarget(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const musl =
    process.platform === "linux" && existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`);
  return `${system}-${process.arch}${musl ? "-musl" : ""}`;
}

/** Files of a target: this machine's are already installed, others are fetched once with npm into `dist/`. */
export function targetFiles(name: string): { readonly interpreter: string | undefined; readonly addon: string } {
  const { bun, libsql } = TARGETS[name]!;
  if (name === hostTarget()) return { interpreter: undefined, addon: addonIn(join(root, "node_modules"), libsql) };
  const folder = join(root, "dist", "targets", name);
  const modules = join(folder, "node_modules");
  const interpreter = join(modules, "@oven", bun, "bin", name.startsWith("windows") ? "bun.exe" : "bun");
  if (!existsSync(interpreter) || !existsSync(addonIn(modules, libsql))) {
    mkdirSync(folder, { recursive: true });
    const packages = [`@oven/${bun}@${version("bun")}`, `@libsql/${libsql}@${version("libsql")}`];
    // --force, because they are for another system.
    const options = [
      "--force",
      "--no-save",
      "--no-package-lock",
      "--ignore-scripts",
      "--loglevel=error",
      "--prefix",
      folder,
    ];
    execFileSync("npm", ["install", ...options, ...packages], { stdio: ["ignore", "ignore", "inherit"] });
  }
  return { interpreter, addon: addonIn(modules, libsql) };
}

function addonIn(modules: string, libsql: string): string {
  return join(modules, "@libsql", libsql, "index.node");
}

function version(name: string): string {
  return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
}
