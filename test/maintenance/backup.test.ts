import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { packTar, unpackTar } from "modern-tar";
import { runCommandLine } from "../../src/cli/run.ts";
import { isInnerPath } from "../../src/maintenance/backup/manifest.ts";
import { SpoolKeeper } from "../../src/maintenance/backup/spool-keeper.ts";
import { readTar, TarWriter } from "../../src/maintenance/backup/tar-archive.ts";
import { encodeFrame, NO_ID } from "../../src/spool/codec.ts";
import { FRAME } from "../../src/spool/frame.ts";
import { assertProperty } from "../chance.ts";
import { startLoad } from "../e2e/load.ts";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { bodyPart, gatewayHeaders, queryIds, recordOf, runCommand, startWeir, type Weir } from "../e2e/weir.ts";
import { until } from "../until.ts";

let folder: string;
let upstream: Upstream;
let weir: Weir;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-backup-"));
  upstream = await startUpstream();
  const dataDirectory = join(folder, "data");
  mkdirSync(join(dataDirectory, "plugins"), { recursive: true });
  const name = `${"long-name-".repeat(12)}plugin`;
  writeFileSync(
    join(dataDirectory, "plugins", `${name}.ts`),
    `export default { apiVersion: 1, name: "${name}", setup: () => ({}) };`,
  );
  weir = await startWeir({ dataDirectory, env: { WEIR_HOST: "127.0.0.1" } });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
const envOf = (directory: string) => ({ ...weir.env, WEIR_DATA_DIR: directory });

/** One command of the program, in this process. */
async function command(env: Readonly<Record<string, string>>, ...words: string[]) {
  let stderr = "";
  const status = await runCommandLine(words, {
    out: () => {},
    err: (text) => {
      stderr += text;
    },
    env,
    workingDirectory: folder,
  });
  return { status, stderr };
}

test("a backup of a new database shows its size, most of which is in its log", async () => {
  const { stderr } = await command(weir.env, "backup", at("new"));
  expect(stderr).toMatch(/^weir\.db \([1-9]\d*\.\d MB\)$/m);
});

test("a backup made under load holds every request that had its response before it", async () => {
  const name = "under-load.tar";
  const load = startLoad(weir.gatewayPort, upstream.origin, 8);
  await until(
    async () => load.seen.filter(({ complete }) => complete).length >= 60,
    180_000,
    () => "no load came up",
  );
  const before = load.seen.filter(({ complete }) => complete);
  const made = await runCommand(weir.env, "backup", at(name));
  expect([made.status, made.stdout]).toEqual([0, ""]);
  await load.stop();

  const restored = at(`${name}-restored`);
  const put = await runCommand(envOf(restored), "restore", at(name));
  expect([put.status, put.stderr]).toEqual([0, expect.stringContaining("verified and restored")]);
  await using again = await startWeir({ dataDirectory: restored });
  const ids = before.map(({ id }) => id);
  await until(
    async () => {
      const found = await queryIds(again, ids);
      return found.length === ids.length && found.every((record) => record["response_status"] !== null);
    },
    180_000,
    () => "records are missing after the restore",
    100,
  );
  const statuses = new Map((await queryIds(again, ids)).map((record) => [record["request_id"], record]));
  const wrong = before.filter(({ id, status }) => statuses.get(id)?.["response_status"] !== status);
  expect(wrong).toEqual([]);
  const last = before.at(-1)!.id;
  expect((await bodyPart(again, last, "response")).equals(await bodyPart(weir, last, "response"))).toBe(true);
  expect(readdirSync(join(restored, "plugins"))).toEqual(readdirSync(join(weir.dataDirectory, "plugins")));
}, 300_000);

test("a stream in flight is in the backup, cut off, and continues undisturbed here", async () => {
  const headers = gatewayHeaders(upstream.origin);
  const stream = await fetch(`${weir.gateway}/held`, { method: "POST", body: "{}", headers });
  const id = stream.headers.get("gateway-id")!;
  expect((await command(weir.env, "backup", at("in-flight"), "--quiet")).status).toBe(0);
  upstream.finish();
  expect(await stream.text()).toContain('{"index":1}');
  expect((await command(envOf(at("in-flight-restored")), "restore", at("in-flight"))).status).toBe(0);
  await using again = await startWeir({ dataDirectory: at("in-flight-restored") });
  expect((await recordOf(again, id))["response_status"]).toBe(500);
  expect((await recordOf(weir, id))["response_status"]).toBe(200);
}, 300_000);

test("an archive is one that tar reads, and its files are the owner's alone", async () => {
  await command(weir.env, "backup", at("plain.tar"), "--quiet");
  const listed = Bun.spawnSync(["tar", "tf", at("plain.tar")])
    .stdout.toString()
    .trim()
    .split("\n");
  expect(listed.slice(0, 2)).toEqual(["weir.db", "bodies.db"]);
  expect(listed.at(-1)).toBe("backup.json");
  expect(listed.some((name) => name.startsWith("spool/"))).toBe(true);
  expect(statSync(at("plain.tar")).mode & 0o077).toBe(0);
});

