import { randomUUID } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import type { SpoolShare } from "../../src/spool/writer.ts";
import { begin, spoolIn } from "./journal.ts";

/** A thread that writes exchanges into a spool that is not its own. */
const { directory, shared, exchanges, segmentBytes, leavesOne } = workerData as {
  directory: string;
  shared: SpoolShare;
  exchanges: number;
  segmentBytes: number;
  leavesOne: boolean;
};
const spool = spoolIn(directory, { shared, segmentBytes });
for (let count = 0; count < exchanges; count++) {
  const id = randomUUID();
  spool.begin(id, begin());
  spool.responseChunk(id, Buffer.from(id.repeat(1 + (count % 50))));
  spool.end(id, { time: 2, outcome: "complete", requestBytes: 0, responseBytes: 0 });
  spool.flush();
}
if (leavesOne) {
  const id = randomUUID();
  spool.begin(id, begin());
  spool.flush();
  parentPort!.postMessage(id);
} else {
  await spool.close();
  parentPort!.postMessage("done");
}
