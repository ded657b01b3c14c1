import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { loadConfig } from "../../src/config/load.ts";

const ROOT = join(import.meta.dir, "../..");
const DOCS = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const DECISIONS = readdirSync(join(ROOT, "docs/adr")).sort();
const PAGES = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md"],
  ...DOCS.map((name) => `docs/${name}`),
  ...DECISIONS.map((name) => `docs/adr/${name}`),
];

const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

function linksOf(page: string): { readonly file: string; readonly heading: string | undefined }[] {
  const targets = [...textOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets.map((target) => {
    const [path = "", heading] = target.split("#");
    return { file: path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path)), heading };
  });
}

/** Headings as they are addressed. */
function headingsOf(page: string): string[] {
  const headings = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test.each(PAGES)("every link of %s leads somewhere", (page) => {
  const broken = linksOf(page).filter(
    ({ file, heading }) =>
      !existsSync(join(ROOT, file)) || (heading !== undefined && !headingsOf(file).includes(heading)),
  );
  expect(broken).toEqual([]);
});

/** What sets up tests and benchmarks, and the name of any setting in an example. */
const NOT_OF_THE_PROGRAM = ["WEIR_TEST_BINARY", "WEIR_TEST_CHROMIUM", "WEIR_TEST_RUNS", "WEIR_TEST_SEED", "WEIR_NAME"];

function isKnown(variable: string): boolean {
  try {
    loadConfig({ env: { [variable]: "x" }, workingDirectory: ROOT, file: null });
    return true;
  } catch (error) {
    return !(error as Error).message.includes("there is no such key");
  }
}

// The program stops at a variable that it does not know: a reader who sets what a page names must not meet that.
test("every variable that a page or the dashboard names is one that the program knows", () => {
  const web = readdirSync(join(ROOT, "src/web"), { recursive: true, encoding: "utf8" });
  const texts = [...PAGES, ...web.filter((name) => /\.tsx?$/.test(name)).map((name) => `src/web/${name}`)].map(textOf);
  const named = new Set(texts.flatMap((text) => [...text.matchAll(/\bWEIR_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)));
  expect(named.size).toBeGreaterThan(40);
  expect([...named].filter((name) => !NOT_OF_THE_PROGRAM.includes(name) && !isKnown(name))).toEqual([]);
});

test("every picture is on a page", () => {
  const shown = new Set(PAGES.flatMap(linksOf).map(({ file }) => file));
  expect(readdirSync(join(ROOT, "docs/images")).filter((name) => !shown.has(`docs/images/${name}`))).toEqual([]);
});

test("the index of the documentation names every page", () => {
  const named = new Set(linksOf("docs/README.md").map(({ file }) => file));
  expect(DOCS.filter((name) => name !== "README.md" && !named.has(`docs/${name}`))).toEqual([]);
});

test("the index of decisions names every one", () => {
  const named = linksOf("docs/adr/README.md").map(({ file }) => file);
  expect(DECISIONS.filter((name) => name !== "README.md").map((name) => `docs/adr/${name}`)).toEqual(named);
});

test("commands and files that the guide for contributors names are there", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const guide = textOf("CONTRIBUTING.md");
  const commands = [...guide.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name!);
  expect(commands.length).toBeGreaterThan(3);
  expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  const files = [...guide.matchAll(/`((?:src|test|providers|docs)\/[\w./-]+)`/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
