import { expect, test } from "bun:test";
import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { FRAME } from "../../src/spool/frame.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { listSegments } from "../../src/spool/segments.ts";
import type { Spool } from "../../src/spool/writer.ts";
import { temporaryDirectory } from "../directory.ts";
import { drain, readAll, spoolIn } from "./journal.ts";

const EXCHANGES = 400;
/** So small that the writers pass each other at the end of a segment again and again. */
const SEGMENT_BYTES = 64 * 1024;

async function writeElsewhere(spool: Spool, directory: string, leavesOne = false): Promise<string> {
  const thread = new Worker(join(import.meta.dir, "shared-writer.ts"), {
    workerData: { directory, shared: spool.share(), exchanges: EXCHANGES, segmentBytes: SEGMENT_BYTES, leavesOne },
  });
  const [said] = (await once(thread, "message")) as [string];
  await thread.terminate();
  return said;
}

test("threads that write into one spool at once lose nothing and leave every frame whole", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path, { segmentBytes: SEGMENT_BYTES });
  await Promise.all([1, 2, 3].map(() => writeElsewhere(spool, directory.path)));
  await spool.close();
  expect(listSegments(directory.path).length).toBeGreaterThan(10);
  let torn = 0;
  const reader = new SpoolReader({ directory: directory.path, onLeft: (_segment, end, size) => (torn += size - end) });
  const frames = drain(reader);
  reader.close();
  expect(torn).toBe(0);
  const stages = new Map<string, number[]>();
  for (const { id, kind } of frames) if (kind !== FRAME.start) stages.set(id, [...(stages.get(id) ?? []), kind]);
  expect(stages.size).toBe(3 * EXCHANGES);
  expect(new Set([...stages.values()].map(String))).toEqual(
    new Set([`${[FRAME.begin, FRAME.responseChunk, FRAME.end]}`]),
  );
});

test("a writer that is gone is reported, with what distinguishes its exchanges from others", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(directory.path, { segmentBytes: SEGMENT_BYTES });
  const left = await writeElsewhere(spool, directory.path, true);
  spool.lost(2);
  await spool.close();
  const frames = readAll(directory.path);
  const begun = frames.find(({ id }) => id === left)!;
  expect(JSON.parse(begun.payload.toString())).toMatchObject({ writer: 2 });
  const reader = new SpoolReader({ directory: directory.path });
  const said = drain(reader).filter(({ kind }) => kind === FRAME.start);
  reader.close();
  expect(JSON.parse(said.at(-1)!.payload.toString())).toMatchObject({ gone: 2 });
});
