import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { openLocal } from "../../../src/store/database/local.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { MIGRATIONS } from "../../../src/store/migrations/list.ts";
import { openObjects } from "../../../src/store/objects/open-objects.ts";
import { PARTS } from "../../../src/store/packs/placed.ts";
import type { RequestContent, StoredPart } from "../../../src/store/packs/request-content.ts";
import type { Store } from "../../../src/store/store.ts";
import { assertProperty, chance } from "../../chance.ts";
import { temporaryDirectory } from "../../directory.ts";
import { startObjectStore } from "../../objects/store.ts";

const random = chance("pack store");

function part(name: StoredPart["part"], form: StoredPart["form"], content: string | Buffer): StoredPart {
  return { part: name, form, bytes: Buffer.from(content), contentType: form === "binary" ? "audio/x" : null };
}

function content(parts: readonly StoredPart[], changes: Partial<RequestContent> = {}): RequestContent {
  const texts = { prompt: null, completion: null };
  return { requestId: crypto.randomUUID(), organizationId: "o", parts, assets: [], texts, ...changes };
}

const objectStore = await startObjectStore();
afterAll(() => objectStore[Symbol.asyncDispose]());

/** Where bodies are. */
type Engine = "the database" | "an object store";
const ENGINES: readonly Engine[] = ["the database", "an object store"];

