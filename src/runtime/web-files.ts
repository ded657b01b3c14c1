import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isCompiled, platform, shippedFolder, shippedScript } from "./platform.ts";

/** One built file of the dashboard. */
interface WebFile {
  /** Such as `index.html` or `main-3f2a.js`. */
  readonly name: string;
  readonly type: string;
  /** Compressed with brotli, in base64. */
  readonly brotli: string;
}

const MODULE = "dist/web/files.js";
/** The inputs of the build. */
const SOURCES = ["src/web", "build/web.ts", "package-lock.json"];
const BUILD_MS = 60_000;

/**
 * The dashboard's files. A binary contains them; from source they are built when they are missing or older than their
 * sources, so that reloading the browser shows a change.
 *
 * @throws if the build fails and there are none.
 */
export async function loadWebFiles(known?: LoadedWebFiles): Promise<LoadedWebFiles> {
  if (isCompiled) return known ?? { version: 0, files: await read(shippedScript(MODULE.replace(/\.js$/, ".ts"))) };
  const module = shippedFolder(MODULE);
  const failure = changedAt(module) < newest() ? await build().catch((error: Error) => error) : undefined;
  if (failure !== undefined && !existsSync(module)) throw failure;
  const version = changedAt(module);
  return known?.version === version ? known : { version, files: await read(`${module}?v=${version}`) };
}

export interface LoadedWebFiles {
  /** Differs after each build. */
  readonly version: number;
  readonly files: readonly WebFile[];
}

async function read(address: string): Promise<readonly WebFile[]> {
  const module: { readonly FILES: readonly WebFile[] } = await import(address);
  return module.FILES;
}

/** When a file was changed, in milliseconds since 1970; 0 if it does not exist. */
function changedAt(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newest(): number {
  const times = SOURCES.map(shippedFolder).flatMap((path) => {
    if (!existsSync(path)) return [0];
    if (!statSync(path).isDirectory()) return [changedAt(path)];
    return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => changedAt(join(path, name)));
  });
  return Math.max(...times);
}

let building: Promise<undefined> | undefined;

/** Runs a single build for concurrent callers. The build runs on Bun, which Deno finds among the packages. */
function build(): Promise<undefined> {
  building ??= runBuild().finally(() => {
    building = undefined;
  });
  return building;
}

function runBuild(): Promise<undefined> {
  const bun = platform.bun ?? shippedFolder("node_modules/bun/bin/bun.exe");
  return new Promise((resolve, reject) => {
    const child = spawn(bun, [shippedFolder("build/web.ts")], {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: BUILD_MS,
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000);
    });
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve(undefined);
      else reject(new Error(`build/web.ts ended with status ${status}: ${said.trim()}`));
    });
  });
}
