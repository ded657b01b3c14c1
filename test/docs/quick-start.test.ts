import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { callApi, KEY, ROOT, startWeir, type Weir } from "../e2e/weir.ts";
import { until, within } from "../until.ts";

const page = readFileSync(join(ROOT, "docs/quick-start.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "weir-quick-start-"));
let upstream: Upstream;
let weir: Weir;

beforeAll(async () => {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  upstream = await startUpstream();
  weir = await startWeir();
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The programs of the page, each with the heading that it stands below. */
function programs(language: string): [string, string][] {
  return page.split(/^## /m).flatMap((section) => {
    const heading = section.split("\n", 1)[0]!;
    const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))];
    return blocks.map(([, text]): [string, string] => [heading, text!]);
  });
}

/** Addresses of this run in place of those that the page names. */
function here(text: string): string {
  return text
    .replaceAll("http://127.0.0.1:8787", weir.gateway)
    .replace(/https:\/\/(api\.openai\.com|api\.anthropic\.com|generativelanguage\.googleapis\.com)/g, upstream.origin);
}

const CREDENTIALS = {
  OPENAI_API_KEY: "sk-openai",
  ANTHROPIC_API_KEY: "sk-ant",
  GEMINI_API_KEY: "AIza",
  WEIR_API_KEY: KEY,
};

async function run(program: string, words: readonly string[]) {
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...CREDENTIALS },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [status] = await within(once(child, "close"), 180_000, () => `did not end: ${stderr}`);
  return { status, stdout, stderr };
}

async function recorded(): Promise<number> {
  const response = await callApi(weir, "/v1/request/count/query", { method: "POST", body: '{"filter":"all"}' });
  return (await response.json()).data;
}

test.each(programs("ts"))(
  "the TypeScript program for %s runs, prints the response and is recorded",
  async (name, text) => {
    const before = await recorded();
    const file = join(folder, `${name.replaceAll(/\W/g, "-")}.ts`);
    writeFileSync(file, here(text));
    const { status, stdout, stderr } = await run(process.execPath, [file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.trim().length).toBeGreaterThan(3);
    await until(
      async () => (await recorded()) > before,
      180_000,
      () => "nothing was recorded",
    );
  },
  300_000,
);

test("every SDK that the page names has a program in TypeScript, and the headings are those of the page", () => {
  expect(programs("ts").map(([name]) => name)).toEqual(["OpenAI", "Anthropic", "Google", "AI SDK"]);
  expect(programs("python").map(([name]) => name)).toEqual(["OpenAI", "Anthropic", "Google", "Frameworks"]);
});

test("the Python programs name the same addresses and headers as the others", () => {
  for (const [name, text] of programs("python")) {
    expect([name, text]).toEqual([
      name,
      expect.stringContaining('"Gateway-Auth": f"Bearer {os.environ[\'WEIR_API_KEY\']}"'),
    ]);
    expect(text).toMatch(
      /"Gateway-Target-Url": "https:\/\/(api\.openai|api\.anthropic|generativelanguage\.googleapis)\.com"/,
    );
    expect(text).toContain('base_url="http://127.0.0.1:8787');
  }
});