async function open(engine: Engine = "the database") {
  const directory = temporaryDirectory();
  const path = `${directory.path}/weir.db`;
  const openAgain = () => {
    const settings = {
      data_dir: directory.path,
      database_url: "",
      bodies_prefix: "a/",
      bodies_pack_bytes: 100_000,
      ...objectStore.settings,
    };
    return openLocal(path, "write", engine === "the database" ? {} : { objects: openObjects(settings) });
  };
  let store = openAgain();
  await migrate(store);
  const objects = async () => {
    const [row] = await store.bodies.query<{ prefix: string }>({ sql: "select prefix from object_names", args: [] });
    return row === undefined ? [] : [...(await objectStore.all(`a/${row.prefix}/`)).values()];
  };
  return {
    get store(): Store {
      return store;
    },
    /** As after a restart: nothing is remembered. */
    async again() {
      await store.close();
      store = openAgain();
    },
    async sweep() {
      let steps = 0;
      while ((await store.content.sweep(true)).swept && ++steps < 1_000);
      expect(steps).toBeLessThan(1_000);
    },
    async count(table: string) {
      const [row] = await store.bodies.query<{ n: number }>({ sql: `select count(*) as n from ${table}`, args: [] });
      return row!.n;
    },
    /** Everything that is in packs. */
    async packed(): Promise<Buffer> {
      const rows = await store.bodies.query<{ data: Uint8Array }>({
        sql: "select data from packs where length(data) > 0 order by id",
        args: [],
      });
      const all = [...rows.map(({ data }) => data as Uint8Array<ArrayBuffer>), ...(await objects())];
      return Buffer.concat(all.map((data) => Bun.zstdDecompressSync(data)));
    },
    objects,
    async [Symbol.asyncDispose]() {
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

async function expectStored(store: Store, expected: ReadonlyMap<string, RequestContent>): Promise<void> {
  const ids = [...expected.keys()];
  const [sent, shown, whole] = [
    await store.content.get(ids, PARTS, "sent"),
    await store.content.get(ids, PARTS),
    await store.content.whole(ids),
  ];
  for (const [id, { parts, texts, excerpts = { input: null, output: null } }] of expected) {
    expect(Object.keys(sent.get(id)!).sort()).toEqual(parts.map((each) => each.part).sort());
    for (const { part: name, form, bytes, sent: original } of parts) {
      expect(sent.get(id)![name]).toMatchObject({ form });
      expect(Buffer.compare(sent.get(id)![name]!.content, original ?? bytes)).toBe(0);
      expect(Buffer.compare(shown.get(id)![name]!.content, bytes)).toBe(0);
      expect(shown.get(id)![name]!.bytes).toBe(bytes.length);
    }
    expect(whole.get(id)!.texts).toEqual(texts);
    expect(whole.get(id)!.excerpts).toEqual(excerpts);
    const sorted = (all: readonly StoredPart[]) =>
      all.map((each) => ({ files: [], ...each })).sort((a, b) => (a.part < b.part ? -1 : 1));
    expect(sorted(whole.get(id)!.parts)).toEqual(sorted(parts));
  }
}

/** Bodies that share much, little and nothing; some are cut, some are not. */
const TEXT = random.bytes(60_000).toString("base64");
const anyBody = fc.oneof(
  fc.tuple(fc.nat(40_000), fc.nat(40_000)).map(([at, length]) => Buffer.from(TEXT.slice(at, at + length))),
  fc
    .tuple(fc.nat(3), fc.nat(30_000))
    .map(([turn, tail]) => Buffer.from(`${TEXT.slice(0, 30_000 + turn * 9_000)}${tail}`)),
  fc.nat(5_000).map((length) => random.bytes(length)),
  fc.constant(Buffer.alloc(0)),
);
const anyPart = fc.record({
  part: fc.constantFrom(...PARTS),
  form: fc.constantFrom("json" as const, "text" as const),
  contentType: fc.constant(null),
  bytes: anyBody,
});
const anyParts = fc
  .uniqueArray(anyPart, { selector: (each) => each.part, minLength: 1 })
  .chain((parts) =>
    fc.tuple(
      ...parts.map((each) =>
        fc.option(anyBody, { freq: 6 }).map((sent): StoredPart => (sent === null ? each : { ...each, sent })),
      ),
    ),
  );
const anyText = fc.option(
  fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.nat(4_000).map((length) => TEXT.slice(0, length)),
  ),
);
const anyAct = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      put: fc.array(
        fc.record({
          id: fc.nat(12),
          organization: fc.nat(1),
          parts: anyParts,
          texts: fc.record({ prompt: anyText, completion: anyText }),
          excerpts: fc.record({ input: anyText, output: anyText }),
        }),
        { maxLength: 5 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ remove: fc.array(fc.nat(12), { maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.constant("restart" as const) },
  { weight: 2, arbitrary: fc.constant("fail" as const) },
  { weight: 2, arbitrary: fc.constant("sweep a step" as const) },
  { weight: 1, arbitrary: fc.constant("sweep" as const) },
);

describe.each(ENGINES)("packs in %s", (engine) => {
  test("whatever is put, removed, swept, cut off and started again, each body is read as it was put last", async () => {
    const ids = Array.from({ length: 13 }, () => crypto.randomUUID());
    await assertProperty(
      fc.asyncProperty(fc.array(anyAct, { maxLength: 14 }), async (acts) => {
        await using it = await open(engine);
        const expected = new Map<string, RequestContent>();
        for (const act of acts) {
          if (act === "restart") await it.again();
          else if (act === "sweep") await it.sweep();
          else if (act === "sweep a step") await it.store.content.sweep();
          else if (act === "fail") {
            const fault = { sql: "insert into packs (id) values (null)", args: [] };
            const lost = content([part("request", "text", TEXT.slice(0, 20_000))], { requestId: ids[0]! });
            expect(await it.store.content.put([lost], [fault]).catch(() => "failed")).toBe("failed");
          } else if ("put" in act) {
            const contents = act.put.map(({ id, organization, parts, texts, excerpts }) =>
              content(parts, { requestId: ids[id]!, organizationId: `o${organization}`, texts, excerpts }),
            );
            const once = new Map(contents.map((each) => [each.requestId, each]));
            await it.store.content.put([...once.values()]);
            for (const [id, each] of once) expected.set(id, each);
          } else {
            await it.store.content.remove(act.remove.map((id) => ids[id]!));
            for (const id of act.remove) expected.delete(ids[id]!);
          }
        }
        await expectStored(it.store, expected);
        expect((await it.store.content.having(ids)).sort()).toEqual([...expected.keys()].sort());
        await it.store.content.remove(ids);
        await it.sweep();
        expect([await it.count("packs"), await it.count("contents"), await it.count("pack_erasures")]).toEqual([
          0, 0, 0,
        ]);
        expect([await it.count("objects"), (await it.objects()).length]).toEqual([0, 0]);
      }),
      { numRuns: 25 },
    );
  }, 300_000);

  test("removed content is in no pack after a sweep, and content that others share is", async () => {
    await using it = await open(engine);
    const secret = () => random.bytes(30).toString("hex");
    const [head, tail, small] = [random.bytes(40_000).toString("hex"), secret(), secret()];
    const turns = [0, 1, 2].map((turn) =>
      content([part("headers", "json", small + turn), part("request", "text", head + tail.repeat(turn * 60))]),
    );
    const foreign = content([part("request", "text", head)], { organizationId: "other" });
    for (const turn of turns) await it.store.content.put([turn]);
    await it.store.content.put([foreign]);
    await it.sweep();
    const packed = await it.packed();
    // Stored once for each organization, with what the three turns have of their own.
    expect(packed.length).toBeLessThan(2 * 80_000 + 3 * 10_000);
    expect(packed.includes(tail) && packed.includes(`${small}1`)).toBe(true);

    await it.store.content.remove([turns[1]!.requestId, turns[2]!.requestId]);
    await it.sweep();
    const left = await it.packed();
    expect(left.includes(tail)).toBe(false);
    expect(left.includes(`${small}1`) || left.includes(`${small}2`)).toBe(false);
    expect(left.includes(`${small}0`)).toBe(true);
    await expectStored(it.store, new Map([turns[0]!, foreign].map((each) => [each.requestId, each])));

    const next = content([part("request", "text", head + tail)]);
    await it.store.content.put([next]);
    await it.store.content.remove([turns[0]!.requestId]);
    await it.sweep();
    await expectStored(it.store, new Map([next, foreign].map((each) => [each.requestId, each])));
  }, 300_000);

  test("files are shown as references, read by themselves, and sent as they were", async () => {
    await using it = await open(engine);
    const file = random.bytes(50_000);
    const id = createHash("sha256").update(file).digest("hex");
    const loose = {
      id: createHash("sha256").update("x").digest("hex"),
      contentType: "text/x",
      bytes: Buffer.from("x"),
    };
    const base64 = file.toString("base64").replaceAll("/", "\\/");
    const text = `{"a":"é${base64}","b":[{"url":"data:image/png;base64,${base64}"}],"n":1.0}`;
    const places = [base64, `data:image/png;base64,${base64}`].map((written) => ({
      offset:
        Buffer.from(text).indexOf(`"${written.startsWith("data") ? "" : "é"}${written}"`) +
        (written.startsWith("data") ? 1 : 3),
      length: written.length,
      id,
    }));
    const stored = content([{ ...part("request", "json", text), files: places }], {
      assets: [{ id, contentType: "image/png", bytes: file }, { id, contentType: "image/png", bytes: file }, loose],
    });
    await it.store.content.put([stored]);
    const get = async (view: "shown" | "sent") => {
      const found = await it.store.content.get([stored.requestId], ["request"], view);
      return Buffer.from(found.get(stored.requestId)!.request!.content).toString();
    };
    expect(await get("sent")).toBe(text);
    expect(await get("shown")).toBe(`{"a":"éweir-asset:${id}","b":[{"url":"weir-asset:${id}"}],"n":1.0}`);
    const asset = await it.store.content.asset(stored.requestId, id);
    expect(asset?.contentType).toBe("image/png");
    expect(Buffer.compare(asset!.content, file)).toBe(0);
    expect(Buffer.from((await it.store.content.asset(stored.requestId, loose.id))!.content).toString()).toBe("x");
    expect(await it.store.content.asset(stored.requestId, "0".repeat(64))).toBeUndefined();
    // Put again as a whole it is the same.
    const whole = (await it.store.content.whole([stored.requestId])).get(stored.requestId)!;
    await it.store.content.put([{ ...stored, ...whole }]);
    expect(await get("sent")).toBe(text);
    expect(Buffer.compare((await it.store.content.asset(stored.requestId, id))!.content, file)).toBe(0);
  });

  test("a text that is part of a body is not stored again", async () => {
    await using it = await open(engine);
    const prompt = `${TEXT}\n"quoted" \\ é`;
    const request = part("request", "json", JSON.stringify({ messages: [{ content: prompt }] }));
    const response = part("response", "json", `{"text":"\\u0041nswer"}`);
    const excerpts = { input: `${TEXT}\n"quoted`, output: "Answer" };
    const stored = content([request, response], { texts: { prompt, completion: "Answer" }, excerpts });
    await it.store.content.put([stored]);
    await expectStored(it.store, new Map([[stored.requestId, stored]]));
    expect((await it.packed()).length).toBe(request.bytes.length + response.bytes.length + 2 * "Answer".length);
  });

  test("a long text in a body, and a part of a string in it, are not stored again", async () => {
    await using it = await open(engine);
    const prompt = `"\\é ${TEXT}`.repeat(Math.ceil(70_000 / TEXT.length));
    const request = part("request", "json", JSON.stringify({ messages: [{ content: prompt }] }));
    const response = part("response", "json", JSON.stringify({ text: `first ${TEXT} last` }));
    const stored = content([request, response], { texts: { prompt, completion: TEXT } });
    await it.store.content.put([stored]);
    await expectStored(it.store, new Map([[stored.requestId, stored]]));
    const [row] = await it.store.bodies.query<{ bytes: number }>({
      sql: "select sum(bytes) as bytes from packs",
      args: [],
    });
    expect(row!.bytes).toBeLessThanOrEqual(request.bytes.length + response.bytes.length);
  });

  test("a body of many packs is read as it was", async () => {
    await using it = await open(engine);
    const long = content([part("request", "binary", random.bytes(36_000_000)), part("headers", "json", "{}")]);
    const after = content([part("request", "binary", long.parts[0]!.bytes.subarray(10_000_000, 10_400_000))]);
    await it.store.content.put([long]);
    await it.store.content.put([after]);
    await expectStored(it.store, new Map([long, after].map((each) => [each.requestId, each])));
    expect(await it.count("packs")).toBeLessThan(280);
  });
});

test("a damaged pack costs the bodies that are in it, and a damaged row its request", async () => {
  await using it = await open();
  const contents = Array.from({ length: 7 }, () =>
    content([part("request", "binary", random.bytes(30_000)), part("response", "text", "hi")]),
  );
  for (const each of contents) await it.store.content.put([each]);
  await it.store.bodies.batch([
    { sql: "update packs set data = x'00' where id = (select min(id) from packs)", args: [] },
    {
      sql: "update contents set parts = x'ffffff' where request_id = unhex(?)",
      args: [contents[6]!.requestId.replaceAll("-", "")],
    },
  ]);
  const found = await it.store.content.get(
    contents.map(({ requestId }) => requestId),
    PARTS,
  );
  expect(contents.map(({ requestId }) => Object.keys(found.get(requestId) ?? {}))).toEqual([
    ...[["response"], ["response"], ["response"], ["response"]],
    ["response"], // a part of its request stands in the damaged pack
    ["request", "response"],
    [],
  ]);
  await it.store.content.remove([contents[0]!.requestId]);
  await it.sweep();
});

test("a pack that gets a quarter of its bytes in one commit is written once, and one with less grows with the next", async () => {
  await using it = await open();
  for (const bytes of [100_000, 33_000, 20_000, 20_000])
    await it.store.content.put([content([part("request", "binary", random.bytes(bytes))])]);
  const packs = await it.store.bodies.query<{ bytes: number }>({
    sql: "select bytes from packs order by id",
    args: [],
  });
  expect(packs.map(({ bytes }) => bytes)).toEqual([100_000, 33_000, 40_000]);
});

test("a stream or file that is received again, as from the cache, is not stored again", async () => {
  await using it = await open();
  const received = [
    part("raw", "text", random.bytes(50_000)),
    part("provider_response", "binary", random.bytes(9_000)),
  ];
  for (let time = 0; time < 2; time++) await it.store.content.put([content(received)]);
  const [row] = await it.store.bodies.query<{ bytes: number }>({
    sql: "select sum(bytes) as bytes from packs",
    args: [],
  });
  expect(row).toEqual({ bytes: 59_000 });
});

test("records of an earlier version can be read", async () => {
  using directory = temporaryDirectory();
  const old = openLocal(`${directory.path}/weir.db`, "write");
  const steps = (version: number) =>
    MIGRATIONS.filter(({ target, version: step }) => target === "records" || step <= version);
  await migrate(old, steps(1));
  const insert =
    "insert into bodies (request_id, part, form, bytes, codec, data, blob_hash) values ('id', ?, ?, 2, 'plain', ?, ?)";
  await old.bodies.batch([
    { sql: insert, args: ["request", "json", Buffer.from("{}"), null] },
    { sql: insert, args: ["provider_request", "text", null, "h"] },
    { sql: "insert into blobs values ('h', 'zstd', 'text/plain', 2, ?)", args: [Bun.zstdCompressSync("ho")] },
    { sql: "insert into assets values ('id', 'h', 'o', 'text/x', 2)", args: [] },
    { sql: "insert into texts values ('id', 'p', 'c')", args: [] },
  ]);
  await migrate(old, steps(2));
  await old.bodies.batch([
    { sql: "update texts set response = ?, response_is_text = 1 where request_id = 'id'", args: [Buffer.from("hi")] },
  ]);
  await migrate(old);
  const loaded = (await old.content.get(["id"], PARTS)).get("id")!;
  const found = Object.entries(loaded).map(([name, body]) => [name, body.form, Buffer.from(body.content).toString()]);
  expect(found.sort()).toEqual([
    ["provider_request", "text", "ho"],
    ["request", "json", "{}"],
    ["response", "text", "hi"],
  ]);
  expect((await old.content.texts(["id"])).get("id")).toEqual({ prompt: "p", completion: "c" });
  expect(Buffer.from((await old.content.asset("id", "h"))!.content).toString()).toBe("ho");
  await old.close();
});
