import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { appendFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { FRAME } from "../../src/spool/frame.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { until } from "../until.ts";
import { begin, drain, readAll, spoolIn } from "./journal.ts";

const END = { time: 2, outcome: "complete", requestBytes: 3, responseBytes: 4 } as const;

test("what is appended is read back in order, ids and payloads exact", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const id = randomUUID();
  expect(spool.begin(id, begin())).toBe(true);
  spool.requestChunk(id, Buffer.from("{}"));
  spool.head(id, { time: 1, status: 200, headers: ["X-É", "ü"] });
  spool.responseChunk(id, Buffer.from([0, 255, 10]));
  spool.message(id, { time: 1, direction: "client", text: "€" });
  spool.end(id, END);
  spool.flush();

  const frames = readAll(directory.path);
  expect(frames.map(({ kind }) => kind)).toEqual([
    FRAME.begin,
    FRAME.requestChunk,
    FRAME.head,
    FRAME.responseChunk,
    FRAME.message,
    FRAME.end,
  ]);
  expect(frames.every((frame) => frame.id === id)).toBe(true);
  expect(JSON.parse(frames[0]!.payload.toString())).toEqual(begin());
  expect(JSON.parse(frames[2]!.payload.toString()).headers).toEqual(["X-É", "ü"]);
  expect([...frames[3]!.payload]).toEqual([0, 255, 10]);
  expect(JSON.parse(frames[4]!.payload.toString()).text).toBe("€");
  await spool.close();
});

test("an id in capitals is the same id", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const id = randomUUID();
  spool.begin(id.toUpperCase(), begin());
  await spool.close();
  expect(readAll(directory.path)[0]!.id).toBe(id);
});

test("frames reach the file at the end of the turn without a flush", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  spool.begin(randomUUID(), begin());
  expect(readAll(directory.path)).toHaveLength(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(readAll(directory.path)).toHaveLength(1);
  await spool.close();
});

test("what is appended at the end of a turn goes into the write that ends it", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const [first, second] = [randomUUID(), randomUUID()];
  const bytes = () => spool.stats.bytesWritten;
  spool.begin(first, begin());
  spool.atTurnEnd(() => {
    spool.begin(second, begin());
    expect(bytes()).toBe(0);
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(readAll(directory.path).map(({ id }) => id)).toEqual([first, second]);
  let ends = 0;
  const again = () => void (++ends < 3 && spool.atTurnEnd(again));
  spool.atTurnEnd(again);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toBe(3);
  await spool.close();
});

test("chunks of any sizes are read as the same bytes over any segment size", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3_000_000 }), { maxLength: 5 }),
      fc.array(fc.nat({ max: 300 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (large, small, segmentBytes) => {
        using directory = temporaryDirectory();
        const spool = spoolIn(directory.path, { segmentBytes });
        const id = randomUUID();
        const chunks = [...small, ...large].map((bytes, i) => Buffer.alloc(bytes, i + 1));
        for (const chunk of chunks) {
          spool.responseChunk(id, chunk);
          if (chunk.byteLength % 3 === 0) spool.flush();
        }
        spool.flush();
        const read = Buffer.concat(readAll(directory.path).map(({ payload }) => payload));
        expect(read.equals(Buffer.concat(chunks))).toBe(true);
        await spool.close();
      },
    ),
    { numRuns: 25 },
  );
});

test("a message larger than every buffer is written whole", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const text = "é".repeat(6_000_000);
  spool.message(randomUUID(), { time: 1, direction: "provider", text });
  spool.begin(randomUUID(), begin());
  await spool.close();
  const frames = readAll(directory.path);
  expect(JSON.parse(frames[0]!.payload.toString()).text).toBe(text);
  expect(frames).toHaveLength(2);
});

test("segments are numbered upwards, also after the directory was emptied", async () => {
  using directory = temporaryDirectory();
  const first = spoolIn(directory.path, { segmentBytes: 1 });
  for (let i = 0; i < 3; i++) {
    first.begin(randomUUID(), begin());
    first.flush();
  }
  await first.close();
  const before = listSegments(directory.path);
  expect(before.length).toBeGreaterThanOrEqual(3);
  for (const name of readdirSync(directory.path)) rmSync(join(directory.path, name));
  // These segments were begun faster than one a millisecond, which numbers by the clock outlive only a moment later.
  await until(
    () => Date.now() > before.at(-1)!,
    180_000,
    () => "the clock has passed the last number",
  );
  const second = spoolIn(directory.path);
  await second.close();
  expect(listSegments(directory.path)[0]!).toBeGreaterThan(before.at(-1)!);
});

