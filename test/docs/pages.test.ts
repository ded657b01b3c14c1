import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const DOCS = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const PAGES = ["README.md", "ARCHITECTURE.md", "bench/README.md", ...DOCS.map((name) => `docs/${name}`)];

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

test("the index of the documentation names every page", () => {
  const named = new Set(linksOf("docs/README.md").map(({ file }) => file));
  expect(DOCS.filter((name) => name !== "README.md" && !named.has(`docs/${name}`))).toEqual([]);
});
