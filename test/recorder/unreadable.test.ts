import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { encodeFrame, NO_ID } from "../../src/spool/codec.ts";
import { FRAME, type FrameKind } from "../../src/spool/frame.ts";
import { quarantine, quarantinePath } from "../../src/spool/quarantine.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { openStore } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, configIn, pass, readRow, rig, spoolIn, startRecorder } from "./harness.ts";

const BEGIN = begin();
const HEAD = { time: 3, status: 200, headers: [] };
const END = { time: 4, outcome: "complete", requestBytes: 1, responseBytes: 2 };
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const metric = (text: string, name: string) =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")
      .at(-1) ?? 0,
  );
const UNREADABLE = 'weir_records_dropped_total{reason="unreadable"}';

/** Frames with a right crc that no writer of this program writes. */
const HOSTILE: readonly [string, FrameKind, Buffer][] = [
  ["a begin that is no JSON", FRAME.begin, Buffer.from("not json")],
  ["a begin that is empty", FRAME.begin, Buffer.alloc(0)],
  ["a begin that is null", FRAME.begin, json(null)],
  ["a begin that is a list", FRAME.begin, json([])],
  ["a begin without members", FRAME.begin, json({})],
  ["a begin whose headers are text", FRAME.begin, json({ ...BEGIN, headers: "x" })],
  ["a begin whose headers are numbers", FRAME.begin, json({ ...BEGIN, headers: [1, 2] })],
  ["a begin with half a header", FRAME.begin, json({ ...BEGIN, headers: ["a"] })],
  ["a begin in the year 300,000", FRAME.begin, json({ ...BEGIN, time: 9e15 })],
  ["a begin before 1970", FRAME.begin, json({ ...BEGIN, time: -1 })],
  ["a begin at no time", FRAME.begin, Buffer.from(JSON.stringify(BEGIN).replace(/"time":[^,]*/, '"time":1e999'))],
  ["a begin whose organization is an object", FRAME.begin, json({ ...BEGIN, organization: {} })],
  ["a begin nested 200,000 deep", FRAME.begin, Buffer.from(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)],
  ["a begin of a megabyte of zeros", FRAME.begin, Buffer.alloc(1 << 20)],
  ["a start that is no JSON", FRAME.start, Buffer.from("\xff\xfe")],
  ["a start without a run", FRAME.start, json({ time: 1 })],
  ["a start whose predecessor is text", FRAME.start, json({ run: "r", time: 1, previous: "x" })],
  ["a frame of no kind", 7 as FrameKind, json({})],
  ["a frame of the kind 255", 255 as FrameKind, Buffer.from("x")],
];

/** The same inside of an exchange that began well. */
const HOSTILE_WITHIN: readonly [string, FrameKind, Buffer][] = [
  ["a head that is no JSON", FRAME.head, Buffer.from("{")],
  ["a head with a status of text", FRAME.head, json({ ...HEAD, status: "200" })],
  ["a head with a huge status", FRAME.head, json({ ...HEAD, status: 1e300 })],
  ["a head without headers", FRAME.head, json({ time: 3, status: 200 })],
  ["an end that is no JSON", FRAME.end, Buffer.from("]")],
  ["an end of an unknown outcome", FRAME.end, json({ ...END, outcome: "constructor" })],
  ["an end with counts beyond all numbers", FRAME.end, json({ ...END, requestBytes: 1e308, responseBytes: 1e308 })],
  ["an end with negative counts", FRAME.end, json({ ...END, requestBytes: -5 })],
  ["an end whose error is text", FRAME.end, json({ ...END, error: "x" })],
  ["a frame of no kind in an exchange", 9 as FrameKind, json({})],
];