test("a reader waits at a half-written frame of the newest segment and passes over it in an older one", async () => {
  using directory = temporaryDirectory();
  const torn: number[] = [];
  const reader = new SpoolReader({ directory: directory.path, onLeft: (_segment, end, size) => torn.push(size - end) });
  const first = spoolIn(directory.path);
  first.begin(randomUUID(), begin());
  await first.close();
  const segment = listSegments(directory.path).at(-1)!;
  appendFileSync(segmentPath(directory.path, segment), Buffer.from([200, 0, 0, 0, 1, 2, 3]));
  expect(drain(reader).filter(({ kind }) => kind === FRAME.begin)).toHaveLength(1);
  expect(drain(reader)).toHaveLength(0);
  expect(torn).toEqual([]);

  const second = spoolIn(directory.path);
  second.begin(randomUUID(), begin());
  await second.close();
  expect(drain(reader).map(({ kind }) => kind)).toEqual([FRAME.start, FRAME.begin]);
  expect(torn).toEqual([7]);
  reader.close();
});

test("a segment cut or damaged anywhere gives every frame but the one that is hit, and never an exception", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path);
  const ids = Array.from({ length: 20 }, () => randomUUID());
  for (const id of ids) spool.begin(id, begin());
  await spool.close();
  const later = spoolIn(directory.path);
  later.begin(randomUUID(), begin({ method: "LAST" }));
  await later.close();

  const [segment] = listSegments(directory.path) as [number];
  const whole = await Bun.file(segmentPath(directory.path, segment)).bytes();
  assertProperty(
    fc.property(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, flip, cut) => {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= flip;
      writeFileSync(segmentPath(directory.path, segment), cut ? whole.subarray(0, at) : damaged);
      const frames = readAll(directory.path);
      const kept = frames.slice(0, -1);
      const hit = cut ? ids.slice(0, kept.length) : ids.filter((id) => kept.some((frame) => frame.id === id));
      expect(kept.map(({ id }) => id)).toEqual(hit);
      if (!cut) expect(kept.length).toBeGreaterThanOrEqual(ids.length - 1);
      expect(JSON.parse(frames.at(-1)!.payload.toString()).method).toBe("LAST");
    }),
    { numRuns: 200 },
  );
});

test("a spool whose directory is deleted under it continues in a new one", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  const spool = spoolIn(path);
  rmSync(path, { recursive: true });
  const id = randomUUID();
  await until(
    () => listSegments(path).length > 0,
    180_000,
    () => "there is a segment again",
  );
  expect(spool.begin(id, begin())).toBe(true);
  await spool.close();
  expect(readAll(path).map((frame) => frame.id)).toEqual([id]);
});

test("a spool that cannot be opened refuses exchanges, counts them, and recovers by itself", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  writeFileSync(path, "in the way");
  const spool = spoolIn(path);
  const lost = randomUUID();
  expect(spool.begin(lost, begin())).toBe(false);
  spool.responseChunk(lost, Buffer.from("x"));
  spool.end(lost, END);
  expect(spool.stats).toMatchObject({ healthy: false, exchangesDropped: 1 });
  expect(spool.stats.lastError).toContain("spool");

  rmSync(path);
  await until(
    () => spool.stats.healthy,
    180_000,
    () => "the spool is healthy",
  );
  const kept = randomUUID();
  expect(spool.begin(kept, begin())).toBe(true);
  await spool.close();
  expect(readAll(path).map((frame) => frame.id)).toEqual([kept]);
});

test("synced resolves for many callers at once, and again after the next append", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path, { sync: "always", segmentBytes: 1 });
  for (let round = 0; round < 3; round++) {
    const waiting = Array.from({ length: 50 }, () => {
      spool.begin(randomUUID(), begin());
      return spool.synced();
    });
    await Promise.all(waiting);
  }
  expect(readAll(directory.path)).toHaveLength(150);
  await spool.close();
});

test.each([1, 30, 1_000, 1 << 20])("a reader that takes %p bytes at a time sees every frame once", async (bytesMax) => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path, { segmentBytes: 5_000 });
  const ids = Array.from({ length: 40 }, () => randomUUID());
  for (const id of ids) {
    spool.begin(id, begin());
    spool.responseChunk(id, Buffer.alloc(3_000, 1));
    spool.flush();
  }
  await spool.close();
  const reader = new SpoolReader({ directory: directory.path });
  const kinds: number[] = [];
  while (reader.read((buffer, at) => void kinds.push(buffer[at + 8]!), bytesMax) > 0);
  reader.close();
  expect(kinds.filter((kind) => kind === FRAME.begin)).toHaveLength(40);
  expect(kinds.filter((kind) => kind === FRAME.responseChunk)).toHaveLength(40);
});
