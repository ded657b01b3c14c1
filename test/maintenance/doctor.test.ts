import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Libsql from "libsql";
import { runCommandLine } from "../../src/cli/run.ts";
import type { Finding } from "../../src/maintenance/doctor/finding.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { writeTip } from "../../src/spool/tip-file.ts";
import { startUpstream } from "../e2e/upstream.ts";
import { gatewayHeaders, recordOf, startWeir } from "../e2e/weir.ts";
import { type NameServer, startNameServer } from "../name-server.ts";
import { until } from "../until.ts";

let folder: string;
/** A data directory that was used and left in order; tests work on copies. */
let sound: string;
let dns: NameServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-doctor-"));
  sound = join(folder, "sound");
  dns = await startNameServer(() => ["127.0.0.1"]);
  await using upstream = await startUpstream();
  mkdirSync(sound);
  const weir = await startWeir({ dataDirectory: sound });
  const response = await fetch(`${weir.gateway}/v1/x`, { headers: gatewayHeaders(upstream.origin) });
  await response.text();
  await recordOf(weir, response.headers.get("gateway-id")!);
  await weir.stop();
  // What the tests overwrite must be in the files themselves, not in logs beside them.
  for (const name of ["weir.db", "bodies.db"]) sql(join(sound, name), "pragma wal_checkpoint(truncate)");
}, 300_000);
afterAll(() => {
  dns?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function command(directory: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let stdout = "";
  let stderr = "";
  const status = await runCommandLine(words, {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    env: {
      WEIR_DATA_DIR: directory,
      WEIR_GATEWAY_PORT: "0",
      WEIR_API_PORT: "0",
      WEIR_DNS_SERVERS: dns.address,
      ...env,
    },
    workingDirectory: folder,
  });
  return { status, stdout, stderr };
}

async function findings(directory: string, name = "doctor", env: Readonly<Record<string, string>> = {}) {
  const { status, stdout } = await command(directory, [name, "--json"], env);
  const all = JSON.parse(stdout) as Finding[];
  return { status, all, bad: all.filter(({ verdict }) => verdict !== "ok") };
}

let copies = 0;
function copy(): string {
  const path = join(folder, `copy-${copies++}`);
  cpSync(sound, path, { recursive: true });
  chmodSync(path, 0o700);
  return path;
}

test.each(["doctor", "upgrade-check"])(
  "%s finds nothing wrong with a service that was stopped in order",
  async (name) => {
    const { status, all, bad } = await findings(copy(), name);
    // What the machine itself lacks is no matter of the data directory.
    expect(bad.filter(({ check }) => !["disk", "open files", "clock"].includes(check))).toEqual([]);
    expect(status).toBe(0);
    expect(all.map(({ check }) => check)).toEqual(
      expect.arrayContaining(["configuration", "database", "spool", "drop-ins"]),
    );
  },
);

test("doctor is quiet about a data directory before the first start, and makes nothing", async () => {
  const { status, bad } = await findings(join(folder, "never", "started"));
  expect([status, bad.filter(({ check }) => check === "data directory" || check === "database")]).toEqual([0, []]);
  expect(readdirSync(folder)).not.toContain("never");
});

const broken: readonly [string, (directory: string) => void, Partial<Finding>][] = [
  [
    "a directory that others can read",
    (directory) => chmodSync(directory, 0o755),
    { check: "data directory", verdict: "warn", fix: expect.stringContaining("chmod 700") },
  ],
  [
    "a database with overwritten pages",
    (directory) => {
      const fd = openSync(join(directory, "weir.db"), "r+");
      for (let page = 2; page < 20; page++) writeSync(fd, Buffer.alloc(4_096, 0x5a), 0, 4_096, page * 8_192);
    },
    { check: "database", verdict: "fail" },
  ],
  [
    "a file that is no database",
    (directory) => writeFileSync(join(directory, "bodies.db"), "x".repeat(100_000)),
    {
      check: "database",
      verdict: "fail",
      message: expect.stringContaining("bodies.db is not a sound SQLite database"),
      fix: "stop the service and restore a backup",
    },
  ],
  [
    "a missing file of bodies",
    (directory) => rmSync(join(directory, "bodies.db")),
    { check: "database", verdict: "fail", message: expect.stringContaining("is missing") },
  ],
  [
    "a pack that cannot be read",
    (directory) => sql(join(directory, "bodies.db"), "update packs set data = x'00'"),
    { check: "packs", verdict: "warn", message: expect.stringContaining("bodies.db: pack 1, 2 cannot be read") },
  ],
  [
    "a database of a newer Weir",
    (directory) => sql(join(directory, "weir.db"), "insert into migrations values ('records', 999, 'later', 0)"),
    { check: "database", verdict: "fail", message: expect.stringContaining("version 999") },
  ],
  [
    "a database of something else than Weir",
    (directory) => {
      rmSync(join(directory, "weir.db"));
      sql(join(directory, "weir.db"), "create table migrations (id integer, migration text)");
    },
    { check: "database", verdict: "fail", message: expect.stringContaining("tables of another program (migrations)") },
  ],
  [
    "a database of an older Weir",
    (directory) => sql(join(directory, "weir.db"), "delete from migrations where version > 4"),
    { check: "database", verdict: "warn", message: expect.stringContaining("the next start migrates it (") },
  ],
  [
    "a webhook that is given up",
    (directory) =>
      sql(
        join(directory, "weir.db"),
        `insert into deliveries (id, organization_id, kind, source_id, endpoint_id, subject_id, state, attempts,
          next_attempt_at, created_at, finished_at, last_error) values ('msg_1', 'o', 'request', 'hook', 'hook', 's',
          'failed', 9, 0, 0, ${Date.now()}, 'it answered 500')`,
      ),
    {
      check: "deliveries",
      verdict: "warn",
      message: expect.stringContaining("webhook hook: 1 given up within a day, 0 failed and waiting; it answered 500"),
    },
  ],
  [
    "a record that is not read",
    (directory) =>
      sql(
        join(directory, "weir.db"),
        `insert into requests (request_id, organization_id, key_id, method, provider, request_created_at, updated_at, response_status, unread)
          values ('r', 'o', 'k', 'POST', 'CUSTOM', 0, 0, 200, 'failed: no')`,
      ),
    { check: "unread records", verdict: "warn", message: "the bodies of 1 record could not be read" },
  ],
  [
    "a torn spool",
    (directory) => appendFileSync(lastSegment(directory), Buffer.from("torn")),
    { check: "spool", verdict: "warn", message: expect.stringContaining("not complete frames") },
  ],
  [
    "a segment that was cut",
    (directory) => {
      const segment = lastSegment(directory);
      writeTip(join(directory, "spool"), { segment: Number.parseInt(basename(segment), 10), offset: 9_000_000 });
      truncateSync(segment, 20);
    },
    { check: "spool", verdict: "fail", message: expect.stringMatching(/\.spool is short: [\d.]+ MB are missing/) },
  ],
  [
    "a segment that is gone",
    (directory) => {
      // All of it is recorded; the note says that more was written behind that.
      const segment = lastSegment(directory);
      writeTip(join(directory, "spool"), { segment: Number.parseInt(basename(segment), 10), offset: 9_000_000 });
      rmSync(segment);
    },
    { check: "spool", verdict: "fail", message: expect.stringMatching(/\.spool is gone: [\d.]+ MB are missing/) },
  ],
  [
    "frames that were set aside",
    (directory) => writeFileSync(join(directory, "spool", "unreadable.frames"), "x"),
    {
      check: "spool",
      verdict: "warn",
      message: expect.stringContaining("frames that could not be read are set aside"),
    },
  ],
  [
    "torn plugin state",
    (directory) => {
      mkdirSync(join(directory, "state"), { recursive: true });
      writeFileSync(join(directory, "state", "domains.jsonl"), '{"a":1}\n{"b":');
    },
    { check: "plugin state", verdict: "warn" },
  ],
  [
    "a broken drop-in",
    (directory) => writeFileSync(join(directory, "plugins", "bad.ts"), "export default { apiVersion: 1, nam: 'bad' };"),
    { check: "drop-ins", verdict: "fail", message: expect.stringContaining("bad.ts") },
  ],
];

test.each(broken)("doctor finds %s", async (_name, breakIt, wanted) => {
  const directory = copy();
  breakIt(directory);
  const { status, bad } = await findings(directory);
  expect(bad).toContainEqual(expect.objectContaining(wanted));
  expect(bad.every(({ fix }) => fix !== null)).toBe(true);
  expect(status).toBe(bad.some(({ verdict }) => verdict === "fail") ? 1 : 0);
});

test.each(broken.filter(([name]) => /newer|older|else|drop-in/.test(name)))(
  "upgrade-check finds %s",
  async (_name, breakIt, wanted) => {
    const directory = copy();
    breakIt(directory);
    const { bad } = await findings(directory, "upgrade-check");
    expect(bad).toContainEqual(expect.objectContaining(wanted));
  },
);

test.each([
  ['[routes.fast]\ntargts = ["x"]', '[routes."fast"] targets: it is missing', "tables"],
  [
    '[credentials.openai]\nprovider = "openai"\napi_key = "sk-1"',
    "[credentials.openai] api_key: a secret must not be in",
    "tables",
  ],
  ['[[rate_limits]]\nname = "a"\nquota = 1', "[[rate_limits]] number 1: window_seconds", "tables"],
  ['[plugins.redact]\nfind = ["emial"]', '[plugins.redact] find.0: give one of "email"', "tables"],
  [
    '[credentials.main]\nprovider = "openai"\napi_key = "env:NOWHERE"',
    "[credentials.main] api_key: the variable NOWHERE is not set",
    "tables",
  ],
  [
    '[credentials.main]\nprovider = "openai"\napi_key = "file:/nowhere/key"',
    "[credentials.main] api_key: /nowhere/key: there is no such file or folder",
    "tables",
  ],
  [
    'public_url = "https://weir.test"\n[sso.corp]\nissuer = "https://127.0.0.1:1"\nclient_id = "weir"\nclient_secrt = "env:A"',
    "[sso.corp] client_secrt: there is no such member; did you mean client_secret?",
    "single sign-on",
  ],
  [
    'public_url = "https://weir.test"\n[sso.corp]\nissuer = "https://127.0.0.1:1"\nclient_id = "weir"\nclient_secret = "env:NOWHERE"',
    "[sso.corp] client_secret: the variable NOWHERE is not set",
    "single sign-on",
  ],
])("doctor and upgrade-check find tables that stop a start: %s", async (toml, message, check) => {
  const file = join(folder, `tables-${copies}.toml`);
  writeFileSync(file, toml);
  const directory = copy();
  for (const name of ["doctor", "upgrade-check"]) {
    const { status, stdout } = await command(directory, [name, "--json", "--config", file], {});
    const wanted = { check, verdict: "fail", message: expect.stringContaining(message) };
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining(wanted));
    expect(status).toBe(1);
  }
});

test("upgrade-check lets a start go on that skips what a power failure left of a segment", async () => {
  const directory = copy();
  const spool = join(directory, "spool");
  const [first] = listSegments(spool);
  const bytes = readFileSync(segmentPath(spool, first!));
  const zeros = segmentPath(spool, first! + 1);
  writeFileSync(zeros, Buffer.alloc(256 * 1024));
  expect((await findings(directory, "upgrade-check")).bad).toEqual([]);
  const damaged = segmentPath(spool, first! + 2);
  writeFileSync(damaged, bytes.fill(0, 30, 60));
  const { status, bad } = await findings(directory, "upgrade-check");
  expect(bad).toEqual([
    expect.objectContaining({ check: "spool", verdict: "warn", message: expect.stringContaining(damaged) }),
  ]);
  expect(status).toBe(0);
});

test("upgrade-check finds a spool that this program cannot read", async () => {
  const directory = copy();
  writeFileSync(join(directory, "spool", "0000000000001.spool"), "of another format");
  const { status, bad } = await findings(directory, "upgrade-check");
  expect(bad).toContainEqual(expect.objectContaining({ check: "spool", verdict: "fail" }));
  expect(status).toBe(1);
});

test("doctor finds a database that another program keeps locked", async () => {
  const directory = copy();
  const holder = new Libsql(join(directory, "weir.db"));
  holder.exec("begin immediate");
  const { bad } = await findings(directory);
  holder.close();
  expect(bad).toContainEqual(
    expect.objectContaining({ check: "database", message: expect.stringContaining("locked") }),
  );
}, 300_000);

test("doctor finds ports that are taken, name servers that are away, and authorities that are none", async () => {
  const server: Server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as { port: number };
  writeFileSync(join(folder, "none.pem"), "no certificate");
  const env = { WEIR_API_PORT: String(port), WEIR_DNS_SERVERS: "127.0.0.1:9", WEIR_EXTRA_CA_FILE: "none.pem" };
  const { status, bad } = await findings(copy(), "doctor", env);
  server.close();
  for (const [check, verdict] of [
    ["service", "fail"],
    ["dns", "warn"],
    ["authorities", "fail"],
  ] as const) {
    expect(bad).toContainEqual(expect.objectContaining({ check, verdict }));
  }
  expect(status).toBe(1);
});

test("a broken configuration is found too, a line for each problem", async () => {
  const { status, bad } = await findings(copy(), "doctor", { WEIR_REGION: "x", WEIR_NOPE: "1" });
  expect([status, bad.map(({ check, verdict }) => [check, verdict])]).toEqual([
    1,
    [
      ["configuration", "fail"],
      ["configuration", "fail"],
    ],
  ]);
});

test("while the service runs, doctor and health call it, and the service is unaffected", async () => {
  await using weir = await startWeir({ env: { WEIR_DNS_SERVERS: dns.address } });
  const env = { WEIR_API_PORT: String(weir.apiPort), WEIR_GATEWAY_PORT: String(weir.gatewayPort) };
  const ready = async () => (await (await fetch(`${weir.api}/readyz`)).json()) as { degraded: string[] };
  await until(
    async () => (await ready()).degraded.length === 0, // the jobs come last
    180_000,
    () => weir.log(),
  );
  const { all, bad } = await findings(weir.dataDirectory, "doctor", env);
  expect(bad.filter(({ check }) => !["disk", "open files", "clock"].includes(check))).toEqual([]);
  expect(all).toContainEqual(
    expect.objectContaining({ check: "service", message: expect.stringContaining("running and ready") }),
  );
  expect(await command(weir.dataDirectory, ["health"], env)).toEqual({ status: 0, stdout: "", stderr: "" });
  expect((await ready()).degraded).toEqual([]);
  await weir.stop();
  const gone = await command(weir.dataDirectory, ["health"], env);
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining("no response")]);
}, 300_000);

test("what doctor prints for people names each check, and how to fix what is wrong", async () => {
  const directory = copy();
  chmodSync(directory, 0o755);
  const { stdout } = await command(directory, ["doctor"]);
  expect(stdout).toMatch(/^weir \d+\.\d+\.\d+(?:-rc\.\d+)?\n/);
  expect(stdout).toMatch(/^ok {4}configuration {3}\S/m);
  expect(stdout).toMatch(/^warn {2}data directory {2}.* can be read by others\n {22}→ chmod 700/m);
});

function sql(path: string, text: string): void {
  const database = new Libsql(path);
  database.exec(text);
  database.close();
}

function lastSegment(directory: string): string {
  return segmentPath(join(directory, "spool"), listSegments(join(directory, "spool")).at(-1)!);
}
