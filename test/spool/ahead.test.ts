import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { appendFileSync, cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SpoolKeeper } from "../../src/maintenance/backup/spool-keeper.ts";
import { FRAME, type Position } from "../../src/spool/frame.ts";
import { type Damage, SpoolReader } from "../../src/spool/reader.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import type { SpoolOptions } from "../../src/spool/writer.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, drain, spoolIn as spoolWith } from "./journal.ts";

/** Whatever room this disk has. */
const spoolIn = (directory: string, options: Partial<SpoolOptions> = {}) =>
  spoolWith(directory, { roomMin: 0, ...options });

const END = { time: 2, outcome: "complete", requestBytes: 3, responseBytes: 4 } as const;

/** Ends with zeros, like the room ahead of the frames; how many do, no random byte before them decides. */
const BODY = Buffer.alloc(300).fill(1, 0, 1);

/** An open spool with a few exchanges, the last of which ends with zeros, and where its last frame ends. */
function opened(directory: string, options: Partial<SpoolOptions> = {}) {
  const spool = spoolIn(directory, options);
  for (let i = 0; i < 5; i++) {
    const id = randomUUID();
    spool.begin(id, begin());
    spool.end(id, END);
    spool.responseChunk(id, BODY);
    spool.flush();
  }
  const path = segmentPath(directory, listSegments(directory)[0]!);
  const reader = new SpoolReader({ directory });
  const frames = drain(reader);
  const end = reader.position;
  reader.close();
  return { spool, path, frames, end };
}

/** What is read of a copy in which another run has begun its segment. */
async function readAfterKill(directory: string, change: (segment: Buffer) => Buffer) {
  using copy = temporaryDirectory();
  const path = join(copy.path, "spool");
  cpSync(directory, path, { recursive: true });
  const segment = segmentPath(path, listSegments(path)[0]!);
  writeFileSync(segment, change(readFileSync(segment)));
  await spoolIn(path).close();
  const damage: Damage[] = [];
  const left: number[][] = [];
  const reader = new SpoolReader({
    directory: path,
    onDamage: (each) => damage.push(each),
    onLeft: (_segment, end, size) => left.push([end, size]),
  });
  const frames = drain(reader).map(({ id, kind }) => ({ id, kind }));
  const lag = reader.lagBytes();
  reader.close();
  return { frames: frames.slice(0, -1), damage, left, lag };
}

test("a segment is longer than what is written while it is open, and not after that", async () => {
  using directory = temporaryDirectory();
  const { spool, path, frames, end } = opened(directory.path);
  expect(frames).toHaveLength(16);
  expect(statSync(path).size).toBe(256 * 1024);
  await spool.close();
  expect(statSync(path).size).toBe(end.offset);
});

test.each([
  ["the disk is nearly full", { roomMin: Number.POSITIVE_INFINITY }, 0],
  ["segments are short", { segmentBytes: 4_000 }, 4_000],
])("if %s a segment takes no more than its frames and its own length", async (_name, options, sizeMin) => {
  using directory = temporaryDirectory();
  const { spool, path, end } = opened(directory.path, options);
  expect(statSync(path).size).toBe(Math.max(end.offset, sizeMin));
  await spool.close();
});

test("the zeros of an open segment are no lag, and its end is passed by reading its frames", async () => {
  using directory = temporaryDirectory();
  const { spool, end } = opened(directory.path);
  const reader = new SpoolReader({ directory: directory.path });
  const isPassed = ({ segment, offset }: Position) =>
    reader.position.segment === segment && reader.position.offset >= offset;
  const before = reader.end();
  expect(isPassed(before)).toBe(false);
  expect(end.offset - reader.lagBytes()).toBeLessThan(BODY.length); // the zeros of the last frame may be counted or not
  drain(reader);
  expect(isPassed(before)).toBe(true);
  expect([reader.end(), reader.lagBytes()]).toEqual([end, 0]);
  reader.close();
  await spool.close();
});

test("after a kill the zeros are neither damage nor lag", async () => {
  using directory = temporaryDirectory();
  const { spool, frames, end } = opened(directory.path);
  const found = await readAfterKill(directory.path, (segment) => segment);
  expect(found.frames).toEqual(frames.map(({ id, kind }) => ({ id, kind })));
  expect([found.damage, found.left, found.lag]).toEqual([[], [[end.offset, end.offset]], 0]);
  await spool.close();
});

test("of a half-written frame before the zeros only its own bytes are passed over", async () => {
  using directory = temporaryDirectory();
  const { spool, frames } = opened(directory.path);
  const last = frames.findLast(({ kind }) => kind === FRAME.end)!.at.offset;
  const found = await readAfterKill(directory.path, (segment) => segment.fill(0, last + 40));
  expect(found.frames).toHaveLength(frames.length - 2);
  expect([found.damage, found.left]).toEqual([[], [[last, last + 40]]]);
  await spool.close();
});

test("a page of zeros before later frames is damage", async () => {
  using directory = temporaryDirectory();
  const { spool, frames, end } = opened(directory.path);
  const [from, to] = [frames[4]!.at.offset, frames[6]!.at.offset];
  const found = await readAfterKill(directory.path, (segment) => segment.fill(0, from, to));
  expect(found.frames).toHaveLength(frames.length - 2);
  expect(found.damage).toMatchObject([{ offset: from, bytes: to - from }]);
  expect(found.left).toEqual([[end.offset, end.offset]]);
  await spool.close();
});

test("writers that share a segment do not write zeros over each other's frames", async () => {
  using directory = temporaryDirectory();
  const first = spoolIn(directory.path);
  const second = spoolIn(directory.path, { shared: first.share() });
  const body = Buffer.alloc(90_000, 1);
  const ids = Array.from({ length: 40 }, () => randomUUID());
  for (const [at, id] of ids.entries()) {
    const spool = at % 3 === 0 ? first : second;
    spool.begin(id, begin());
    spool.responseChunk(id, body);
    spool.end(id, END);
    spool.flush();
  }
  const reader = new SpoolReader({ directory: directory.path });
  const ended = drain(reader).filter(({ kind }) => kind === FRAME.end);
  expect(ended.map(({ id }) => id)).toEqual(ids);
  reader.close();
  await second.close();
  await first.close();
});

test("a backup takes an open segment without its zeros, however it is cut meanwhile", async () => {
  using directory = temporaryDirectory();
  const { spool, path, end } = opened(directory.path);
  const keeper = new SpoolKeeper(directory.path);
  const { bytes } = [...keeper.files()][0]!;
  expect([bytes <= end.offset, bytes > end.offset - BODY.length]).toEqual([true, true]);
  await spool.close();
  appendFileSync(path, Buffer.of(1));
  expect([...keeper.files()][0]!.bytes).toBe(end.offset + 1);
  keeper.close();
});
