import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { spoolCheck } from "../../src/maintenance/doctor/checks/spool.ts";
import { Assembler } from "../../src/recorder/exchanges/assemble.ts";
import { type CarryDamage, CarryFiles } from "../../src/recorder/exchanges/carry.ts";
import { damagedCarryFiles } from "../../src/spool/carry-frames.ts";
import { encodeFrame, FRAME_HEAD_BYTES, frameBytes, frameId } from "../../src/spool/codec.ts";
import { FRAME } from "../../src/spool/frame.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { openStore } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { until } from "../until.ts";
import { begin, configIn, pass, readRow, spoolIn, startRecorder } from "./harness.ts";

const NOWHERE = { segment: 0, offset: 0 };
const newAssembler = () =>
  new Assembler({ bodyBytesMax: 10_000, recordedUpTo: NOWHERE, unknownUpTo: NOWHERE, onCollision: () => undefined });
const IDS = Array.from({ length: 4 }, () => randomUUID());

/** A carry file of four exchanges. @returns its path. */
function carried(directory: string): string {
  const assembler = newAssembler();
  const frames = IDS.flatMap((id, i) => [
    encodeFrame(FRAME.begin, id, Buffer.from(JSON.stringify(begin({ time: 1 })))),
    ...["first", "second"].map((part) => encodeFrame(FRAME.responseChunk, id, Buffer.from(`${part} of ${i};`))),
  ]);
  const segment = Buffer.concat(frames);
  let at = 0;
  for (const { byteLength } of frames) {
    assembler.frame(segment, at, at + byteLength, 1, at);
    at += byteLength;
  }
  const spool = { readBack: (_: number, offset: number, target: Buffer) => segment.copy(target, 0, offset) };
  const files = new CarryFiles(directory);
  files.write([...assembler.inFlight], "run", { segment: 2, offset: 0 }, spool);
  return join(directory, readdirSync(directory).find((name) => name.endsWith(".carry"))!);
}

/** What is read of the file: each exchange that is in flight, its body and whether it is whole. */
function load(directory: string) {
  const damage: CarryDamage[] = [];
  const assembler = newAssembler();
  const files = new CarryFiles(directory, (each) => damage.push(each));
  files.load(assembler);
  const found = new Map(
    [...assembler.inFlight].map(({ id, response, incomplete }) => [id, [String(response.read(files)), incomplete]]),
  );
  return { found, damage, files, assembler };
}

const WHOLE = new Map(IDS.map((id, i) => [id, [`first of ${i};second of ${i};`, false]]));

test("a whole carry file is read, and deleted once nothing is in flight of it", () => {
  using directory = temporaryDirectory();
  const path = carried(directory.path);
  const { found, damage, files } = load(directory.path);
  expect([found, damage]).toEqual([WHOLE, []]);
  files.deleteUnused([]);
  expect(existsSync(path)).toBe(false);
  expect(damagedCarryFiles(directory.path)).toEqual([]);
});

test("one that a kill left unfinished is deleted: the spool still holds what is in it", () => {
  using directory = temporaryDirectory();
  const path = carried(directory.path);
  writeFileSync(`${path}.new`, readFileSync(path).subarray(0, 300));
  rmSync(path);
  expect(load(directory.path)).toMatchObject({ found: new Map(), damage: [] });
  expect(readdirSync(directory.path)).toEqual([]);
});

test("whatever damages a carry file, exchanges outside of it are read whole, and it is reported and kept", async () => {
  using directory = temporaryDirectory();
  const path = carried(directory.path);
  const sound = readFileSync(path);
  const spans = spansOf(sound);
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
  await assertProperty(
    fc.property(bytes, fc.nat(sound.byteLength - 1), fc.boolean(), (bytes, at, isCut) => {
      const file = Buffer.from(sound);
      file.set(bytes.subarray(0, Math.min(bytes.byteLength, file.byteLength - at)), at);
      writeFileSync(path, isCut ? file.subarray(0, at) : file);
      const { found, damage, files } = load(directory.path);
      const end = isCut ? sound.byteLength : at + bytes.byteLength;
      for (const [id, [text, incomplete]] of WHOLE) {
        const span = spans.get(id)!;
        // An exchange before the damage may be said to lack something, but has all of its parts.
        if (span.to <= at && (!isCut || at > 0)) expect(found.get(id)?.[0]).toEqual(text!);
        if (span.from >= end && !isCut) expect(found.get(id)).toEqual([text!, incomplete!]);
        // What lacks a part says so.
        const read = found.get(id);
        if (read !== undefined && read[0] !== text) expect(read[1]).toBe(true);
      }
      files.deleteUnused([]);
      if (damage.length > 0) {
        expect(damagedCarryFiles(directory.path)).toHaveLength(1);
        rmSync(join(directory.path, damagedCarryFiles(directory.path)[0]!));
      }
      expect(readdirSync(directory.path)).toEqual([]);
      // A wrong length alone hurts nothing.
      if (damage.length === 0) expect(found).toEqual(WHOLE);
    }),
    { numRuns: 300 },
  );
});

/** Where the frames of each exchange stand in a carry file. */
function spansOf(file: Buffer): Map<string, { from: number; to: number }> {
  const spans = new Map<string, { from: number; to: number }>();
  for (let at = 0; at < file.byteLength; ) {
    const to = at + frameBytes(file, at, file.byteLength);
    const id = frameId(file, at);
    spans.set(id, { from: spans.get(id)?.from ?? at, to });
    at = to;
  }
  return spans;
}

