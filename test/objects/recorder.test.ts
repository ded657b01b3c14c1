import { expect, test } from "bun:test";
import { join } from "node:path";
import { lostObjects } from "../../src/store/objects/lost.ts";
import { packsHere } from "../../src/store/objects/moving.ts";
import { openStore } from "../../src/store/store.ts";
import { chance } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { configIn, pass, type Rig, rig, spoolIn, startRecorder } from "../recorder/harness.ts";
import { until } from "../until.ts";
import { startObjectStore, type TestStore } from "./store.ts";

const random = chance("objects");

const BINARY = { headers: ["Content-Type", "application/octet-stream"] };
const ask = (prompt: string) => JSON.stringify({ model: "m", prompt });
const requestOf = async (weir: Rig, id: string) => (await weir.body(id, "request"))?.content.toString();
const erased = async (weir: Rig) => {
  while ((await weir.recorder.maintain({ kind: "erase", isOrdered: true })) > 0);
};

/** All that is in the bucket, decompressed. */
async function packed(store: TestStore): Promise<Buffer> {
  const all = [...(await store.all()).values()];
  return Buffer.concat(all.map((object) => Bun.zstdDecompressSync(object as Buffer<ArrayBuffer>)));
}

async function rows(weir: Rig, sql: string): Promise<number> {
  return (await weir.store.bodies.query<{ n: number }>({ sql, args: [] }))[0]!.n;
}

test("bodies are in the object store and not in the database, and records show input and output without it", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: store.settings });
  const texts = Array.from({ length: 20 }, () => random.bytes(1_000).toString("base64"));
  const ids = texts.map((text) => pass(weir.spool, { request: ask(text) }));
  await weir.recorder.barrier();
  expect(await rows(weir, "select sum(length(data)) as n from packs")).toBe(0);
  for (const [at, id] of ids.entries()) expect(await requestOf(weir, id)).toBe(ask(texts[at]!));
  await store.stop();
  const row = await weir.row(ids[0]!);
  expect(row).toMatchObject({ excerpts_packed: null, input: expect.stringContaining(texts[0]!.slice(0, 100)) });
});

test("while the object store is unavailable records wait and reading fails; afterwards nothing is missing", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: store.settings });
  const first = pass(weir.spool, { request: ask("first") });
  await weir.recorder.barrier();
  await store.stop();
  const texts = Array.from({ length: 40 }, (_, at) => `${at} ${random.bytes(300).toString("hex")}`);
  const ids = texts.map((text) => pass(weir.spool, { request: ask(text) }));
  await until(
    async () => (await weir.recorder.status()).bodiesError !== null,
    180_000,
    () => "the recorder says that bodies cannot be written",
  );
  const status = await weir.recorder.status();
  expect(status).toMatchObject({ recorded: 1, databaseError: null });
  const { host } = new URL(store.settings.bodies_url);
  expect(status.bodiesError).toBe(`the object store bodies at ${host} cannot be reached: nothing listens there`);
  expect(await weir.recorder.metrics()).toMatch(/weir_bodies_behind_bytes [1-9]/);
  expect(weir.spool.stats.healthy).toBe(true);
  await expect(weir.body(first, "request")).rejects.toMatchObject({ code: "bodies_unavailable" });
  await store.start();
  await until(
    async () => (await weir.recorder.status()).recorded === 41,
    180_000,
    () => "all is recorded",
  );
  expect(await weir.recorder.status()).toMatchObject({ bodiesError: null, databaseError: null });
  expect(await weir.recorder.metrics()).toMatch(/weir_bodies_behind_bytes 0/);
  // A reader that found the store away calls it again a second later; the recorder may be done before.
  await until(() =>
    requestOf(weir, first).then(
      () => true,
      () => false,
    ),
  );
  for (const [at, id] of ids.entries()) expect(await requestOf(weir, id)).toBe(ask(texts[at]!));
});

