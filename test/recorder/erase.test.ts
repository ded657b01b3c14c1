import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chance } from "../chance.ts";
import { spoolIn } from "../spool/journal.ts";
import { pass, type Rig, rig } from "./harness.ts";

const random = chance("erase");

/** Files of the data directory that hold any of these bytes, as they are or in a pack. */
async function holding(weir: Rig, marks: readonly Uint8Array[]): Promise<string[]> {
  const entries = readdirSync(weir.directory, { recursive: true, withFileTypes: true });
  const contents = entries
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name))] as const);
  const packs = await weir.store.bodies.query<{ data: Uint8Array }>({ sql: "select data from packs", args: [] });
  const all = [...contents, ...packs.map(({ data }) => ["a pack", Buffer.from(Bun.zstdDecompressSync(data))] as const)];
  return all.filter(([, bytes]) => marks.some((mark) => bytes.includes(mark))).map(([name]) => name);
}

async function erased(weir: Rig): Promise<void> {
  while ((await weir.recorder.maintain({ kind: "erase" })) > 0);
}

test("deleted content is in no file of the data directory any more", async () => {
  await using weir = await rig();
  const text = random.bytes(20).toString("hex");
  const sound = random.bytes(30_000);
  const shared = random.bytes(9_000).toString("base64");
  const ask = (prompt: string) => JSON.stringify({ model: "m", history: shared, prompt });
  const audio = { headers: ["Content-Type", "audio/mpeg"] };
  const kept = pass(weir.spool, { request: ask("kept"), response: random.bytes(3_000), head: audio });
  const gone: string[] = [];
  for (let round = 0; round < 3; round++) {
    gone.push(pass(weir.spool, { request: ask(`${text} ${round}`), response: sound, head: audio }));
    // The pack that is open is written again with each.
    await weir.recorder.barrier();
  }
  const marks = [Buffer.from(text), sound.subarray(0, 200), sound.subarray(25_000, 25_200)];
  expect(await holding(weir, marks)).toContain("a pack");
  const before = await weir.body(kept, "request");

  expect(await weir.recorder.remove({ organizationId: "org-1", requestIds: gone })).toBe(3);
  for (const id of gone) expect(await weir.body(id, "response")).toBeUndefined();
  await erased(weir);
  // The journal goes with the next segment.
  await weir.spool.close();
  const next = spoolIn(join(weir.directory, "spool"));
  const after = pass(next, { request: ask("after") });
  await weir.recorder.barrier();
  expect(await holding(weir, marks)).toEqual([]);
  expect((await weir.body(kept, "request"))?.content.toString()).toBe(before!.content.toString());
  expect((await weir.body(after, "request"))?.content.toString()).toBe(ask("after"));
  await next.close();
});
