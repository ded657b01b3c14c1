import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "./e2e/upstream.ts";
import { gatewayHeaders, ROOT, recordOf, startWeir, type Weir } from "./e2e/weir.ts";
import { onOwnDisk } from "./own-disk.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-binary-"));
const home = mkdtempSync(join(tmpdir(), "weir-home-"));
const binary = join(folder, "weir");

beforeAll(() => {
  const built = process.env["WEIR_TEST_BINARY"];
  if (built) return copyFileSync(built, binary);
  const build = Bun.spawnSync([process.execPath, join(ROOT, "build/binary.ts"), "--outfile", binary], { cwd: ROOT });
  if (build.exitCode !== 0) throw new Error(build.stderr.toString());
}, 300_000);

afterAll(() => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});

/** Starts the binary in its folder, with a home of its own, and nothing else of this machine. */
function start(env: Readonly<Record<string, string>> = {}): Promise<Weir> {
  return startWeir({
    dataDirectory: folder,
    command: [binary],
    env: { HOME: home, PATH: "/nowhere", WEIR_DATA_DIR: "./weir-data", ...env },
  });
}

test("the binary alone proxies, records, reads back, and loads a drop-in next to it", async () => {
  mkdirSync(join(folder, "providers"));
  // Over 50 kB: the runtime keeps compiled forms of such files in the home directory unless switched off.
  const provider = `import type { ProviderPlugin } from "weir/plugin";
    export default { apiVersion: 1, name: "ACME", hosts: ["127.0.0.1"], extends: "OPENAI", cost: () => 0.25 } satisfies ProviderPlugin;
    const text = "${"x".repeat(60_000)}";`;
  writeFileSync(join(folder, "providers", "acme.ts"), provider);
  // Files that a runtime would read from the directory it is started in must not matter.
  writeFileSync(join(folder, ".env"), "WEIR_GATEWAY_PROT=1\n");
  writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./missing.ts"]\n');
  const before = readdirSync(folder).sort();

  await using upstream = await startUpstream();
  const weir = await start({ WEIR_PROVIDERS_DIR: "./providers" });
  const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] });
  const headers = gatewayHeaders(upstream.origin, { "content-type": "application/json" });
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, { method: "POST", body, headers });
  expect(response.status).toBe(200);
  const record = await recordOf(weir, response.headers.get("gateway-id")!);
  expect(record).toMatchObject({
    provider: "ACME",
    response_status: 200,
    cost: 0.25,
    model: expect.stringContaining("gpt-4o-mini"),
  });
  expect((await fetch(`${weir.api}/docs`)).status).toBe(200);
  const shell = await (await fetch(`${weir.api}/requests`, { headers: { accept: "text/html" } })).text();
  const [, script] = /src="(\/assets\/main-[^"]+)"/.exec(shell)!;
  expect((await fetch(weir.api + script)).headers.get("content-type")).toStartWith("text/javascript");
  expect(await weir.stop()).toBe(0);

  expect(readdirSync(folder).sort()).toEqual([...before, "weir-data"].sort());
  expect(readdirSync(home)).toEqual([]);
}, 300_000);

test.each(["noexec", "size=1m"])("the binary says which temporary directory it needs where it has %s", (options) => {
  const temporary = join(folder, "temporary");
  const wrapper = onOwnDisk(temporary, options);
  if (wrapper === undefined) return console.warn("no file system of one's own here");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: temporary };
  const { exitCode, stderr } = Bun.spawnSync([...wrapper, binary, "keys", "list"], { cwd: folder, env });
  expect(stderr.toString()).toMatch(/^weir: the database's native part cannot be loaded: [^\n]+set TMPDIR[^\n]+\n$/);
  expect(exitCode).toBe(1);
});

test("the binary makes a skeleton with types that passes its own check", () => {
  const run = (...words: string[]) => Bun.spawnSync([binary, ...words], { cwd: folder, env: { HOME: home } });
  const made = run("plugins", "new", "night", "--dir", "made");
  expect(made.exitCode).toBe(0);
  expect(readdirSync(join(folder, "made")).sort()).toEqual(["night.ts", "weir-plugin.d.ts"]);
  const checked = run("plugins", "check", made.stdout.toString().trim());
  expect(checked.stderr.toString()).toBe("");
  expect(checked.exitCode).toBe(0);
}, 300_000);