test("deleted content is in no object after the sweep, and content that others share stays", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: store.settings });
  const marker = random.bytes(20).toString("hex");
  const shared = random.bytes(9_000).toString("base64");
  const kept = pass(weir.spool, { request: ask(`${shared} kept`) });
  const gone: string[] = [];
  for (let round = 0; round < 3; round++) {
    gone.push(pass(weir.spool, { request: ask(`${shared} ${marker} ${round}`) }));
    // The pack that is open goes into another object with each.
    await weir.recorder.barrier();
  }
  expect((await packed(store)).includes(marker)).toBe(true);
  expect(await weir.recorder.remove({ organizationId: "org-1", requestIds: gone })).toBe(3);
  for (const id of gone) expect(await requestOf(weir, id)).toBeUndefined();
  await erased(weir);
  expect((await packed(store)).includes(marker)).toBe(false);
  expect(await requestOf(weir, kept)).toBe(ask(`${shared} kept`));
  expect((await store.all()).size).toBe(await rows(weir, "select count(*) as n from objects"));
});

test("deleted packs are removed from an object whose other packs stay", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: store.settings });
  const marker = random.bytes(20).toString("hex");
  // Each fills a pack or more, and one batch puts them into one object.
  const texts = [0, 1, 2, 3].map((at) => ask(`${at === 1 ? marker : at} ${random.bytes(80_000).toString("hex")}`));
  const ids = texts.map((text) => pass(weir.spool, { request: text }));
  await weir.recorder.barrier();
  expect((await packed(store)).includes(marker)).toBe(true);
  expect(await weir.recorder.remove({ organizationId: "org-1", requestIds: [ids[1]!] })).toBe(1);
  await erased(weir);
  expect((await packed(store)).includes(marker)).toBe(false);
  for (const at of [0, 2, 3]) expect(await requestOf(weir, ids[at]!)).toBe(texts[at]);
});

test("small objects are put together, and all bodies are still there", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: { ...store.settings, bodies_pack_bytes: 400_000 } });
  const sent = new Map<string, string>();
  for (let round = 0; round < 24; round++) {
    const text = ask(random.bytes(40_000).toString("base64"));
    sent.set(pass(weir.spool, { request: text }), text);
    await weir.recorder.barrier();
  }
  const before = (await store.all()).size;
  await erased(weir);
  const after = await store.all();
  expect(after.size).toBeLessThan(before / 2);
  expect(after.size).toBe(await rows(weir, "select count(*) as n from objects"));
  for (const [id, text] of sent) expect(await requestOf(weir, id)).toBe(text);
});

test("an object without a row is found in the bucket's list and deleted; foreign objects stay", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: store.settings });
  const id = pass(weir.spool, { request: ask("kept") });
  await weir.recorder.barrier();
  const [name = ""] = (await store.all()).keys();
  const [deployment, directory, own = ""] = name.split("/");
  const orphan = `${deployment}/${directory}/${own.slice(0, -1)}${own.endsWith("0") ? 1 : 0}`;
  const foreign = [`${deployment}/other/${own}`, `other/${directory}/${own}`];
  for (const each of [orphan, ...foreign]) await store.client.put(each, Buffer.from(Bun.zstdCompressSync("x")));
  await erased(weir);
  const left = [...(await store.all()).keys()];
  expect(left).not.toContain(orphan);
  expect(left).toEqual(expect.arrayContaining(foreign));
  expect(await requestOf(weir, id)).toBe(ask("kept"));
});

