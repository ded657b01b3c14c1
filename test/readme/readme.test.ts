import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { ROOT, startWeir, type Weir } from "../e2e/weir.ts";
import { within } from "../until.ts";
import { commandsIn } from "./commands.ts";

/** Commands that this test would run inside itself: each is run by what stands beside it. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  "npm test": "the run that this test is part of",
  "npm run test:fast": "the same run, which includes its tests",
  "npm run build": "test/binary.test.ts",
};

const COMMANDS = commandsIn(join(ROOT, "README.md"));
const folder = mkdtempSync(join(tmpdir(), "weir-readme-"));
const shims = join(folder, "bin");
let upstream: Upstream;
let weir: Weir;
let firstKey: string;
/** The output of earlier commands, for commands that use it. */
let gatewayId = "";

beforeAll(async () => {
  mkdirSync(shims);
  // A reader types in the clone's folder; here a folder that looks like it, so that files which commands write are ours.
  for (const name of ["package.json", "src", "build", "node_modules", "providers", "plugins"])
    symlinkSync(join(ROOT, name), join(folder, name));
  symlinkSync(process.execPath, join(shims, "bun"));
  // The scripts of package.json through Bun, whose start is quicker than npm's; the service itself through npm where that is.
  const start = `[ "$1" = start ] && exec ${Bun.which("npm") ?? "bun run"} start`;
  const script = '[ "$1" = run ] && shift; name=$1; shift; [ "$1" = -- ] && shift; exec bun run --silent "$name" "$@"';
  writeShim("npm", `${start}\n${script}`);
  if (Bun.which("curl") === null) writeShim("curl", `exec bun ${join(ROOT, "test/readme/curl.ts")} "$@"`);
  writeFileSync(join(folder, ".curlrc"), "silent\nshow-error\nfail-with-body\n");
  upstream = await startUpstream();
  const env = { PATH: path(), WEIR_BOOTSTRAP_KEY: "" }; // none: the first start makes one
  weir = await startWeir({
    dataDirectory: mkdirIn("weir-data"),
    command: ["sh", "-c", `cd ${folder} && exec npm start`],
    env,
  });
  firstKey = /sk-weir-us-\w+/.exec(weir.output())?.[0] ?? "";
}, 300_000);

afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

function mkdirIn(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

function writeShim(name: string, script: string): void {
  writeFileSync(join(shims, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(shims, name), 0o755);
}

function path(): string {
  return `${shims}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
}

/** The command as a reader would type it here: addresses, key and ids of this run in place of the printed ones. */
function typed(text: string): string {
  const request = COMMANDS.find((command) => command.text.includes("https://api.openai.com"))!.text;
  return text
    .replaceAll("curl …", request)
    .replaceAll("sk-weir-us-…", firstKey)
    .replaceAll("<gateway-id>", gatewayId)
    .replaceAll("http://echo.localhost:8787", `http://echo.localhost:${weir.gatewayPort}`)
    .replaceAll("http://127.0.0.1:8787", weir.gateway)
    .replaceAll("http://127.0.0.1:8788", weir.api)
    .replaceAll("https://api.openai.com", upstream.origin);
}

async function run(text: string): Promise<{ status: number; stdout: string; stderr: string }> {
  const env = {
    ...weir.env,
    PATH: path(),
    CURL_HOME: folder,
    WEIR_API_KEY: firstKey,
    OPENAI_API_KEY: "sk-of-the-provider",
    WEIR_API_URL: weir.api,
  };
  const child = spawn("sh", ["-c", text], { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [status] = await within(once(child, "close"), 180_000, () => `did not end: ${text}\n${stdout}\n${stderr}`);
  return { status, stdout, stderr };
}

test.each(COMMANDS.map(({ line, text }) => [`line ${line}: ${text}`, text] as const))(
  "%s",
  async (_title, text) => {
    if (text === "npm start") return expect(firstKey).not.toBe("");
    if (RUN_ELSEWHERE[text] !== undefined) {
      const script = /^npm (?:run )?(\S+)/.exec(text)![1]!;
      return expect(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts).toHaveProperty(script);
    }
    const { status, stdout, stderr } = await run(typed(text));
    expect({ status, stderr: status === 0 ? "" : stderr + stdout }).toEqual({ status: 0, stderr: "" });
    const id = /^gateway-id: (\S+)$/im.exec(stdout)?.[1];
    if (gatewayId === "" && id !== undefined) gatewayId = id;
  },
  300_000,
);

test("what was sent is what is read back", async () => {
  const response = await fetch(`${weir.api}/v1/request/${gatewayId}`, {
    headers: { Authorization: `Bearer ${firstKey}` },
  });
  const { data } = await response.json();
  expect(data).toMatchObject({
    request_id: gatewayId,
    model: "gpt-4o-mini-2026-03-01",
    properties: { Environment: "staging" },
  });
});

test("a signal to npm start reaches the service, which stops in order", async () => {
  expect(await weir.stop()).toBe(0);
  expect(weir.log()).toContain('"stopped"');
});
