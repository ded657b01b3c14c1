import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { FRAME_HEAD_BYTES, frameBytes, isIntact } from "../../src/spool/codec.ts";
import { Continuity } from "../../src/spool/continuity.ts";
import { FRAME } from "../../src/spool/frame.ts";
import { type Damage, SpoolReader } from "../../src/spool/reader.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { readTip, tipPath, writeTip } from "../../src/spool/tip-file.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { until } from "../until.ts";
import { begin, drain, readAll, spoolIn } from "./journal.ts";

const END = { time: 2, outcome: "complete", requestBytes: 3, responseBytes: 4 } as const;
const EXCHANGES = 12;

/** A finished segment with whole exchanges, and the empty one of the next run behind it. */
async function written(directory: string): Promise<string> {
  const spool = spoolIn(directory);
  for (let i = 0; i < EXCHANGES; i++) {
    const id = randomUUID();
    spool.begin(id, begin());
    spool.requestChunk(id, Buffer.from(`{"n":${i}}`));
    spool.responseChunk(id, Buffer.alloc(300 + i * 40, i));
    spool.providerResponse(id, { time: 2, status: 200, headers: [] });
    spool.providerResponseChunk(id, Buffer.alloc(100 + i, i));
    spool.end(id, END);
  }
  await spool.close();
  await spoolIn(directory).close();
  return segmentPath(directory, listSegments(directory)[0]!);
}

/** Where each frame of a segment begins, and the end of what is written. */
function bounds(file: Buffer): number[] {
  const offsets = [0];
  while (offsets.at(-1)! < file.byteLength && file.readUInt32LE(offsets.at(-1)!) !== 0) {
    offsets.push(offsets.at(-1)! + frameBytes(file, offsets.at(-1)!, file.byteLength));
  }
  return offsets;
}

test("one flipped bit, wherever it is, costs one frame at most", async () => {
  using directory = temporaryDirectory();
  const path = await written(directory.path);
  const sound = readFileSync(path);
  const whole = readAll(directory.path);
  expect(whole).toHaveLength(EXCHANGES * 6);
  const frames = bounds(sound);
  await assertProperty(
    fc.property(fc.nat(sound.byteLength * 8 - 1), (bit) => {
      const file = Buffer.from(sound);
      file[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, file);
      const damage: Damage[] = [];
      const torn: number[] = [];
      const reader = new SpoolReader({
        directory: directory.path,
        onDamage: (each) => damage.push(each),
        onLeft: (_segment, end, size) => torn.push(Math.max(0, size - end)),
      });
      const found = drain(reader).filter(({ kind }) => kind !== FRAME.start);
      reader.close();
      const hit = frames.findLastIndex((offset) => offset <= bit >> 3);
      const left = whole.filter(({ at }) => at.offset !== frames[hit]!);
      const inLength = (bit >> 3) - frames[hit]! < 4;
      // A wrong length alone is put right; the last frame has none behind it that would show it.
      expect(found).toEqual(inLength ? whole : left);
      const lost = inLength ? 0 : frames[hit + 1]! - frames[hit]!;
      expect(damage.reduce((sum, { bytes }) => sum + bytes, 0) + torn.reduce((a, b) => a + b, 0)).toBe(lost);
      for (const { offset, bytes } of damage) expect([offset, bytes]).toEqual([frames[hit]!, lost]);
    }),
    { numRuns: 400 },
  );
});

