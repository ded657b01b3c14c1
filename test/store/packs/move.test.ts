import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { migrate } from "../../../src/store/migrate.ts";
import { PARTS } from "../../../src/store/packs/placed.ts";
import { leftToMove, moveStep } from "../../../src/store/retention/move.ts";
import { openStore } from "../../../src/store/store.ts";
import { insertInto, insertRecord } from "../../api/open.ts";
import { ownDirectory } from "../open.ts";

test("what was recorded before there were packs is moved in steps, and read as before at every one", async () => {
  using directory = ownDirectory();
  let store = await openStore(directory.config, "write");
  await migrate(store);
  const long = `"${"shared by many ".repeat(4_000)}"`;
  const file = Buffer.alloc(2_000, 7);
  const hash = createHash("sha256").update(file).digest("hex");
  const ids: string[] = [];
  for (let at = 0; at < 450; at++) {
    const isShared = at % 3 === 0;
    const own = { form: "json", content: `{"n":${at}}` };
    const shared = { form: "json", content: long, zstd: true, blob: "shared" };
    const bodies = {
      ...(at === 0 ? { request: shared } : !isShared && { request: own }),
      response: { form: "text", content: `answer ${at}` },
    };
    ids.push(await insertRecord(store, at % 2 === 0 ? "o" : "p", { seq: at + 1 }, at % 5 === 4 ? {} : bodies));
    const row = { request_id: ids[at]!, part: "request", form: "json", bytes: long.length, codec: "zstd" };
    if (isShared && at > 0) await store.bodies.batch([insertInto("bodies", { ...row, blob_hash: "shared" })]);
    if (at % 2 === 0)
      await store.bodies.batch([
        insertInto("texts", { request_id: ids[at]!, prompt: `p${at}`, completion: null, headers: Buffer.from("{}") }),
      ]);
  }
  const asset = { asset_id: hash, organization_id: "o", content_type: "image/png", bytes: file.length };
  await store.bodies.batch([
    ...[ids[0]!, ids[1]!].map((request_id) => insertInto("assets", { request_id, ...asset })),
    insertInto("blobs", { hash, codec: "plain", content_type: null, bytes: file.length, data: file }),
    insertInto("texts", { request_id: "without a record", prompt: "lost" }),
  ]);
  const shown = async () => {
    const bodies = await store.content.get(ids, PARTS);
    const texts = await store.content.texts(ids);
    return ids.map((id) => [
      Object.entries(bodies.get(id) ?? {})
        .map(([part, { form, content }]) => [part, form, Buffer.from(content).toString()])
        .sort(),
      texts.get(id)?.prompt ?? null,
    ]);
  };
  const before = await shown();
  // What was read again since stands in packs already, and is newer.
  const newer = { part: "request", form: "text", contentType: null, bytes: Buffer.from("newer") } as const;
  await store.content.put([
    { requestId: ids[2]!, organizationId: "o", parts: [newer], assets: [], texts: { prompt: "p2", completion: null } },
  ]);
  before[2] = [[["request", "text", "newer"]], "p2"];

  expect(await leftToMove(store.bodies)).toBeGreaterThan(200);
  let steps = 0;
  for (let moved = 1; moved > 0; steps++) {
    moved = await moveStep(store);
    expect(await shown()).toEqual(before);
    if (steps % 2 === 0) {
      await store.close();
      store = await openStore(directory.config, "change");
    }
  }
  expect(steps).toBeGreaterThan(3);
  expect(await leftToMove(store.bodies)).toBe(0);
  for (const table of ["texts", "bodies", "blobs", "assets"]) {
    expect(await store.bodies.query({ sql: `select count(*) as n from ${table}`, args: [] })).toEqual([{ n: 0 }]);
  }
  expect(Buffer.compare((await store.content.asset(ids[1]!, hash))!.content, file)).toBe(0);
  await store.close();
});
