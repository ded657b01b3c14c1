import { expect, test } from "bun:test";
import { migrate } from "../../../src/store/migrate.ts";
import { readBytes, recordBytes } from "../../../src/store/sizes/record-bytes.ts";
import { openStore } from "../../../src/store/store.ts";
import { chance } from "../../chance.ts";
import { ownDirectory } from "../open.ts";

test("the sizes of records add up to those of packs and places, and a turn counts only what is new in it", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const random = chance("record bytes");
  const put = async (body: Buffer) => {
    const requestId = crypto.randomUUID();
    const part = { part: "request", form: "text", bytes: body, contentType: null } as const;
    const texts = { prompt: null, completion: null };
    await store.content.put([{ requestId, organizationId: "o", parts: [part], assets: [], texts, isNew: true }]);
    return requestId;
  };
  // Bytes that do not compress: what is stored is what is fresh.
  let conversation = random.bytes(40_000);
  const ids: string[] = [];
  for (let turn = 0; turn < 20; turn++) {
    ids.push(await put(conversation));
    conversation = Buffer.concat([conversation, random.bytes(3_000)]);
  }
  const bytes = await recordBytes(store.bodies, [...ids, crypto.randomUUID()]);
  expect([...bytes.keys()].sort()).toEqual([...ids].sort());
  expect(bytes.get(ids[0]!)!).toBeGreaterThan(20_000); // repeated ends compress
  for (const id of ids.slice(1)) expect(bytes.get(id)!).toBeLessThan(15_000);
  const [all] = await store.bodies.query<{ bytes: number }>({
    sql: "select (select sum(length(data)) from packs) + (select sum(length(parts)) from contents) as bytes",
    args: [],
  });
  const sum = [...bytes.values()].reduce((total, each) => total + each, 0);
  expect(Math.abs(sum - all!.bytes)).toBeLessThan(all!.bytes * 0.02);
  // Once they are read, all of each counts, however little it takes.
  const zeros = await put(Buffer.alloc(1_000_000));
  const read = await readBytes(store.bodies, [...ids, zeros, crypto.randomUUID()]);
  const lengths = ids.map((id, turn): [string, number] => [id, 40_000 + 3_000 * turn]);
  expect(new Map([...read].sort())).toEqual(new Map([...lengths, [zeros, 1_000_000] as const].sort()));
  await store.close();
});