test("whatever is overwritten, every frame outside of it is read, and nothing else", async () => {
  using directory = temporaryDirectory();
  const path = await written(directory.path);
  const sound = readFileSync(path);
  const whole = readAll(directory.path);
  const frames = bounds(sound);
  const anyBytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 900 }),
    fc.nat(900).map((count) => new Uint8Array(count + 1)),
    // What looks like frames: heads without their payload, and chunks of whole ones.
    fc.nat(frames.length - 2).map((i) => new Uint8Array(sound.subarray(frames[i]!, frames[i]! + FRAME_HEAD_BYTES))),
  );
  await assertProperty(
    fc.property(anyBytes, fc.nat(sound.byteLength - 1), (bytes, at) => {
      const file = Buffer.from(sound);
      file.set(bytes.subarray(0, Math.min(bytes.byteLength, file.byteLength - at)), at);
      writeFileSync(path, file);
      const changed = frames
        .slice(0, -1)
        .filter((offset, i) => !file.subarray(offset, frames[i + 1]).equals(sound.subarray(offset, frames[i + 1])));
      const found = readAll(directory.path);
      const outside = whole.filter(
        ({ at: { offset, segment } }) => segment !== whole[0]!.at.segment || !changed.includes(offset),
      );
      expect(found.filter(({ at: { offset } }) => !changed.includes(offset))).toEqual(outside);
      // A changed frame is read where only its length was damaged, and where the bytes are now a copy of another frame.
      const written = whole.map(({ kind, id, payload }) => ({ kind, id, payload }));
      for (const { at, ...frame } of found.filter(({ at: { offset } }) => changed.includes(offset))) {
        const own = whole.find((sound) => sound.at.offset === at.offset && sound.at.segment === at.segment);
        if (isIntact(file, at.offset, frames[frames.indexOf(at.offset) + 1]!)) expect(written).toContainEqual(frame);
        else expect({ at, ...frame }).toEqual(own!);
      }
    }),
    { numRuns: 300 },
  );
});

test("a frame that is now a copy of another one is read as that one: its sum is right", async () => {
  using directory = temporaryDirectory();
  const path = await written(directory.path);
  const file = readFileSync(path);
  const whole = readAll(directory.path);
  // All begins have the same payload, so the head of one, laid over that of another, makes a whole frame.
  const [first, , , , , , second] = whole;
  file.copy(file, second!.at.offset, first!.at.offset, first!.at.offset + FRAME_HEAD_BYTES);
  writeFileSync(path, file);
  expect(readAll(directory.path)).toEqual(whole.with(6, { ...first!, at: second!.at }));
});

test("a body that is full of what looks like frames does not hold reading up, nor is it read as frames", async () => {
  using directory = temporaryDirectory();
  const forged = Buffer.from(JSON.stringify(begin({ organization: "another" })));
  const spool = spoolIn(directory.path);
  const id = randomUUID();
  spool.begin(id, begin());
  // Heads of chunks that claim a megabyte each: every one would cost a crc over as much.
  const head = Buffer.alloc(FRAME_HEAD_BYTES, 0x41);
  head.writeUInt32LE(1_000_000, 0);
  head[8] = FRAME.responseChunk;
  const frames = Buffer.concat(Array.from({ length: 40_000 }, () => head));
  spool.responseChunk(id, Buffer.concat([frames.subarray(0, 1_000_000), forged]));
  spool.responseChunk(id, frames.subarray(0, 1_000_000));
  spool.end(id, END);
  await spool.close();
  await spoolIn(directory.path).close();
  const path = segmentPath(directory.path, listSegments(directory.path)[0]!);
  const file = readFileSync(path);
  const offsets = bounds(file);
  file.fill(0xff, offsets[2]!, offsets[2]! + 12); // the first chunk's length, crc, kind and a part of its id
  writeFileSync(path, file);
  const found = readAll(directory.path);
  expect(found.every((frame) => frame.id === id)).toBe(true);
});

test("damage in the newest segment is passed over once a good frame follows", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const [first, second] = [randomUUID(), randomUUID()];
  spool.begin(first, begin());
  spool.flush();
  const path = segmentPath(directory.path, listSegments(directory.path)[0]!);
  const file = readFileSync(path);
  file[bounds(file).at(-1)! - 3]! ^= 1;
  writeFileSync(path, file);
  const damage: Damage[] = [];
  const reader = new SpoolReader({ directory: directory.path, onDamage: (each) => damage.push(each) });
  expect(drain(reader).map(({ kind }) => kind)).toEqual([FRAME.start]);
  spool.begin(second, begin());
  spool.flush();
  expect(drain(reader)).toEqual([]); // it may still be in the middle of being written
  let ids: string[] = [];
  await until(() => {
    ids = drain(reader).map(({ id }) => id);
    return ids.length > 0;
  });
  expect(ids).toEqual([second]);
  expect(damage).toMatchObject([{ id: first, kind: FRAME.begin }]);
  reader.close();
  await spool.close();
});

