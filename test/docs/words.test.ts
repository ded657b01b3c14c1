import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  BANNED,
  BANNED_IN_COMMENTS,
  BANNED_IN_NAMES,
  BANNED_IN_TEXTS,
  comments,
  prose,
  testNames,
  texts,
} from "./banned-words.ts";

const ROOT = join(import.meta.dir, "../..");

/** Each banned word in a text, as a sentence for the failure. */
function bannedIn(file: string, text: string, banned = BANNED): string[] {
  return text
    .split("\n")
    .flatMap((line) =>
      banned.filter(([word]) => word.test(line)).map(([, instead]) => `${file}: "${line.trim()}" (say: ${instead})`),
    );
}

const files = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })].sort();

test("no page of the documentation has a word that the list rules out", () => {
  const pages = [...files("docs/**/*.md"), "README.md", "ARCHITECTURE.md", "CHANGELOG.md"];
  expect(pages.flatMap((page) => bannedIn(page, prose(readFileSync(join(ROOT, page), "utf8"))))).toEqual([]);
});

test("no comment in the code has a word that the list rules out", () => {
  const code = ["src", "plugins", "providers", "build", "bench", "test"].flatMap((folder) =>
    files(`${folder}/**/*.{ts,tsx}`),
  );
  expect(code.length).toBeGreaterThan(2_000);
  // This file has the words as examples.
  const others = code.filter((file) => file !== "test/docs/words.test.ts");
  expect(
    others.flatMap((file) => bannedIn(file, comments(readFileSync(join(ROOT, file), "utf8")), BANNED_IN_COMMENTS)),
  ).toEqual([]);
});

test("no text that a program shows has a word that the list rules out", () => {
  const sources = ["src", "plugins", "providers"].flatMap((folder) => files(`${folder}/**/*.{ts,tsx}`));
  expect(
    sources.flatMap((file) => bannedIn(file, texts(readFileSync(join(ROOT, file), "utf8")), BANNED_IN_TEXTS)),
  ).toEqual([]);
});

test("no name of a test has a word that the list rules out", () => {
  const tests = files("test/**/*.{test,browser}.{ts,tsx}");
  const names = tests.map((file) => [file, testNames(readFileSync(join(ROOT, file), "utf8"))] as const);
  expect(names.flatMap(([, text]) => text.split("\n")).length).toBeGreaterThan(3000);
  expect(names.flatMap(([file, text]) => bannedIn(file, text, BANNED_IN_NAMES))).toEqual([]);
});

test("names of tests are found in every form", () => {
  const forms = ['test("a", f)', '  test.serial("b", f)', 'test.each([1])("c", f)', '])("d"', 'describe("e", f)'];
  expect(testNames(forms.join("\n")).split("\n")).toEqual(["a", "b", "c", "d", "e"]);
});

test("a banned word is found in prose and comments, and not in code", () => {
  expect(bannedIn("a.md", prose("Whoever asks.\n```\nanew\n```\nThe member `mend`."))).toHaveLength(1);
  expect(
    bannedIn("a.ts", comments("/** Says it anew. */\nconst x = 1; // nobody\nconst mend = 2; // `mend`\n")),
  ).toHaveLength(2);
  expect(bannedIn("a.tsx", texts('a("Nobody is here");\n  <p>\n    Whoever asks.\n  </p>'))).toHaveLength(2);
  expect(bannedIn("a.ts", texts('const NOBODY = "nobody";'))).toEqual([]);
});
