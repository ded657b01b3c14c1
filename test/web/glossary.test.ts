import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const WEB = join(import.meta.dir, "../../src/web");

/** What the dashboard does not say, and the field's word for it. */
const GLOSSARY: readonly (readonly [wrong: RegExp, word: string])[] = [
  [/as at first/i, "Reset"],
  [/(?:checked|counted) apart/i, "Group by, or per user"],
  [/counted all together/i, "in total"],
  [/comes back from/i, "Resets at"],
  [/with at least/i, "Minimum requests"],
  [/tells nobody/i, "No recipients"],
  [/the request whose answer/i, "Original request"],
  [/what is too old now/i, "Run retention now"],
  [/\bask again/i, "Refresh"],
  [/is no approved domain/i, "is not an approved domain"],
  [/\banew\b/i, "again"],
  [/all the same/i, "still"],
  [/\btokens (?:in|out)\b"/i, "Input tokens, Output tokens"],
  [/(?:prompt|completion) tokens/i, "Input tokens, Output tokens"],
  [/\bstop texts\b/i, "Stop sequences"],
  [/(?:show or hide|title=")values?\b|the values"/i, "facets"],
  [/refuse losses/i, "Strict translation"],
  [/"(?:least|most)"/i, "Min, Max"],
];

/** Source without its comments: what is left holds all that is shown. */
const shown = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");

const sources = readdirSync(WEB, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => [name, shown(readFileSync(join(WEB, name), "utf8"))] as const);

test.each(GLOSSARY)("the dashboard does not say %p, but %s", (wrong) => {
  expect(sources.filter(([, text]) => wrong.test(text)).map(([name]) => name)).toEqual([]);
});