test("nothing is overwritten unless it is said, and nothing under a service that runs", async () => {
  const again = await command(weir.env, "backup", at("plain.tar"));
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("--force")]);
  const running = await command(weir.env, "restore", at("plain.tar"), "--force");
  expect([running.status, running.stderr]).toEqual([1, expect.stringContaining("in use by another weir serve")]);

  const place = at("occupied");
  expect((await command(envOf(place), "restore", at("plain.tar"))).status).toBe(0);
  writeFileSync(join(place, "spool", "0000000000001.spool"), "of before");
  const refused = await command(envOf(place), "restore", at("plain.tar"));
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("--force")]);
  expect((await command(envOf(place), "restore", at("plain.tar"), "--force")).status).toBe(0);
  expect(existsSync(join(place, "spool", "0000000000001.spool"))).toBe(false);
  expect(readdirSync(place).filter((name) => name.includes("partial"))).toEqual([]);
});

test.each([
  ["a folder of something else", "photos"],
  ["a file", "photos/one.jpg"],
  ["a folder that is named as an archive", "photos/old.tar"],
  ["the working directory", ""],
])("a backup never replaces %s, --force or not", async (_what, name) => {
  mkdirSync(at("photos/old.tar"), { recursive: true });
  writeFileSync(at("photos/one.jpg"), "precious");
  for (const force of [[], ["--force"]]) {
    const { status, stderr } = await command(weir.env, "backup", name, "--quiet", ...force);
    expect([status, stderr]).toEqual([
      1,
      `weir: ${at(name).replace(/\/$/, "")} exists and is not a backup; choose another name\n`,
    ]);
  }
  expect(readFileSync(at("photos/one.jpg"), "utf8")).toBe("precious");
  expect(readdirSync(at("photos")).sort()).toEqual(["old.tar", "one.jpg"]);
});

test("--force replaces a backup, and an empty folder that waits for one", async () => {
  mkdirSync(at("waiting"));
  expect((await command(weir.env, "backup", at("waiting"), "--quiet")).status).toBe(1);
  for (let times = 0; times < 2; times++) {
    expect((await command(weir.env, "backup", at("waiting"), "--quiet", "--force")).status).toBe(0);
    expect(readdirSync(at("waiting"))).toContain("backup.json");
  }
});

test("there is nothing to back up before the first start", async () => {
  const result = await command(envOf(at("never")), "backup", at("of-nothing"));
  expect([result.status, result.stderr]).toEqual([1, expect.stringContaining("nothing to back up")]);
  expect(existsSync(at("of-nothing"))).toBe(false);
});

test.each<[string, (bytes: Buffer) => Uint8Array | Promise<Uint8Array>, RegExp]>([
  ["cut off", (bytes) => bytes.subarray(0, bytes.byteLength - 70_000), /cannot be read|no backup.json/],
  ["changed in the middle", (bytes) => flip(bytes, 40_000), /weir\.db has changed since the backup/],
  ["changed in a header", (bytes) => flip(bytes, 3), /not a tar archive/],
  ["no archive", () => Buffer.from("x".repeat(2_000)), /not a tar archive/],
  ["empty", () => Buffer.alloc(0), /not a tar archive/],
  ["with a file outside", before("../evil", "file"), /contains a file with the name "\.\.\/evil"/],
  ["with a link", before("weir.db-link", "symlink"), /"weir\.db-link", which is a symbolic link/],
  ["with a hard link", before("hard", "link"), /"hard", which is a hard link/],
  ["with a pipe", before("pipe", "fifo"), /"pipe", which is a named pipe/],
  ["with a device", before("null", "character-device"), /"null", which is a device/],
  ["with two lists", async (bytes) => before("backup.json", "file", await listOf(bytes))(bytes), /backup\.json twice/],
  ["with a stranger", before("state/evil", "file"), /state\/evil is not part/],
])("a backup that is %s is refused, and what is there stays", async (name, change, why) => {
  const damaged = at(`damaged ${name}.tar`);
  writeFileSync(damaged, await change(readFileSync(at("plain.tar"))));
  const place = at("undamaged");
  mkdirSync(join(place, "state"), { recursive: true });
  writeFileSync(join(place, "state", "kept"), "kept");
  const result = await command(envOf(place), "restore", damaged, "--force");
  expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(why)]);
  expect(readFileSync(join(place, "state", "kept"), "utf8")).toBe("kept");
  expect(existsSync(at("evil"))).toBe(false);
});

/** An archive with another entry at its beginning. */
function before(...entry: Parameters<typeof blocksOf>) {
  return async (bytes: Buffer) => Buffer.concat([await blocksOf(...entry), bytes]);
}

/** The text of its `backup.json`. */
async function listOf(archive: Buffer): Promise<string> {
  const [found] = await unpackTar(archive, { filter: ({ name }) => name === "backup.json" });
  return Buffer.from(found!.data!).toString();
}

