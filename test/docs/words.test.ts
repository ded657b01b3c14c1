import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Words that CONTRIBUTING.md rules out, with the word to use. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bmend(s|ed|ing)?\b/i, "fix, repair, retry"],
  [/\banew\b/i, "again"],
  [/\bonce more\b/i, "again"],
  [/\bnobody\b/i, "name who, or use the passive without a person"],
  [/\bwhoever\b/i, "name who"],
  [/\ball the same\b/i, "still, anyway"],
  [/\bprocessors?\b/i, "CPU, core"],
  [/\bforemost\b/i, "top"],
  [/\b(?:is|are|was|were|be|been) told of\b/i, "notify, report"],
];

/** Lines that may hold one: they quote a test or a metric. */
const EXCEPTIONS: readonly (readonly [string, string])[] = [
  ["docs/security.md", "B: tells the page to nobody"],
  ["docs/operations.md", "Processor time of all threads"],
];

/** The pages, in prose: no code, which may hold names. */
function prose(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
}

/** The comments of a source file, without code in them. */
function comments(source: string): string {
  const found = source.match(/^\s*\/\*\*?[\s\S]*?\*\/|(?:^|[;,{}()\]]) *\/\/ .*$/gm) ?? [];
  return found.join("\n").replace(/`[^`\n]*`/g, "");
}

/** Each banned word in a text, as a sentence for the failure. */
function bannedIn(file: string, text: string): string[] {
  return text.split("\n").flatMap((line) =>
    BANNED.filter(([word]) => word.test(line))
      .filter(() => !EXCEPTIONS.some(([where, what]) => where === file && line.includes(what)))
      .map(([, instead]) => `${file}: "${line.trim()}" (say: ${instead})`),
  );
}

const files = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].sort();

test("no page of the documentation has a word that the list rules out", () => {
  const pages = [...files("docs/**/*.md"), "README.md", "ARCHITECTURE.md", "CHANGELOG.md"];
  expect(pages.flatMap((page) => bannedIn(page, prose(readFileSync(join(ROOT, page), "utf8"))))).toEqual([]);
});

test("no comment in the source has a word that the list rules out", () => {
  const sources = ["src", "plugins", "providers"].flatMap((folder) => files(`${folder}/**/*.{ts,tsx}`));
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((file) => bannedIn(file, comments(readFileSync(join(ROOT, file), "utf8"))))).toEqual([]);
});

test("a banned word is found in prose and comments, and not in code", () => {
  expect(bannedIn("a.md", prose("Whoever asks.\n```\nanew\n```\nThe member `mend`."))).toHaveLength(1);
  expect(
    bannedIn("a.ts", comments("/** Says it anew. */\nconst x = 1; // nobody\nconst mend = 2; // `mend`\n")),
  ).toHaveLength(2);
});
