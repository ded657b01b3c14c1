import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { temporaryDirectory } from "../directory.ts";
import { onOwnDisk } from "../own-disk.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, programCommand, queryIds, recordsOf, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream?.close());

const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "still there?" }] });

/** Far more than a response takes, and less than any wait for a database. */
const RESPONSE_MS_MAX = 30_000;

/** Sends `count` requests one after the other; each must get a full response during the trouble. Returns their ids. */
async function traffic(weir: Weir, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
      method: "POST",
      body: CHAT,
      headers: gatewayHeaders(upstream.origin),
      signal: AbortSignal.timeout(RESPONSE_MS_MAX),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    ids.push(response.headers.get("gateway-id")!);
  }
  return ids;
}

test("a database locked by another process holds up no request and loses no record", async () => {
  await using weir = await startWeir();
  const before = await traffic(weir, 5);
  await recordsOf(weir, before);
  const others = ["weir.db", "bodies.db"].map((name) => new Database(join(weir.dataDirectory, name)));
  // The service may be writing at this moment, so a lock is waited for.
  for (const other of others) other.exec("PRAGMA busy_timeout = 30000; BEGIN EXCLUSIVE");
  const ids = await traffic(weir, 100);
  await new Promise((wake) => setTimeout(wake, 500));
  const more = await traffic(weir, 20);
  expect((await fetch(`${weir.api}/healthz`)).status).toBe(200);
  for (const other of others) {
    other.exec("ROLLBACK");
    other.close();
  }
  const records = await recordsOf(weir, [...before, ...ids, ...more]);
  expect(records.every(({ response_status }) => response_status === 200)).toBe(true);
}, 300_000);

test("a database moved away and back again loses no record", async () => {
  await using weir = await startWeir();
  await recordsOf(weir, await traffic(weir, 5));
  const away = join(weir.dataDirectory, "away");
  mkdirSync(away);
  const files = readdirSync(weir.dataDirectory).filter((name) => /^(weir|bodies)\.db/.test(name));
  expect(files).toContain("weir.db");
  for (const name of files) renameSync(join(weir.dataDirectory, name), join(away, name));
  const ids = await traffic(weir, 50);
  await new Promise((wake) => setTimeout(wake, 300));
  for (const name of readdirSync(weir.dataDirectory))
    if (/^(weir|bodies)\.db/.test(name)) rmSync(join(weir.dataDirectory, name));
  for (const name of files) renameSync(join(away, name), join(weir.dataDirectory, name));
  const records = await recordsOf(weir, [...ids, ...(await traffic(weir, 5))]);
  expect(records.every(({ response_status }) => response_status === 200)).toBe(true);
}, 300_000);

/** Makes files immutable or not, where the system has that. */
function immutable(files: readonly string[], on: boolean): boolean {
  try {
    execFileSync("chattr", [on ? "+i" : "-i", ...files], { stdio: "ignore" });
    return true;
  } catch {
    return false; // no root or no such file system: the caller goes without
  }
}

test("a database that cannot be written for a while loses no record", async () => {
  await using weir = await startWeir();
  await recordsOf(weir, await traffic(weir, 5));
  // Not the -shm file: it is mapped into memory, and no program survives a mapping that refuses a write.
  const files = readdirSync(weir.dataDirectory)
    .filter((name) => /^(weir|bodies)\.db(-wal)?$/.test(name))
    .map((name) => join(weir.dataDirectory, name));
  if (!immutable(files, true)) {
    console.warn("files cannot be made immutable here: file-limit.test.ts and the next test need no root");
    return;
  }
  let ids: string[] = [];
  try {
    ids = await traffic(weir, 50);
    await new Promise((wake) => setTimeout(wake, 500));
  } finally {
    immutable(files, false);
  }
  const records = await recordsOf(weir, [...ids, ...(await traffic(weir, 5))]);
  expect(records.every(({ response_status }) => response_status === 200)).toBe(true);
}, 300_000);

