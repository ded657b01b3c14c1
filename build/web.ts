import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/**
 * Builds the dashboard into one module of compressed files: `bun build/web.ts [--if-outdated]`.
 *
 * Styles are concatenated here and not by the bundler, which would rewrite `light-dark()`; browsers can read them as they
 * are.
 */
const root = join(import.meta.dir, "..");
const web = join(root, "src/web");
const MODULE = join(root, "dist/web/files.js");

interface Built {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
};

/** All files of the dashboard; `first` lists what a first visit loads before any API request. */
export async function buildWeb(): Promise<{ readonly files: readonly Built[]; readonly first: readonly string[] }> {
  const bundle = await Bun.build({
    root: web,
    entrypoints: [join(web, "main.tsx"), join(web, "theme.ts")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    publicPath: "/assets/",
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  if (!bundle.success) throw new AggregateError(bundle.logs, "the dashboard does not build");
  const nameOf = ({ path }: { readonly path: string }) => path.replace(/^.*[\\/]/, "");
  const scripts = await Promise.all(
    bundle.outputs.map(async (output) => file(nameOf(output), new Uint8Array(await output.arrayBuffer()))),
  );
  const styles = hashed("app", "css", stylesheet());
  const icon = hashed("icon", "svg", readFileSync(join(web, "icon.svg"), "utf8"));
  // A chunk that entries share may have the name of one of them.
  const entries = bundle.outputs.filter(({ kind }) => kind === "entry-point").map(nameOf);
  const entry = (name: string) => entries.find((each) => each.startsWith(`${name}-`))!;
  const early = staticImports(scripts, entry("main"));
  const page = readFileSync(join(web, "index.html"), "utf8")
    .replace("%icon%", `/assets/${icon.name}`)
    .replace("%styles%", `/assets/${styles.name}`)
    .replace("%theme%", `/assets/${entry("theme")}`)
    .replace("%main%", `/assets/${entry("main")}`)
    .replace("%preload%", early.map((name) => `<link rel="modulepreload" href="/assets/${name}">`).join(""));
  const files = [file("index.html", Buffer.from(page)), styles, icon, ...scripts];
  return { files, first: ["index.html", styles.name, icon.name, entry("theme"), entry("main"), ...early] };
}

/** Chunks that are loaded with the entry itself, not on demand by a page. */
function staticImports(scripts: readonly Built[], entry: string): string[] {
  const found = new Set<string>();
  const pending = [entry];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const text = new TextDecoder().decode(scripts.find((each) => each.name === name)!.bytes);
    for (const [, imported] of text.matchAll(/(?:\bfrom|\bimport)\s*"(?:\/assets\/|\.\/)([^"]+)"/g)) {
      if (found.has(imported!)) continue;
      found.add(imported!);
      pending.push(imported!);
    }
  }
  return [...found];
}

/** The chart library's rules first, then the files that `app.css` imports, in its order. */
function stylesheet(): string {
  const folder = join(web, "styles");
  const imports = readFileSync(join(folder, "app.css"), "utf8").matchAll(/^@import "\.\/(.+)";$/gm);
  const names = [...imports].map(([, name]) => name!);
  const left = readdirSync(folder).filter((name) => name !== "app.css" && !names.includes(name));
  if (left.length > 0) throw new Error(`src/web/styles/app.css does not import ${left.join(", ")}`);
  const ours = names.map((name) => join(folder, name));
  const paths = [join(root, "node_modules/uplot/dist/uPlot.min.css"), ...ours];
  return paths
    .map((path) =>
      readFileSync(path, "utf8")
        .replace(/\/\*[\s\S]*?\*\//g, "")
        .replace(/\n\s*/g, "\n"),
    )
    .join("\n");
}

function hashed(name: string, ending: string, text: string): Built {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return file(`${name}-${hash}.${ending}`, Buffer.from(text));
}

function file(name: string, bytes: Uint8Array): Built {
  return { name, type: TYPES[name.split(".").at(-1)!]!, bytes };
}

/** The download size of a file, compressed as most servers do. */
export function gzippedBytes({ bytes }: Pick<Built, "bytes">): number {
  return gzipSync(bytes, { level: 9 }).byteLength;
}

function isOutdated(): boolean {
  try {
    const made = statSync(MODULE).mtimeMs;
    const sources = readdirSync(web, { recursive: true, encoding: "utf8" }).map((name) => join(web, name));
    return [...sources, import.meta.path, join(root, "package-lock.json")].some(
      (path) => statSync(path).mtimeMs > made,
    );
  } catch {
    return true; // it was never built
  }
}

if (import.meta.main && !(process.argv.includes("--if-outdated") && !isOutdated())) {
  const startedMs = performance.now();
  const { files, first } = await buildWeb();
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  const rows = files.map(({ name, type, bytes }) =>
    JSON.stringify({ name, type, brotli: brotliCompressSync(bytes, quality).toString("base64") }),
  );
  mkdirSync(join(root, "dist/web"), { recursive: true });
  // Renamed into place: concurrent readers see the previous file.
  const temporary = `${MODULE}.${process.pid}`;
  writeFileSync(temporary, `export const FILES = [\n${rows.join(",\n")},\n];\n`);
  renameSync(temporary, MODULE);
  const firstBytes = files
    .filter(({ name }) => first.includes(name))
    .reduce((sum, each) => sum + gzippedBytes(each), 0);
  const ms = Math.round(performance.now() - startedMs);
  console.log(`dashboard: ${files.length} files, first load ${Math.round(firstBytes / 1e3)} kB gzipped, ${ms} ms`);
}