/** The blocks of an entry, without an archive's end. */
async function blocksOf(name: string, type: "file" | "link" | "symlink" | "fifo" | "character-device", body = "") {
  const header = { name, type, size: Buffer.byteLength(body), ...(type.endsWith("link") && { linkname: "weir.db" }) };
  const archive = await packTar([{ header, body }]);
  return archive.subarray(0, -1_024);
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ 0xff;
  return copy;
}

test("a backup of another region is refused", async () => {
  const env = { ...envOf(at("other-region")), WEIR_REGION: "eu" };
  const result = await command(env, "restore", at("plain.tar"));
  expect([result.status, result.stderr]).toEqual([1, expect.stringContaining('of region "us"')]);
});

test("the European pair is in the backup with its records, and is restored to a pair alone", async () => {
  const pair = { WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" };
  const dataDirectory = at("pair");
  mkdirSync(dataDirectory);
  const both = await startWeir({ dataDirectory, env: pair });
  const [, euGateway] = /"eu_gateway":"([^"]+)"/.exec(both.log())!;
  const response = await fetch(`${euGateway}/v1/x`, { headers: gatewayHeaders(upstream.origin) });
  await response.text();
  // On a busy machine the pair serves before its database is made.
  const [, ownApi] = /"eu_api":"([^"]+)"/.exec(both.log())!;
  await recordOf({ api: ownApi! }, response.headers.get("gateway-id")!);
  expect(await command(both.env, "backup", at("pair.tar"), "-q")).toMatchObject({ status: 0 });
  await both.stop();
  const single = await command(envOf(at("single")), "restore", at("pair.tar"));
  expect([single.status, single.stderr]).toEqual([1, expect.stringContaining("WEIR_EU_DATABASE_URL")]);
  const env = { ...both.env, WEIR_DATA_DIR: at("pair-restored") };
  expect((await command(env, "restore", at("pair.tar"))).status).toBe(0);
  await using again = await startWeir({ dataDirectory: at("pair-restored"), env: pair });
  const [, euApi] = /"eu_api":"([^"]+)"/.exec(again.log())!;
  expect((await recordOf({ api: euApi! }, response.headers.get("gateway-id")!))["response_status"]).toBe(200);
}, 300_000);

test("spool files that the recorder deletes during a backup are kept, with what was appended meanwhile", () => {
  const directory = at("spool");
  mkdirSync(directory);
  const [first, second] = ["0000000000001.spool", "0000000000002.spool"];
  const frame = encodeFrame(FRAME.start, NO_ID, Buffer.from("{}"));
  writeFileSync(join(directory, first), frame);
  const keeper = new SpoolKeeper(directory);
  writeFileSync(join(directory, first), frame, { flag: "a" });
  rmSync(join(directory, first));
  writeFileSync(join(directory, second), frame);
  keeper.stop();
  expect([...keeper.files()].map(({ name, bytes }) => [name, bytes])).toEqual([
    [first, 2 * frame.byteLength],
    [second, frame.byteLength],
  ]);
  keeper.close();
});

test("what is written into a tar file is read back, with names of any length", async () => {
  const names = fc
    .string({ unit: "binary", minLength: 1, maxLength: 300 })
    .map((text) => text.replace(/[\0\s/]/gu, "_"));
  let times = 0;
  await assertProperty(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(names, fc.uint8Array({ maxLength: 3_000 })), { selector: ([name]) => name }),
      async (files) => {
        const path = at(`written-${times++}.tar`);
        const writer = new TarWriter(path);
        for (const [name, content] of files) await writer.addBytes(name, content);
        await writer.finish();
        expect(await filesOf(path)).toEqual(files.map(([name, content]) => [name, Buffer.from(content)]));
      },
    ),
  );
});

test("an archive that GNU tar made is read, with long names", async () => {
  const name = `${"long/".repeat(30)}${"n".repeat(120)}`;
  mkdirSync(join(at("gnu"), "long/".repeat(30)), { recursive: true });
  writeFileSync(join(at("gnu"), name), "content");
  for (const format of ["gnu", "posix"]) {
    const path = at(`${format}.tar`);
    expect(Bun.spawnSync(["tar", `--format=${format}`, "-cf", path, "-C", at("gnu"), "long"]).exitCode).toBe(0);
    expect(await filesOf(path)).toEqual([[name, Buffer.from("content")]]);
  }
});

async function filesOf(path: string): Promise<[string, Buffer][]> {
  const files: [string, Buffer][] = [];
  const onOther = (name: string) => {
    throw new Error(name);
  };
  for await (const { name, copy } of readTar(path, onOther)) {
    const pieces: Uint8Array[] = [];
    await copy((piece) => void pieces.push(piece));
    files.push([name, Buffer.concat(pieces)]);
  }
  return files;
}

test.each(["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a", "a\\b", "C:/x", "a\0b"])(
  "%j is no name inside a directory",
  (name) => {
    expect(isInnerPath(name)).toBe(false);
  },
);
