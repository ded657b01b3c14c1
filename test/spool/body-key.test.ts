import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { BodyKey } from "../../src/spool/body-key.ts";
import { type BeginMeta, FRAME } from "../../src/spool/frame.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, readAll, spoolIn } from "./journal.ts";

const BYTES = 4_096;
const OMIT = { omitRequest: true, omitResponse: true } as const;

/** What the spool holds of bodies of zeros: the keystreams themselves. */
async function keystreams(ids: readonly string[]) {
  using directory = temporaryDirectory();
  const spool = spoolIn(join(directory.path, "spool"));
  for (const id of ids) {
    spool.begin(id, begin(OMIT));
    spool.requestChunk(id, Buffer.alloc(BYTES));
    spool.responseChunk(id, Buffer.alloc(BYTES));
    spool.end(id, { time: 2, outcome: "complete", requestBytes: BYTES, responseBytes: BYTES });
  }
  const key = new BodyKey(spool.bodyKey);
  await spool.close();
  const frames = readAll(join(directory.path, "spool"));
  const begins = frames.filter(({ kind }) => kind === FRAME.begin).map(({ payload }) => JSON.parse(payload.toString()));
  const bodies = frames.filter(({ kind }) => kind === FRAME.requestChunk || kind === FRAME.responseChunk);
  return { key, begins: begins as BeginMeta[], bodies };
}

/** Blocks of 16 bytes that stand in more than one place. */
function repeatedBlocks(bodies: readonly { readonly payload: Buffer }[]): number {
  const blocks = bodies.flatMap(({ payload }) =>
    Array.from({ length: BYTES / 16 }, (_, i) => payload.toString("latin1", i * 16, i * 16 + 16)),
  );
  return blocks.length - new Set(blocks).size;
}

test.each([
  ["neighbouring ids", ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]],
  ["ids with half a cycle between", ["00000000-0000-4000-8000-000000000001", "80000000-0000-4000-8000-000000000001"]],
  ["the same id again", ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000001"]],
  ["the same id in capitals", ["abcdefab-0000-4000-8000-000000000001", "ABCDEFAB-0000-4000-8000-000000000001"]],
])("omitted bodies of %s share no keystream, in either direction", async (_name, ids) => {
  const { bodies } = await keystreams(ids);
  expect(bodies).toHaveLength(4);
  expect(repeatedBlocks(bodies)).toBe(0);
});

test("whatever ids clients choose, no block of keystream is used twice, and each body can be decrypted", async () => {
  // Few values, so that ids repeat and lie next to each other.
  const digit = fc.integer({ min: 0, max: 3 });
  const anyId = fc.tuple(digit, digit).map(([a, b]) => `${a}0000000-0000-4000-8000-00000000000${b}`);
  await assertProperty(
    fc.asyncProperty(fc.array(anyId, { minLength: 2, maxLength: 8 }), async (ids) => {
      const { key, begins, bodies } = await keystreams(ids);
      expect(repeatedBlocks(bodies)).toBe(0);
      for (const [i, { kind, id, payload }] of bodies.entries()) {
        const { seal, salt } = begins[i >> 1]!;
        expect(seal).toBe(key.name);
        const side = kind === FRAME.requestChunk ? "request" : "response";
        expect(key.open({ salt: salt!, id, side }, payload, 0).equals(Buffer.alloc(BYTES))).toBe(true);
      }
    }),
    { numRuns: 25 },
  );
});