test.each(HOSTILE)("%s costs no other record, is counted, kept and reported", async (_name, kind, payload) => {
  await using weir = await rig();
  const spool = join(weir.directory, "spool");
  const before = pass(weir.spool);
  const frame = encodeFrame(kind, kind === FRAME.start ? NO_ID : randomUUID(), payload);
  await weir.recorder.barrier();
  await weir.spool.close();
  appendFileSync(segmentPath(spool, listSegments(spool).at(-1)!), frame);
  const next = spoolIn(spool);
  const after = pass(next);
  await weir.recorder.barrier();
  for (const id of [before, after]) expect(await weir.row(id)).toMatchObject({ response_status: 200 });
  expect(metric(await weir.recorder.metrics(), UNREADABLE)).toBe(1);
  expect(readFileSync(quarantinePath(spool)).equals(frame)).toBe(true);
  expect((await weir.recorder.status()).losses).toEqual([expect.stringContaining("1 frames could not be read")]);
  await next.close();
});

test.each(HOSTILE_WITHIN)("%s leaves the exchange a record that says what is missing", async (_name, kind, payload) => {
  await using weir = await rig();
  const path = join(weir.directory, "spool");
  const id = randomUUID();
  weir.spool.begin(id, begin({ time: 2 }));
  await weir.spool.close();
  const segment = segmentPath(path, listSegments(path).at(-1)!);
  appendFileSync(segment, encodeFrame(kind, id, payload));
  if (kind !== FRAME.end) appendFileSync(segment, encodeFrame(FRAME.end, id, json({ ...END, status: 200 })));
  const next = spoolIn(path);
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject(
    kind === FRAME.end ? { response_status: 500, outcome: "cut_off" } : { response_status: 200, truncated: 1 },
  );
  expect(metric(await weir.recorder.metrics(), UNREADABLE)).toBe(1);
  expect((await weir.recorder.status()).inFlight).toBe(0);
  await next.close();
});

test("whatever frames with right sums the spool holds, in any order, every whole exchange is recorded", async () => {
  const good = { start: { run: "r", time: 1 }, begin: BEGIN, head: HEAD, end: END };
  const member = fc.constantFrom(
    "time",
    "headers",
    "gateway",
    "status",
    "outcome",
    "requestBytes",
    "run",
    "organization",
  );
  const hostileValue = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(1e308, -1, 2 ** 53, "", "__proto__", [], {}, null, true, "\ud800"),
  );
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    hostileValue.map(json),
    fc
      .tuple(fc.constantFrom(good.begin, good.head, good.end), fc.dictionary(member, hostileValue, { maxKeys: 3 }))
      .map(([meta, changes]) => json({ ...meta, ...changes })),
  );
  const ids = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002", NO_ID];
  const frame = fc
    .tuple(fc.oneof(fc.constantFrom(...Object.values(FRAME)), fc.nat(255)), fc.constantFrom(...ids), payload)
    .map(([kind, id, bytes]) => encodeFrame(kind as FrameKind, id, bytes));
  await using weir = await rig();
  const path = join(weir.directory, "spool");
  await weir.spool.close();
  await assertProperty(
    fc.asyncProperty(fc.array(fc.array(frame, { maxLength: 8 }), { minLength: 1, maxLength: 5 }), async (runs) => {
      const passes: string[] = [];
      for (const frames of runs) {
        const spool = spoolIn(path);
        passes.push(pass(spool));
        await spool.close();
        appendFileSync(segmentPath(path, listSegments(path).at(-1)!), Buffer.concat(frames));
      }
      const last = spoolIn(path);
      passes.push(pass(last));
      await weir.recorder.barrier();
      for (const id of passes) expect(await weir.row(id)).toMatchObject({ response_status: 200, truncated: 0 });
      const status = await weir.recorder.status();
      expect([status.lagBytes, status.databaseError]).toEqual([0, null]);
      await last.close();
    }),
    { numRuns: 60 },
  );
});

test("unreadable frames are kept up to a bound, and counted beyond it", () => {
  using directory = temporaryDirectory();
  const frame = Buffer.alloc(100, 1);
  expect([1, 2, 3, 4].map(() => quarantine(directory.path, frame, 250))).toEqual([true, true, false, false]);
  expect(statSync(quarantinePath(directory.path)).size).toBe(200);
  expect(statSync(quarantinePath(directory.path)).mode & 0o777).toBe(0o600);
  expect(quarantine(join(directory.path, "missing"), frame)).toBe(false);
});

