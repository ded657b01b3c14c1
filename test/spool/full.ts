import { rmSync } from "node:fs";
import { FRAME } from "../../src/spool/frame.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { until } from "../until.ts";
import { begin, drain, spoolIn } from "./journal.ts";

/**
 * A program for a test to run under a limit on the size of files, which writes fail at as they do on a full disk. It
 * fills a segment, makes room by deleting it, and prints what a reader saw.
 */
const directory = process.argv[2]!;
const spool = spoolIn(directory);
const reader = new SpoolReader({ directory });
const ids: string[] = [];
for (let i = 0; i < 300; i++) {
  const id = crypto.randomUUID();
  ids.push(id);
  spool.begin(id, begin());
  for (let n = 0; n < 3; n++) spool.responseChunk(id, Buffer.alloc(1_000, n));
  spool.flush();
}
// The first one continues over the time without space: what comes after its lost chunk would stand in the wrong place.
const hurt = ids[0]!;
spool.responseChunk(hurt, Buffer.alloc(1_000, 3));
// Those that have a begin in the file end while nothing can be written: their ends are owed.
for (const id of ids.slice(1)) {
  spool.head(id, { time: 1, status: 200, headers: [] });
  spool.end(id, { time: 2, outcome: "complete", requestBytes: 0, responseBytes: 3_000 });
}
const stats = { ...spool.stats };
const seen = drain(reader);
rmSync(segmentPath(directory, listSegments(directory)[0]!));
await until(
  () => spool.stats.healthy,
  180_000,
  () => "the spool has room again",
);
const later = crypto.randomUUID();
spool.responseChunk(hurt, Buffer.alloc(1_000, 4));
spool.head(hurt, { time: 1, status: 200, headers: [] });
spool.end(hurt, { time: 2, outcome: "complete", requestBytes: 0, responseBytes: 5_000 });
const laterBegan = spool.begin(later, begin());
await spool.close();
seen.push(...drain(reader));

const begun = seen.filter(({ kind }) => kind === FRAME.begin).map(({ id }) => id);
const ends = seen.filter(({ kind }) => kind === FRAME.end);
process.stdout.write(
  JSON.stringify({
    stats,
    laterBegan,
    begun: begun.length,
    laterSeen: begun.includes(later),
    endsWithoutBegin: ends.filter(({ id }) => !begun.includes(id)).length,
    begunWithoutEnd: begun.filter((id) => id !== later && !ends.some((end) => end.id === id)).length,
    truncated: ends.filter(({ payload }) => JSON.parse(payload.toString()).responseTruncated === true).length,
    heads: seen.filter(({ kind }) => kind === FRAME.head).length,
    // Per exchange the chunks are 0, 1, 2 without a hole.
    holes: begun.filter((id) => {
      const chunks = seen.filter((frame) => frame.id === id && frame.kind === FRAME.responseChunk);
      return chunks.some(({ payload }, at) => payload[0] !== at || payload.length !== 1_000);
    }).length,
  }),
);