test("a service started on a database that it may not write carries traffic and records it later", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-readonly-"));
  const asRoot = process.getuid?.() === 0;
  const nobody = 65_534;
  // File modes do not bind root: the service runs as somebody whom they do.
  const wrapper = asRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  if (asRoot) chownSync(dataDirectory, nobody, nobody);
  try {
    await using first = await startWeir({ dataDirectory, wrapper });
    await recordsOf(first, await traffic(first, 3));
    await first.stop();
    const modes = (mode: number) => {
      for (const name of readdirSync(dataDirectory))
        if (/^(weir|bodies)\.db$/.test(name)) chmodSync(join(dataDirectory, name), mode);
    };
    modes(0o444);
    await using weir = await startWeir({ dataDirectory, wrapper });
    const ids = await traffic(weir, 20);
    modes(0o644);
    const records = await recordsOf(weir, ids);
    expect(records).toHaveLength(20);
    expect(await weir.stop()).toBe(0);
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);

const METRIC_DROPPED = /^weir_\w*dropped\w*(?:\{[^}]*\})? (\d+)/m;

test("a full disk under the spool stops no traffic; what is lost is counted, and with room recording continues", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-full-"));
  const spool = join(dataDirectory, "spool");
  const wrapper = onOwnDisk(spool, "size=8m");
  if (wrapper === undefined) {
    console.warn("no file system of one's own here: file-limit.test.ts shows the same by a limit on file sizes");
    rmSync(dataDirectory, { recursive: true, force: true });
    return;
  }
  const weir = await startWeir({ dataDirectory, wrapper });
  try {
    await recordsOf(weir, await traffic(weir, 3));
    // The process sees the small disk; from outside it is reached through its root.
    const filler = `/proc/${weir.pid}/root${spool}/filler`;
    const free = () => statFree(`/proc/${weir.pid}/root${spool}`);
    writeFileSync(filler, Buffer.alloc(Math.max(0, free() - 4_096)));
    writeFileSync(`${filler}.rest`, Buffer.alloc(free()));
    expect(free()).toBe(0);
    expect(statSync(filler).size).toBeGreaterThan(1 << 20);

    const during = await traffic(weir, 40);
    const metrics = await (await fetch(`${weir.api}/metrics`)).text();
    const dropped = Number(METRIC_DROPPED.exec(metrics)?.[1] ?? Number.NaN);
    const ready = await fetch(`${weir.api}/readyz`);
    const state = await ready.text();
    expect(state).toMatch(/spool/i);

    rmSync(filler);
    rmSync(`${filler}.rest`);
    const after: string[] = [];
    await until(
      async () => {
        const [id] = await traffic(weir, 1);
        await new Promise((wake) => setTimeout(wake, 200));
        if ((await queryIds(weir, [id!])).length === 0) return false;
        after.push(id!);
        return after.length >= 3;
      },
      180_000,
      () => `recording does not go on; log: ${weir.log().slice(-2_000)}`,
    );
    const found = await queryIds(weir, during);
    const droppedAtEnd = Number(METRIC_DROPPED.exec(await (await fetch(`${weir.api}/metrics`)).text())?.[1]);
    expect(dropped).toBeGreaterThan(0);
    expect(found.length + droppedAtEnd).toBeGreaterThanOrEqual(during.length);
    expect(found.every(({ response_status }) => response_status === 200)).toBe(true);
    expect(weir.log()).toMatch(/spool/i);
    expect((await callApi(weir, "/readyz")).status).toBe(200);
  } finally {
    await weir.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);

test("a command whose disk is full says which, and leaves no half of a backup", async () => {
  using directory = temporaryDirectory();
  const small = join(directory.path, "small");
  const wrapper = onOwnDisk(small, "size=100k");
  if (wrapper === undefined) return console.warn("no file system of one's own here");
  const data = join(directory.path, "data");
  const backup = join(directory.path, "backup.tar");
  const run = (words: readonly string[], dataDirectory: string, before: readonly string[] = []) => {
    const [program, ...rest] = [...before, ...programCommand(), ...words];
    const env = { PATH: process.env["PATH"] ?? "", WEIR_DATA_DIR: dataDirectory };
    const { status, stderr } = spawnSync(program!, rest, { env, cwd: directory.path, encoding: "utf8" });
    return { status, line: stderr.trimEnd().split("\n").at(-1) };
  };
  const full = (words: readonly string[], dataDirectory: string) => run(words, dataDirectory, wrapper);
  expect(run(["keys", "create", "--name", "x"], data).status).toBe(0);
  expect(run(["backup", backup], data).status).toBe(0);
  expect(full(["backup", join(small, "b.tar")], data)).toEqual({
    status: 1,
    line: `weir: ${join(small, "b.tar")}: no space is left on the disk`,
  });
  expect(full(["restore", backup], join(small, "data"))).toEqual({
    status: 1,
    line: `weir: ${join(small, "data")}: no space is left on the disk`,
  });
  const filled = [...wrapper, "sh", "-c", `cat /dev/zero > '${small}/filler' 2>/dev/null; exec "$@"`, "sh"];
  expect(run(["keys", "create", "--name", "x"], small, filled)).toEqual({
    status: 1,
    line: `weir: data_dir = ${JSON.stringify(small)} cannot be used: no space is left on the disk`,
  });
}, 300_000);

test("upgrade-check says of a read-only disk that it is one, and a start is refused for it", async () => {
  using directory = temporaryDirectory();
  const wrapper = onOwnDisk(directory.path, "size=1m");
  if (wrapper === undefined) return console.warn("no file system of one's own here");
  const readOnly = [...wrapper, "sh", "-c", `mount -o remount,ro '${directory.path}'; exec "$@"`, "sh"];
  const run = (word: string) => {
    const [program, ...rest] = [...readOnly, ...programCommand(), word];
    const env = { PATH: process.env["PATH"] ?? "", WEIR_DATA_DIR: directory.path };
    const { status, stdout, stderr } = spawnSync(program!, rest, { env, cwd: "/", encoding: "utf8" });
    return { status, said: stdout + stderr };
  };
  expect(run("upgrade-check")).toEqual({
    status: 1,
    said: expect.stringContaining(`${directory.path} is on a read-only file system`),
  });
  const refused = `data_dir = ${JSON.stringify(directory.path)} cannot be used: its file system is read-only`;
  expect(run("serve")).toEqual({ status: 1, said: `weir: ${refused}\n` });
}, 300_000);

test("with on_spool_full = refuse a full disk is a 503 that names the cause", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-refuse-"));
  const spool = join(dataDirectory, "spool");
  const wrapper = onOwnDisk(spool, "size=8m");
  if (wrapper === undefined) {
    console.warn("no file system of one's own here: file-limit.test.ts shows the same by a limit on file sizes");
    rmSync(dataDirectory, { recursive: true, force: true });
    return;
  }
  const weir = await startWeir({ dataDirectory, wrapper, env: { WEIR_ON_SPOOL_FULL: "refuse" } });
  try {
    await traffic(weir, 3);
    const root = `/proc/${weir.pid}/root${spool}`;
    writeFileSync(`${root}/filler`, Buffer.alloc(Math.max(0, statFree(root) - 4_096)));
    writeFileSync(`${root}/filler.rest`, Buffer.alloc(statFree(root)));
    const seen = upstream.seen.length;
    const responses: Response[] = [];
    for (let index = 0; index < 20; index += 1)
      responses.push(
        await fetch(`${weir.gateway}/v1/chat/completions`, {
          method: "POST",
          body: CHAT.replace("there", "x".repeat(2_000)),
          headers: gatewayHeaders(upstream.origin),
        }),
      );
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(10);
    expect(await refused.at(-1)!.json()).toMatchObject({ error: { type: "gateway_error", code: "spool_full" } });
    expect(upstream.seen.length - seen).toBe(responses.length - refused.length);
    rmSync(`${root}/filler`);
    rmSync(`${root}/filler.rest`);
    await until(
      async () => (await fetch(`${weir.gateway}/v1/x`, { headers: gatewayHeaders(upstream.origin) })).status === 200,
      180_000,
      () => "the service still refuses",
      200,
    );
  } finally {
    await weir.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);

/** Free bytes of the file system that holds `path`. */
function statFree(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