for (const [what, spoil] of [
  ["a damaged carry file", (path: string) => writeFileSync(path, Buffer.alloc(500, 0xa5))],
  ["a deleted carry file", (path: string) => rmSync(path)],
  ["a cut carry file", (path: string) => truncateSync(path, FRAME_HEAD_BYTES)],
] as const)
  test(`a request in flight does not stay in flight because of ${what}`, async () => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "spool");
    const spool = spoolIn(path, { segmentBytes: 4_000 });
    const first = startRecorder(directory.path);
    const long = randomUUID();
    spool.begin(long, begin({ time: 1 }));
    spool.flush();
    await until(async () => (await first.isKnownId(long)) && (await first.status()).inFlight === 1);
    const begun = listSegments(path)[0];
    const isCarried = () => readdirSync(path).find((name) => name.endsWith(".carry"));
    await until(async () => {
      for (let i = 0; i < 8; i++) pass(spool);
      await first.barrier();
      return isCarried() !== undefined && listSegments(path)[0] !== begun;
    });
    const early = await openStore(configIn(directory.path), "read");
    // It gets its row once it has been in flight for a while.
    await until(async () => {
      await first.barrier();
      return (await readRow(early, long).catch(() => undefined)) !== undefined;
    });
    await early.close();
    await first.stop();
    spoil(join(path, isCarried()!));

    const second = startRecorder(directory.path);
    await second.barrier();
    const store = await openStore(configIn(directory.path), "read");
    expect(await readRow(store, long)).toMatchObject({ response_status: 500, outcome: "cut_off", truncated: 1 });
    await store.close();
    const { losses, inFlight } = await second.status();
    expect(inFlight).toBe(0);
    const isGone = what.includes("deleted");
    expect(losses.join("\n")).toContain("1 requests in flight lost their first frame and are recorded as cut off");
    expect(losses.join("\n").includes("1 carry files were damaged")).toBe(!isGone);
    spool.end(long, { time: 3, outcome: "complete", requestBytes: 0, responseBytes: 1 });
    // A segment later the file is needed no more.
    await until(async () => {
      for (let i = 0; i < 8; i++) pass(spool);
      await second.barrier();
      return isCarried() === undefined;
    });
    await second.stop();
    await spool.close();
    expect(damagedCarryFiles(path)).toHaveLength(isGone ? 0 : 1);
    const outcomes = await spoolCheck.run({ config: configIn(directory.path), running: false } as never);
    expect(JSON.stringify(outcomes).includes("was damaged and is set aside")).toBe(!isGone);
  });

test("a damaged begin of a request in flight is noticed at the next start", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  const spool = spoolIn(path);
  const first = startRecorder(directory.path);
  const lost = randomUUID();
  spool.begin(lost, begin({ time: 1 }));
  const open = randomUUID();
  spool.begin(open, begin({ time: 2 }));
  spool.flush();
  const store = await openStore(configIn(directory.path), "read");
  await first.barrier();
  const change = { organizationId: "org-1", properties: {} };
  for (const requestId of [lost, open]) await first.update({ ...change, requestId });
  await first.stop();
  expect((await readRow(store, lost))["response_status"]).toBeNull();
  const segment = segmentPath(path, listSegments(path)[0]!);
  const file = readFileSync(segment);
  file[file.indexOf('"time":1,')]! ^= 1;
  writeFileSync(segment, file);

  const second = startRecorder(directory.path);
  await second.barrier();
  pass(spool);
  // The newest segment's damage is passed over once it has stood there for a second.
  await until(async () => {
    pass(spool);
    await second.barrier();
    return (await second.status()).losses.length > 0;
  });
  expect(await readRow(store, lost)).toMatchObject({ response_status: 500, outcome: "cut_off", truncated: 1 });
  expect((await readRow(store, open))["response_status"]).toBeNull();
  expect((await second.status()).inFlight).toBe(1);
  await store.close();
  await second.stop();
  await spool.close();
});

test.each([
  ["deleted", (path: string) => rmSync(path), 0],
  ["emptied", (path: string) => truncateSync(path), 0],
  ["damaged in one place", (path: string) => damageAt(path, "part 1"), 2],
] as const)(
  "a carry file that is %s while the service runs: its record says so, and it is reported",
  async (_, spoil, whole) => {
    using directory = temporaryDirectory();
    const spool = spoolIn(join(directory.path, "spool"), { segmentBytes: 10_000 });
    const recorder = startRecorder(directory.path);
    const [id, time] = [randomUUID(), Date.now()];
    spool.begin(id, begin({ time }));
    spool.head(id, { time, status: 200, headers: [] });
    // More than stays in memory.
    const parts = [0, 1, 2].map((number) => Buffer.alloc(40_000, `part ${number} `));
    for (const part of parts) spool.responseChunk(id, part);
    const carryFiles = () => readdirSync(join(directory.path, "spool")).filter((name) => name.endsWith(".carry"));
    await until(async () => {
      for (let i = 0; i < 10; i++) pass(spool);
      await recorder.barrier();
      return carryFiles().length > 0;
    });
    spoil(join(directory.path, "spool", carryFiles()[0]!));
    const end = { time, forwardedAt: time, firstByteAt: time, outcome: "complete" as const };
    spool.end(id, { ...end, requestBytes: 0, responseBytes: 120_000 });
    spool.flush();
    await recorder.barrier();
    const store = await openStore(configIn(directory.path), "read");
    const row = await readRow(store, id);
    const body = (await store.content.get([id], ["response"])).get(id)?.response;
    const { losses } = await recorder.status();
    await Promise.all([store.close(), spool.close(), recorder.stop()]);
    expect([row["response_status"], row["truncated"], body?.content.byteLength]).toEqual([200, 1, whole * 40_000]);
    expect(losses).toEqual([expect.stringContaining("1 carry files were damaged")]);
  },
);

function damageAt(path: string, text: string): void {
  const file = readFileSync(path);
  file[file.indexOf(text) + 100]! ^= 1;
  writeFileSync(path, file);
}
