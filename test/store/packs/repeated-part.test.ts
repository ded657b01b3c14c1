import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Edit } from "../../../src/json-text/edits.ts";
import { openLocal } from "../../../src/store/database/local.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { EditedPart } from "../../../src/store/packs/repeated-part.ts";
import type { RequestContent, StoredPart } from "../../../src/store/packs/request-content.ts";
import type { Store } from "../../../src/store/store.ts";
import { assertProperty, chance } from "../../chance.ts";
import { temporaryDirectory } from "../../directory.ts";

const random = chance("repeated parts");
const TEXT = random.bytes(60_000).toString("base64");

async function open() {
  const directory = temporaryDirectory();
  const store = await openLocal(`${directory.path}/weir.db`, "write");
  await migrate(store);
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

const json = (part: StoredPart["part"], bytes: Buffer): StoredPart => ({
  part,
  form: "json",
  bytes,
  contentType: null,
});

/** A request whose provider got it with edits. */
function requestOf(request: Buffer, edits: readonly Edit[]): RequestContent {
  const sent = new EditedPart({ part: "provider_request", form: "json", contentType: null }, { of: request, edits });
  const parts = [json("headers", Buffer.from("{}")), json("request", request), sent];
  return { requestId: crypto.randomUUID(), organizationId: "o", parts, assets: [], texts: NO_TEXTS };
}

const NO_TEXTS = { prompt: null, completion: null };

async function expectStored({ content }: Store, expected: readonly RequestContent[]): Promise<void> {
  const ids = expected.map(({ requestId }) => requestId);
  const stored = await content.get(ids, ["request", "provider_request"], "sent");
  for (const { requestId, parts } of expected)
    for (const { part, bytes } of parts)
      if (part !== "headers") expect(Buffer.compare(stored.get(requestId)![part]!.content, bytes)).toBe(0);
}

async function freshOf(store: Store): Promise<number> {
  const [row] = await store.bodies.query<{ n: number }>({ sql: "select sum(bytes) as n from packs", args: [] });
  return row!.n;
}

const anyRequest = fc
  .tuple(
    fc.nat(40_000),
    fc.nat(30_000),
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.string({ unit: "grapheme" })), { maxLength: 4 }),
  )
  .map(([start, length, given]) => {
    const request = Buffer.from(TEXT.slice(start, start + length));
    const places = given.flatMap((each) => [each[0], each[1]]).map((each) => each % (request.length + 1));
    places.sort((a, b) => a - b);
    return requestOf(
      request,
      given.map(([, , text], at) => ({ from: places[at * 2]!, to: places[at * 2 + 1]!, text })),
    );
  });

test("any request and any edits of it are read back byte for byte, also when others are erased", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(anyRequest, { minLength: 2, maxLength: 5 }), async (contents) => {
      await using opened = await open();
      const { content } = opened.store;
      await content.put(contents.slice(0, 1));
      await content.put(contents.slice(1));
      await expectStored(opened.store, contents);
      await content.remove([contents[0]!.requestId]);
      while ((await content.sweep(true)).swept);
      await expectStored(opened.store, contents.slice(1));
    }),
    { numRuns: 15 },
  );
}, 300_000);

test("what the provider's request has in common with the client's takes no room a second time", async () => {
  await using opened = await open();
  const model = { from: 10, to: 20, text: "another" };
  for (const length of [1_500, 40_000]) {
    const before = (await freshOf(opened.store)) ?? 0;
    const request = Buffer.from(random.bytes(length).toString("base64"));
    const content = requestOf(request, [model]);
    await opened.store.content.put([content]);
    expect((await freshOf(opened.store)) - before).toBeLessThan(request.length + 100);
    await expectStored(opened.store, [content]);
  }
});

test("a provider's request is stored whole when the client's was changed or removed since", async () => {
  await using opened = await open();
  const request = Buffer.from(TEXT.slice(0, 3_000));
  const given = requestOf(request, [{ from: 0, to: 5, text: "x" }]);
  const redacted = given.parts.map((each) => (each.part === "request" ? json("request", Buffer.from('"no"')) : each));
  const without = given.parts.filter(({ part }) => part !== "request");
  const contents = [redacted, without].map((parts) => ({ ...given, requestId: crypto.randomUUID(), parts }));
  await opened.store.content.put(contents);
  await expectStored(opened.store, contents);
});
