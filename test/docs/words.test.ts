import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BANNED, comments, prose, texts } from "./banned-words.ts";

const ROOT = join(import.meta.dir, "../..");

/** Lines that may hold one: they quote a test or a metric. */
const EXCEPTIONS: readonly (readonly [string, string])[] = [["docs/security.md", "B: tells the page to nobody"]];

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

test("no text that a program shows has a word that the list rules out", () => {
  const sources = ["src", "plugins", "providers"].flatMap((folder) => files(`${folder}/**/*.{ts,tsx}`));
  expect(sources.flatMap((file) => bannedIn(file, texts(readFileSync(join(ROOT, file), "utf8"))))).toEqual([]);
});

test("a banned word is found in prose and comments, and not in code", () => {
  expect(bannedIn("a.md", prose("Whoever asks.\n```\nanew\n```\nThe member `mend`."))).toHaveLength(1);
  expect(
    bannedIn("a.ts", comments("/** Says it anew. */\nconst x = 1; // nobody\nconst mend = 2; // `mend`\n")),
  ).toHaveLength(2);
  expect(bannedIn("a.tsx", texts('a("Nobody is here");\n  <p>\n    Whoever asks.\n  </p>'))).toHaveLength(2);
  expect(bannedIn("a.ts", texts('const NOBODY = "nobody";'))).toEqual([]);
});
