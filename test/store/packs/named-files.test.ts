import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { openLocal } from "../../../src/store/database/local.ts";
import { migrate } from "../../../src/store/migrate.ts";
import type { RequestContent } from "../../../src/store/packs/request-content.ts";
import { chance } from "../../chance.ts";
import { temporaryDirectory } from "../../directory.ts";

const random = chance("named files");

function withFile(file: Buffer, before: string, more: string, organizationId = "o"): RequestContent {
  const id = createHash("sha256").update(file).digest("hex");
  const start = `{"text":"${more}","url":"`;
  const text = before + file.toString("base64");
  const files = [{ offset: Buffer.byteLength(start), length: text.length, id, name: before + id }];
  const bytes = Buffer.from(`${start}${text}","after":"${more}"}`);
  return {
    requestId: crypto.randomUUID(),
    organizationId,
    parts: [{ part: "request", form: "json", bytes, contentType: null, files }],
    assets: [{ id, contentType: "image/png", bytes: file }],
    texts: { prompt: null, completion: null },
  };
}

test("a named file is stored once, and each body with it as it was sent", async () => {
  using directory = temporaryDirectory();
  const store = openLocal(`${directory.path}/weir.db`, "write");
  await migrate(store);
  const stored = async () => {
    const [row] = await store.bodies.query<{ bytes: number }>({
      sql: "select coalesce(sum(bytes), 0) as bytes from packs",
      args: [],
    });
    return row!.bytes;
  };
  const [one, other] = [random.bytes(100_000), random.bytes(100_000)];
  const [short, long] = ["data:image/png;base64,", "data:image/png;charset=utf-8;base64,"];
  const all = [withFile(one, short, "sooner"), withFile(other, short, "é"), withFile(one, short, "after ")];
  all.push(withFile(one, long, "a"), withFile(other, short, "b"), withFile(one, short, "c", "another organization"));
  const sizes: number[] = [];
  for (const each of all) {
    const before = await stored();
    await store.content.put([each]);
    sizes.push((await stored()) - before);
  }
  for (const { requestId, parts } of all) {
    const found = await store.content.get([requestId], ["request"], "sent");
    expect(Buffer.compare(found.get(requestId)!.request!.content, parts[0]!.bytes)).toBe(0);
  }
  expect(sizes.map((size) => size > 100_000)).toEqual([true, true, false, true, false, true]);
  await store.close();
});
