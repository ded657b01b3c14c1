/**
 * Prints how large the code of commits is, as a table: `bun test/code-size.ts 81fbf23 HEAD`. Code is the TypeScript of `src/`,
 * `plugins/` and `providers/`; words are those of `docs/banned-words.ts` in its comments and in the pages.
 */
import { posix } from "node:path";
import { circles } from "./circles.ts";
import { comments, isBanned, prose } from "./docs/banned-words.ts";

interface Figures {
  readonly name: string;
  readonly of: (commit: Commit) => string | number;
}

/** Texts of one commit, by their paths. */
interface Commit {
  readonly code: ReadonlyMap<string, string>;
  readonly tests: ReadonlyMap<string, string>;
  readonly styles: ReadonlyMap<string, string>;
  readonly pages: ReadonlyMap<string, string>;
}

const linesOf = (text: string) => text.split("\n").length - 1;
const total = (texts: ReadonlyMap<string, string>) => [...texts.values()].reduce((sum, text) => sum + linesOf(text), 0);
const sizes = (texts: ReadonlyMap<string, string>) => [...texts.values()].map(linesOf).sort((a, b) => a - b);
const median = (texts: ReadonlyMap<string, string>) => sizes(texts)[texts.size >> 1] ?? 0;
const longest = (texts: ReadonlyMap<string, string>) => sizes(texts).at(-1) ?? 0;

const FIGURES: readonly Figures[] = [
  { name: "files of code", of: ({ code }) => code.size },
  { name: "lines of code", of: ({ code }) => total(code) },
  { name: "median of their lines", of: ({ code }) => median(code) },
  { name: "longest file of code, lines", of: ({ code }) => longest(code) },
  { name: "longest style file, lines", of: ({ styles }) => longest(styles) },
  { name: "files of tests", of: ({ tests }) => tests.size },
  { name: "lines of tests", of: ({ tests }) => total(tests) },
  { name: "lines with a word that the list rules out", of: bannedLines },
  { name: "circles of imports, types included", of: ({ code }) => circles(importsOf(code)).length },
];

function bannedLines({ code, pages }: Commit): number {
  const texts = [...[...code.values()].map(comments), ...[...pages.values()].map(prose)];
  return texts.flatMap((text) => text.split("\n")).filter(isBanned).length;
}

function importsOf(code: ReadonlyMap<string, string>): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  for (const [path, text] of code) {
    const targets = [...text.matchAll(/^(?:import|export|\}) ?[^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gm)];
    edges.set(
      path,
      targets.map(([, from, later]) => posix.join(posix.dirname(path), (from ?? later)!)),
    );
  }
  return edges;
}

async function readCommit(id: string): Promise<Commit> {
  const { stdout } = Bun.spawnSync(["git", "ls-tree", "-r", "--name-only", id]);
  const paths = stdout.toString().trim().split("\n");
  const among = async (pattern: RegExp) => {
    const chosen = paths.filter((path) => pattern.test(path));
    const git = Bun.spawn(["git", "cat-file", "--batch"], { stdin: "pipe", stdout: "pipe" });
    git.stdin.write(chosen.map((path) => `${id}:${path}\n`).join(""));
    git.stdin.end();
    return new Map(
      parts(Buffer.from(await new Response(git.stdout).arrayBuffer())).map((text, at) => [chosen[at]!, text]),
    );
  };
  return {
    code: await among(/^(src|plugins|providers)\/.*\.tsx?$/),
    tests: await among(/^test\/.*\.tsx?$/),
    styles: await among(/^src\/.*\.css$/),
    pages: await among(/^(docs\/.*|README|ARCHITECTURE|CHANGELOG)\.md$|^docs\/.*\.md$/),
  };
}

/** The contents in what `git cat-file --batch` prints: a line with the size, the bytes, a line's end. */
function parts(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const size = Number(bytes.toString("utf8", at, end).split(" ")[2]);
    texts.push(bytes.toString("utf8", end + 1, end + 1 + size));
    at = end + 2 + size;
  }
  return texts;
}

const ids = Bun.argv.slice(2);
const commits = await Promise.all(ids.map(readCommit));
console.log(`| | ${ids.join(" | ")} |\n| --- |${" ---: |".repeat(ids.length)}`);
for (const { name, of } of FIGURES) {
  console.log(`| ${name} | ${commits.map((commit) => of(commit).toLocaleString("en")).join(" | ")} |`);
}