/** What happens to the newest segment while nothing runs, and what is then missing of its records. */
const DAMAGES: readonly [
  string,
  (path: string) => void,
  { passes: RegExp; recorded: [number, number]; torn?: true },
][] = [
  [
    "one bit of a body flipped",
    (path) => {
      const file = readFileSync(path);
      file[file.indexOf('"model":"m-1"', file.byteLength >> 1) + 3]! ^= 1;
      writeFileSync(path, file);
    },
    { passes: /bytes in 1 places were damaged/, recorded: [20, 20], torn: true },
  ],
  [
    "one bit of a begin flipped",
    (path) => {
      const file = readFileSync(path);
      file[file.indexOf('"organization"', file.byteLength >> 1) + 3]! ^= 1;
      writeFileSync(path, file);
    },
    { passes: /bytes in 1 places were damaged/, recorded: [19, 19], torn: true },
  ],
  [
    "cut to 70 %",
    (path) => truncateSync(path, Math.floor(statSync(path).size * 0.7)),
    { passes: /gone or shorter/, recorded: [13, 15] },
  ],
  ["emptied", (path) => truncateSync(path, 0), { passes: /gone or shorter/, recorded: [0, 0] }],
  ["deleted", (path) => rmSync(path), { passes: /gone or shorter/, recorded: [0, 0] }],
];

test.each(DAMAGES)(
  "a segment that waits to be read, and has %s, is counted and reported",
  async (_what, damage, expected) => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "spool");
    const earlier = spoolIn(path);
    const first = startRecorder(directory.path);
    pass(earlier);
    await earlier.close();
    await first.barrier();
    await first.stop();
    const spool = spoolIn(path);
    const passes = Array.from({ length: 20 }, () => pass(spool));
    await spool.close();
    const segment = segmentPath(path, listSegments(path).at(-1)!);
    const size = statSync(segment).size;
    damage(segment);

    const next = spoolIn(path);
    const later = pass(next);
    let recorder = startRecorder(directory.path);
    await recorder.barrier();
    const store = await openStore(configIn(directory.path), "read");
    const sql = `select count(*) as count from requests where request_id in (${passes.map(() => "?").join()})`;
    const [row] = await store.records.query<{ count: number }>({ sql, args: passes });
    expect(row!.count).toBeWithin(expected.recorded[0], expected.recorded[1] + 1);
    expect(await readRow(store, later)).toMatchObject({ response_status: 200 });
    await store.close();
    const { losses } = await recorder.status();
    expect(losses).toEqual([expect.stringMatching(expected.passes)]);
    const metrics = await recorder.metrics();
    const lost = metric(metrics, expected.torn ? "weir_spool_torn_bytes_total" : "weir_spool_missing_bytes_total");
    expect(lost).toBeWithin(1, size + 1);

    // Only the run that read it reports it.
    await recorder.stop();
    recorder = startRecorder(directory.path);
    await recorder.barrier();
    expect((await recorder.status()).losses).toEqual([]);
    await recorder.stop();
    await next.close();
  },
);

test("a kill that tears the last frame is no loss to report", async () => {
  await using weir = await rig();
  const path = join(weir.directory, "spool");
  pass(weir.spool);
  await weir.spool.close();
  appendFileSync(
    segmentPath(path, listSegments(path).at(-1)!),
    encodeFrame(FRAME.begin, randomUUID(), json(BEGIN)).subarray(0, 40),
  );
  const next = spoolIn(path);
  await weir.recorder.barrier();
  expect(metric(await weir.recorder.metrics(), "weir_spool_torn_bytes_total")).toBe(40);
  expect((await weir.recorder.status()).losses).toEqual([]);
  await next.close();
});

test("a recorder can be stopped while its spool cannot be read at all", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  const spool = spoolIn(path);
  pass(spool);
  const recorder = startRecorder(directory.path);
  await recorder.barrier();
  await spool.close();
  rmSync(path, { recursive: true });
  writeFileSync(path, "a file in its place");
  await recorder.stop();
  expect((await recorder.status()).recorded).toBe(1);
});