test("each segment says how far the one before it was written, across runs too", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path, { segmentBytes: 2_000 });
  for (let i = 0; i < 20; i++) {
    spool.begin(randomUUID(), begin());
    spool.flush();
  }
  await spool.close();
  await spoolIn(directory.path).close();
  const segments = listSegments(directory.path);
  expect(segments.length).toBeGreaterThan(4);
  const reader = new SpoolReader({ directory: directory.path });
  const starts = drain(reader).filter(({ kind }) => kind === FRAME.start);
  reader.close();
  const sizes = segments.map((segment) => readFileSync(segmentPath(directory.path, segment)).byteLength);
  expect(starts.map(({ payload }) => JSON.parse(payload.toString()).previous)).toEqual([
    undefined,
    ...segments.slice(0, -1).map((segment, i) => ({ segment, offset: sizes[i]! })),
  ]);
});

test.each([
  ["nothing happened", 900, 900, undefined],
  ["the end is torn behind what was noted", 900, 950, undefined],
  ["bytes at the end are no frame", 700, 900, { state: "damaged", bytes: 200 }],
  ["it was cut", 650, 700, { state: "short", bytes: 250 }],
  ["it was emptied", 0, 0, { state: "short", bytes: 900 }],
  ["it is gone", 0, -1, { state: "gone", bytes: 900 }],
] as const)("of a segment that was written up to 900 a loss is reported when %s", (_what, end, size, expected) => {
  const continuity = new Continuity({ segment: 1, offset: 0 });
  continuity.left(7, end, size);
  expect(continuity.follows({ segment: 7, offset: 900 })).toEqual(expected && { segment: 7, ...expected });
});

test.each([
  ["all of it is recorded", { segment: 7, offset: 900 }, { segment: 7, offset: 900 }, undefined],
  [
    "a part of it is recorded",
    { segment: 7, offset: 500 },
    { segment: 7, offset: 900 },
    { segment: 7, state: "gone", bytes: 400 },
  ],
  ["a later one is recorded", { segment: 8, offset: 0 }, { segment: 7, offset: 900 }, undefined],
  ["nobody noted how far it went", { segment: 7, offset: 500 }, undefined, { segment: 7, state: "gone", bytes: 0 }],
] as const)("of a missing segment the lost part is reported if %s", (_where, from, previous, expected) => {
  const continuity = new Continuity(from);
  if (from.segment === 7) continuity.left(7, from.offset, -1);
  expect(continuity.follows(previous)).toEqual(expected);
});

test("the note of how far the spool is written is taken as a whole or not at all", () => {
  using directory = temporaryDirectory();
  expect(readTip(directory.path)).toBeUndefined();
  writeTip(directory.path, { segment: 1_790_000_000_000, offset: 12_345 });
  expect(readTip(directory.path)).toEqual({ segment: 1_790_000_000_000, offset: 12_345 });
  writeTip(directory.path, { segment: 1_790_000_000_001, offset: 7 });
  expect(readTip(directory.path)).toEqual({ segment: 1_790_000_000_001, offset: 7 });
  const path = tipPath(directory.path);
  const sound = readFileSync(path);
  for (let byte = 0; byte < sound.byteLength; byte++) {
    const file = Buffer.from(sound);
    file[byte]! ^= 4;
    writeFileSync(path, file);
    expect(readTip(directory.path)).toBeUndefined();
    truncateSync(path, byte);
    expect(readTip(directory.path)).toBeUndefined();
  }
  writeTip(join(directory.path, "missing"), { segment: 1, offset: 1 }); // does not throw
});