test("a missing object loses only the bodies in it, and is reported by name", async () => {
  await using store = await startObjectStore();
  await using weir = await rig({ settings: store.settings });
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    ids.push(pass(weir.spool, { request: random.bytes(120_000), begin: BINARY }));
    await weir.recorder.barrier();
  }
  await erased(weir);
  expect(await lostObjects(weir.store.bodies, store.client)).toEqual([]);
  const sizes = [...(await store.all())].sort(([, a], [, b]) => b.length - a.length);
  const [name] = sizes[0]!;
  await store.client.remove(name);
  expect(await lostObjects(weir.store.bodies, store.client)).toEqual([name]);
  const read = await Promise.all(ids.map((id) => weir.body(id, "request")));
  expect(read.filter((body) => body === undefined).length).toBeGreaterThan(0);
  expect(read.filter((body) => body !== undefined).length).toBeGreaterThan(0);
  for (const id of ids) expect(await weir.row(id)).toMatchObject({ response_status: 200 });
  await erased(weir);
});

test("earlier records move into the object store in steps, and can be read after each", async () => {
  await using store = await startObjectStore();
  using directory = temporaryDirectory();
  const spool = spoolIn(join(directory.path, "spool"));
  const settings = { ...store.settings, bodies_pack_bytes: 100_000 };
  const sent = new Map<string, string>();
  const send = (text: string) => sent.set(pass(spool, { request: ask(text) }), ask(text));
  const before = startRecorder(directory.path, {
    config: configIn(directory.path, { ...settings, bodies_engine: "records" }),
  });
  for (let round = 0; round < 30; round++) send(random.bytes(20_000).toString("base64"));
  await before.barrier();
  expect(await before.maintain({ kind: "objects" })).toBe(0);
  await before.stop();
  expect((await store.all()).size).toBe(0);

  const config = configIn(directory.path, settings);
  const recorder = startRecorder(directory.path, { config });
  send("later");
  await recorder.barrier();
  const reader = await openStore(config, "read");
  let steps = 0;
  while ((await recorder.maintain({ kind: "objects" })) > 0) {
    steps++;
    const found = await reader.content.get([...sent.keys()], ["request"]);
    for (const [id, text] of sent) expect(Buffer.from(found.get(id)!.request!.content).toString()).toBe(text);
  }
  expect(steps).toBeGreaterThan(3);
  expect(await packsHere(reader.bodies)).toBe(0);
  await recorder.stop();
  await spool.close();
  await reader.close();
});

/** Kills of a recorder that writes into the object store. */
const KILLS = 5;

test("after kills in the middle of writing every body is there as it was sent, and no object is left over", async () => {
  await using store = await startObjectStore();
  using directory = temporaryDirectory();
  const ids: string[] = [];
  const program = [process.execPath, join(import.meta.dir, "../recorder/killed.ts"), directory.path, "records"];
  for (let round = 0; round < KILLS; round++) {
    const child = Bun.spawn([...program, JSON.stringify(store.settings)], { stdout: "pipe", stderr: "inherit" });
    let text = "";
    const least = 50 + Math.floor(random.number() * 150);
    for await (const chunk of child.stdout as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      if (text.split("\n").length > least) break;
    }
    child.kill("SIGKILL");
    await child.exited;
    ids.push(...text.split("\n").filter((line) => line.length === 36));
  }
  await spoolIn(join(directory.path, "spool")).close(); // the next run: what was open is cut off
  const config = configIn(directory.path, store.settings);
  const recorder = startRecorder(directory.path, { config });
  await recorder.barrier();
  const reader = await openStore(config, "read");
  const [row] = await reader.records.query<{ n: number }>({
    sql: "select count(*) as n from requests where request_id in (select value from json_each(?))",
    args: [JSON.stringify(ids)],
  });
  expect(row!.n).toBe(ids.length);
  const found = await reader.content.get(ids, ["request", "raw", "response"]);
  for (const id of ids) expect(Buffer.from(found.get(id)!.request!.content).toString()).toBe('{"model":"m-1"}');
  while ((await recorder.maintain({ kind: "erase", isOrdered: true })) > 0);
  const known = await reader.bodies.query<{ name: string }>({
    sql: "select name from objects order by name",
    args: [],
  });
  expect([...(await store.all()).keys()].sort()).toEqual(known.map(({ name }) => name));
  await recorder.stop();
  await reader.close();
}, 300_000);
