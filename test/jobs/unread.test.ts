import { expect, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { libsqlWalk } from "../../src/engine/libsql/walk.ts";
import { rereadUnread } from "../../src/jobs/remap/unread.ts";
import { placeUnreadOrder, serveUnreadOrder, unreadStateOf } from "../../src/jobs/remap/unread-order.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import { REREADING, ReadingNote, readNote } from "../../src/spool/reading-note.ts";
import { LearntTables } from "../../src/store/models/learnt.ts";
import type { BodyPart } from "../../src/store/packs/placed.ts";
import { openStore } from "../../src/store/store.ts";
import { configIn, type Passed, pass, type Rig, rig, silent } from "../recorder/harness.ts";

const PICTURE = Buffer.alloc(200, 7).toString("base64");
const REQUEST = JSON.stringify({
  model: "gpt-4o",
  user: "u-1",
  messages: [
    { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } }] },
    { role: "user", content: "How are you?" },
  ],
});
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const RESPONSE = {
  id: "c-1",
  object: "chat.completion",
  model: "gpt-4o-1",
  choices: [{ message: { content: "Well" } }],
  usage,
};
const EVENTS = [
  { id: "c-1", object: "chat.completion.chunk", model: "gpt-4o-1", choices: [{ index: 0, delta: { content: "We" } }] },
  { id: "c-1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "ll" } }], usage },
];
const SSE = EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const LONG = JSON.stringify({ ...RESPONSE, choices: [{ message: { content: "long ".repeat(20_000) } }] });

const EXCHANGES: Readonly<Record<string, Passed>> = {
  "an answer": { response: JSON.stringify(RESPONSE) },
  "a long answer": { response: LONG },
  "a stream": { response: SSE, head: { headers: ["Content-Type", "text/event-stream"] } },
  "a compressed answer": {
    response: gzipSync(JSON.stringify(RESPONSE)),
    head: { headers: ["Content-Type", "application/json", "Content-Encoding", "gzip"] },
  },
  "a failure": { response: '{"error":{"message":"no","type":"bad"}}', head: { status: 400 } },
  "text of no format": { response: "hello", head: { headers: ["Content-Type", "text/plain"] } },
  "an omitted answer": { response: JSON.stringify(RESPONSE), begin: { omitResponse: true } },
};

/** Breaks the reading of every exchange until it is repaired. */
class Faulty extends LearntTables {
  isBroken = true;

  override mappingOf(organizationId: string, provider: string) {
    if (this.isBroken) throw new Error("no mappings");
    return super.mappingOf(organizationId, provider);
  }
}

test.each(Object.keys(EXCHANGES))("%s that was not read is in the end as one that was", async (name) => {
  const learnt = new Faulty([{ provider: "CUSTOM", model: "gpt-*", input: 1, output: 2 }]);
  await using there = await rig({ learnt, readExchange });
  const passed = { request: REQUEST, ...EXCHANGES[name] };
  const bad = pass(there.spool, passed);
  await there.recorder.barrier();
  learnt.isBroken = false;
  const good = pass(there.spool, passed);
  await there.recorder.barrier();
  expect((await there.row(bad)).unread).toBe("failed: no mappings");
  expect(await models(there)).toEqual(name === "a failure" ? [] : [expect.objectContaining({ count: 1 })]);

  const context = { ...contextIn(there), learnt };
  const rewrite = (changes: Parameters<typeof there.recorder.rewrite>[0]) => there.recorder.rewrite(changes);
  expect(await rereadUnread({ ...context, rewrite })).toEqual({ seen: 1, read: 1 });
  expect(await comparable(there, bad, name)).toEqual(await comparable(there, good, name));
  if (name !== "a failure" && name !== "an omitted answer")
    expect(await models(there)).toEqual([expect.objectContaining({ count: 2 })]);
  expect(await rereadUnread({ ...context, rewrite })).toEqual({ seen: 0, read: 0 });
});

test("a record that still cannot be read stays as it is", async () => {
  await using there = await rig({
    readExchange: () => {
      throw new Error("no");
    },
  });
  const hard = { name: "HARD", apiVersion: 1 as const, wireSchemas: [{ path: /./, schema: "messages" as const }] };
  const bad = pass(there.spool, { request: REQUEST, begin: { provider: "HARD" } });
  await there.recorder.barrier();
  const before = await there.row(bad);
  const done = await rereadUnread({
    ...contextIn(there),
    provider: () => ({ ...hard, readRequest: () => endless() }),
    rewrite: (changes) => there.recorder.rewrite(changes),
    stepMs: 50,
  });
  expect(done).toEqual({ seen: 1, read: 0 });
  expect(await there.row(bad)).toEqual(before);
});

test("a record that ends its reader is left out at the third try, and tried again by the next order", async () => {
  await using there = await rig({
    readExchange: () => {
      throw new Error("no");
    },
  });
  const [bad, good] = [pass(there.spool, { request: REQUEST }), pass(there.spool, { request: REQUEST })];
  await there.recorder.barrier();
  const spoolDirectory = join(there.directory, "spool");
  const options = {
    ...contextIn(there),
    rewrite: (changes: Parameters<typeof there.recorder.rewrite>[0]) => there.recorder.rewrite(changes),
  };
  for (let i = 0; i < 2; i++) new ReadingNote(spoolDirectory, undefined, REREADING).begin(bad, "read");
  expect(await rereadUnread(options)).toEqual({ seen: 2, read: 1 });
  expect((await there.row(bad)).unread).toBe("failed: no");
  expect((await there.row(good)).unread).toBeNull();
  expect(readNote(spoolDirectory, REREADING)).toBeUndefined();
  expect(await rereadUnread(options)).toEqual({ seen: 1, read: 1 });
});

test("an order of the command line is carried out once, and its result has the number of records read", async () => {
  const learnt = new Faulty([]);
  await using there = await rig({ learnt, readExchange });
  await using own = new AsyncDisposableStack();
  const store = own.adopt(await openStore(configIn(there.directory), "change"), (opened) => opened.close());
  const { records } = store;
  const rewrite = (changes: Parameters<typeof there.recorder.rewrite>[0]) => there.recorder.rewrite(changes);
  const options = { ...contextIn(there), learnt, rewrite, reader: store, writer: async () => store };
  const passBroken = async () => {
    learnt.isBroken = true;
    pass(there.spool, { request: REQUEST, response: JSON.stringify(RESPONSE) });
    await there.recorder.barrier();
    learnt.isBroken = false;
  };
  await passBroken();
  await placeUnreadOrder(records, { id: "o-1" });
  expect(await unreadStateOf(records, "o-1")).toBeUndefined();
  await serveUnreadOrder(options);
  expect(await unreadStateOf(records, "o-1")).toEqual({ id: "o-1", seen: 1, read: 1, done: true });
  expect(await unreadStateOf(records, "o-2")).toBeUndefined();

  await passBroken();
  await serveUnreadOrder(options);
  expect(await rereadUnread(options)).toEqual({ seen: 1, read: 1 });

  await placeUnreadOrder(records, { id: "o-2" });
  const away = async () => {
    throw new Error("no database");
  };
  await expect(serveUnreadOrder({ ...options, walk: { ...options.walk, next: away } })).rejects.toThrow("no database");
  expect(await unreadStateOf(records, "o-2")).toMatchObject({ done: true, failed: "no database" });
  await serveUnreadOrder(options);
  expect(await unreadStateOf(records, "o-2")).toMatchObject({ failed: "no database" });
});

const contextIn = (there: Rig) => ({
  reader: there.store,
  walk: libsqlWalk(there.store.records),
  learnt: new LearntTables(),
  provider: () => undefined,
  spoolDirectory: join(there.directory, "spool"),
  log: silent,
});

const endless = (): never => {
  for (;;);
};

const models = ({ store }: Rig) => store.records.query({ sql: "select model, count from models", args: [] });

/** All that must be alike. Of an omitted response only its passing says what it said, and a stream's first byte is not known later. */
async function comparable(there: Rig, id: string, name: string) {
  const {
    seq: _seq,
    request_id: _id,
    request_created_at: _at,
    response_created_at: _then,
    ...row
  } = await there.row(id);
  const { updated_at: _now, delay_ms: _delay, time_to_first_token: _first, ...rest } = row;
  const parts = ["headers", "request", "response", "raw"] as const satisfies readonly BodyPart[];
  const bodies = await Promise.all(parts.map((part) => there.body(id, part)));
  const columns = ["response_id", "response_model", "model", "wire_schema", "usage_raw", "cost", "cost_source"];
  const omitted =
    name === "an omitted answer" ? [...columns, ...Object.keys(rest).filter((key) => /_tokens$/.test(key))] : [];
  const texts = (await there.store.content.texts([id])).get(id);
  return { row: Object.fromEntries(Object.entries(rest).filter(([key]) => !omitted.includes(key))), bodies, texts };
}
