import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { readDue } from "../../src/store/words/due.ts";
import { temporaryDirectory } from "../directory.ts";
import { startObjectStore } from "../objects/store.ts";
import { configIn, pass, type Rig, rig, spoolIn, startRecorder } from "./harness.ts";

const says = (text: string) =>
  JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: text }] });
const ANSWER = JSON.stringify({
  object: "chat.completion",
  choices: [{ message: { role: "assistant", content: "" } }],
});
const say = ({ spool }: Rig, text: string) => pass(spool, { request: says(text), response: ANSWER });

/** Numbers of the records that have a word in the index. */
async function having({ bodies }: Store, word: string): Promise<number[]> {
  const there = await bodies.query({ sql: "select 1 from word_shards", args: [] });
  if (there.length === 0) return [];
  const sql = "select rowid as seq from words_0 where words_0 match ? order by rowid";
  return (await bodies.query<{ seq: number }>({ sql, args: [word] })).map(({ seq }) => seq);
}

const noted = ({ bodies }: Store) => readDue(bodies);

test("words wait for the index, are noted until then, and are there when somebody wants to search", async () => {
  await using it = await rig({ readExchange });
  say(it, "one zebra");
  await it.recorder.barrier();
  say(it, "another zebra");
  await it.recorder.barrier();
  // On a machine that stood still for seconds they are in the index by now.
  expect([...(await noted(it.store)), ...(await having(it.store, "zebra"))].sort()).toEqual([1, 2]);
  say(it, "a third zebra");
  await it.recorder.indexWords();
  expect(await having(it.store, "zebra")).toEqual([1, 2, 3]);
  expect(await noted(it.store)).toEqual([]);
});

test("words that are enough for a transaction of their own do not wait", async () => {
  await using it = await rig({ readExchange });
  for (let count = 0; count < 4_100; count++) say(it, `zebra ${count}`);
  await it.recorder.barrier();
  const found = await having(it.store, "zebra");
  expect(found.length).toBeGreaterThanOrEqual(4_000);
  expect(found).toEqual(found.map((_, at) => at + 1));
});

test("words between quotes, escapes and characters that cannot be stored are in the index", async () => {
  await using it = await rig({ readExchange });
  for (const text of ['"zebra"', "\\zebra\\", "\0zebra\t", "\ud800 zebra\n", "zebra\u2028"]) say(it, text);
  await it.recorder.indexWords();
  expect(await having(it.store, "zebra")).toEqual([1, 2, 3, 4, 5]);
});

test("what a killed recorder had not put into the index, the next one does before it is ready", async () => {
  await using it = await rig({ readExchange });
  for (const animal of ["zebra", "heron", "zebra"]) say(it, `a ${animal}`);
  await it.recorder.barrier();
  using copy = temporaryDirectory();
  // What a kill leaves: files as they are while it works.
  cpSync(it.directory, copy.path, { recursive: true });
  const next = startRecorder(copy.path, { readExchange });
  await next.ready();
  const store = await openStore(configIn(copy.path), "read");
  expect(await having(store, "zebra")).toEqual([1, 3]);
  expect(await having(store, "heron")).toEqual([2]);
  expect(await noted(store)).toEqual([]);
  await store.close();
  await next.stop();
});

test("a recorder starts while the object store has the bodies of such words, and indexes them once it is back", async () => {
  await using objects = await startObjectStore();
  await using it = await rig({ readExchange, settings: objects.settings });
  say(it, "a zebra");
  const id = say(it, "a heron");
  await it.recorder.barrier();
  using copy = temporaryDirectory();
  cpSync(it.directory, copy.path, { recursive: true });
  await objects.stop();
  const config = configIn(copy.path, objects.settings);
  const next = startRecorder(copy.path, { config, readExchange });
  await next.ready();
  await next.indexWords();
  const store = await openStore(config, "read");
  expect([await having(store, "zebra"), await noted(store)]).toEqual([[], [1, 2]]);
  expect(await next.update({ requestId: id, organizationId: "org-1", properties: { a: "b" } })).not.toBeNull();
  await objects.start();
  const spool = spoolIn(join(copy.path, "spool"));
  pass(spool, { request: says("another zebra"), response: ANSWER });
  await next.barrier();
  await next.indexWords();
  expect([await having(store, "zebra"), await having(store, "heron")]).toEqual([[1, 3], [2]]);
  expect(await noted(store)).toEqual([]);
  await spool.close();
  await next.stop();
  await store.close();
});

test("a record that is removed while its words wait has none afterwards", async () => {
  await using it = await rig({ readExchange });
  const id = say(it, "a secret zebra");
  say(it, "a heron");
  await it.recorder.barrier();
  expect(await it.recorder.remove({ organizationId: "org-1", requestIds: [id] })).toBe(1);
  await it.recorder.indexWords();
  expect(await having(it.store, "zebra")).toEqual([]);
  expect(await having(it.store, "heron")).toEqual([2]);
});

test("a recorder that stops leaves no words behind", async () => {
  await using it = await rig({ readExchange });
  say(it, "a zebra");
  await it.recorder.barrier();
  await it.recorder.stop();
  expect(await having(it.store, "zebra")).toEqual([1]);
});
